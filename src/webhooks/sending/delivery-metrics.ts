import { idTime } from '../../kernel/ids.ts'
import { outboundErrorClasses } from '../../platform/outbound-http/outbound-client.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import { Histogram } from '../../platform/telemetry/histogram.ts'
import type { Metric } from '../../platform/telemetry/metrics.ts'
import type { AttemptRow } from '../deliveries/deliveries.ts'

/** What this process counts about webhooks. Kept in memory and read when the metrics are asked for. */
export type DeliveryMetrics = {
  /** `stateSince`: when the endpoint was last paused, disabled or resumed, or else when it was made. */
  attempted(entry: ClaimedEntry, attempt: AttemptRow, stateSince: Date): void
  disabled(): void
  exhausted(): void
  recovered(): void
  /** Sent once more although it had arrived, or may have. */
  repeated(): void
  list(): Metric[]
}

/** Enough for a steady p99, little enough to sort at every scrape. */
const SAMPLES = 2048
const WAIT_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

const failureClasses = ['status', 'redirect', ...outboundErrorClasses] as const

export function createDeliveryMetrics(): DeliveryMetrics {
  const counts = { succeeded: 0, disabled: 0, exhausted: 0, recovered: 0, repeated: 0 }
  const failures = new Map<string, number>(failureClasses.map((name) => [name, 0]))
  const [toFirst, toFirstUnthrottled] = [new Waits(), new Waits()]
  return {
    attempted(entry, attempt, stateSince) {
      if (attempt.error_class === null) counts.succeeded += 1
      else failures.set(attempt.error_class, (failures.get(attempt.error_class) ?? 0) + 1)
      // What was held or replayed waited on request; it says nothing about our speed.
      if (attempt.number !== 1 || attempt.trigger !== 'auto' || entry.class !== 'fresh') return
      const happenedMs = idTime(attempt.event_id).getTime()
      if (happenedMs < stateSince.getTime()) return
      const waitedMs = attempt.started_at.getTime() - happenedMs
      toFirst.add(Math.max(0, waitedMs))
      toFirstUnthrottled.add(Math.max(0, waitedMs - entry.throttledMs))
    },
    disabled: () => {
      counts.disabled += 1
    },
    exhausted: () => {
      counts.exhausted += 1
    },
    recovered: () => {
      counts.recovered += 1
    },
    repeated: () => {
      counts.repeated += 1
    },
    list: () => [...counterMetrics(counts, failures), ...latencyMetrics(toFirst, toFirstUnthrottled)],
  }
}

const counter = (name: string, help: string, read: () => number): Metric => ({ kind: 'counter', name, help, read })

type Counts = Record<'succeeded' | 'disabled' | 'exhausted' | 'recovered' | 'repeated', number>

const counterMetrics = (counts: Counts, failures: ReadonlyMap<string, number>): Metric[] => [
  counter('nexkit_webhook_attempts_succeeded_total', 'Webhook attempts that were delivered', () => counts.succeeded),
  ...failureClasses.map((name) =>
    counter(`nexkit_webhook_attempts_failed_${name}_total`, `Webhook attempts that failed: ${name}`, () =>
      Number(failures.get(name)),
    ),
  ),
  counter('nexkit_webhook_endpoints_disabled_total', 'Webhook endpoints disabled by Nexkit', () => counts.disabled),
  counter(
    'nexkit_webhook_deliveries_exhausted_total',
    'Deliveries given up after the last attempt',
    () => counts.exhausted,
  ),
  counter(
    'nexkit_webhook_deliveries_recovered_total',
    'Deliveries that had been given up and arrived after all',
    () => counts.recovered,
  ),
  counter(
    'nexkit_webhook_duplicates_sent_total',
    'Attempts of what had arrived before, made by wish, or may have: an earlier one ended without a record',
    () => counts.repeated,
  ),
]

const latencyMetrics = (all: Waits, unthrottled: Waits): Metric[] =>
  [
    { waits: all, name: 'nexkit_webhook_first_attempt', note: 'throttling included' },
    { waits: unthrottled, name: 'nexkit_webhook_first_attempt_unthrottled', note: 'throttling left out' },
  ].flatMap(({ waits, name, note }) => [
    {
      kind: 'histogram' as const,
      name: `${name}_seconds`,
      help: `From event to first attempt, ${note}`,
      read: () => waits.histogram,
    },
    ...[0.5, 0.99].map((share) => ({
      kind: 'gauge' as const,
      name: `${name}_ms_p${share * 100}`,
      help: `From event to first attempt, p${share * 100} of the last ${SAMPLES}, ${note}`,
      read: () => waits.quantile(share),
    })),
  ])

/** The histogram adds up over processes and time; the last samples give exact values without a query. */
class Waits {
  readonly histogram = new Histogram(WAIT_BOUNDS_SECONDS)
  readonly #values: number[] = []
  #next = 0

  add(waitedMs: number): void {
    this.histogram.observe(waitedMs / 1000)
    this.#values[this.#next] = waitedMs
    this.#next = (this.#next + 1) % SAMPLES
  }

  quantile(share: number): number {
    const sorted = this.#values.toSorted((one, other) => one - other)
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  }
}

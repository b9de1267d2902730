import { idTime } from '../../kernel/ids.ts'
import type { OutboundErrorClass } from '../../platform/outbound-http/outbound-client.ts'
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

const failureReasons: Readonly<Record<'status' | 'redirect' | OutboundErrorClass, string>> = {
  status: 'answered with another status than 2xx',
  redirect: 'answered with a redirect',
  dns: 'the host name did not resolve',
  blocked_address: 'the address is not allowed',
  refused: 'the connection was refused',
  reset: 'the connection was closed',
  tls: 'the certificate or the TLS handshake failed',
  timeout_connect: 'no connection in time',
  timeout_total: 'no response in time',
  protocol: 'the response was not valid HTTP',
  too_large: 'the response was too large',
}

export function createDeliveryMetrics(): DeliveryMetrics {
  const counts = { succeeded: 0, disabled: 0, exhausted: 0, recovered: 0, repeated: 0 }
  const failures = new Map<string, number>(Object.keys(failureReasons).map((name) => [name, 0]))
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
  counter('nexkit_webhook_attempts_succeeded_total', 'Webhook attempts answered with 2xx', () => counts.succeeded),
  ...Object.entries(failureReasons).map(([name, reason]) =>
    counter(`nexkit_webhook_attempts_failed_${name}_total`, `Webhook attempts that failed: ${reason}`, () =>
      Number(failures.get(name)),
    ),
  ),
  counter('nexkit_webhook_endpoints_disabled_total', 'Webhook endpoints that Nexkit disabled', () => counts.disabled),
  counter('nexkit_webhook_deliveries_exhausted_total', 'Deliveries whose last attempt failed', () => counts.exhausted),
  counter(
    'nexkit_webhook_deliveries_recovered_total',
    'Deliveries that arrived after their last attempt had failed',
    () => counts.recovered,
  ),
  counter(
    'nexkit_webhook_duplicates_sent_total',
    'Attempts for events that the receiver already has (resends), or may have (the process died before it stored the result)',
    () => counts.repeated,
  ),
]

const latencyMetrics = (all: Waits, unthrottled: Waits): Metric[] =>
  [
    { waits: all, name: 'nexkit_webhook_first_attempt', note: 'throttling included' },
    { waits: unthrottled, name: 'nexkit_webhook_first_attempt_unthrottled', note: 'throttling excluded' },
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

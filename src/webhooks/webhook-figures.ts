import { idTime } from '../kernel/ids.ts'
import type { ClaimedEntry } from '../platform/outbox/job.ts'
import type { AttemptRow } from './attempts.sql.ts'
import { attemptErrorClasses } from './delivery-client/attempt-fault.ts'

/** What this process counts about webhooks. Kept in memory and read when the figures are asked for. */
export type Figure = { kind: 'counter' | 'gauge'; name: string; help: string; read: () => number }

export type WebhookFigures = {
  attempted(entry: ClaimedEntry, attempt: AttemptRow): void
  disabled(): void
  exhausted(): void
  list(): Figure[]
}

/** Enough for a steady p99, little enough to sort at every scrape. */
const SAMPLES = 2048

const failureClasses = ['status', 'redirect', ...attemptErrorClasses] as const

export function createWebhookFigures(): WebhookFigures {
  const counts = { succeeded: 0, disabled: 0, exhausted: 0 }
  const failures = new Map<string, number>(failureClasses.map((name) => [name, 0]))
  const [toFirst, toFirstUnthrottled] = [new Samples(), new Samples()]
  return {
    attempted(entry, attempt) {
      if (attempt.error_class === null) counts.succeeded += 1
      else failures.set(attempt.error_class, (failures.get(attempt.error_class) ?? 0) + 1)
      // What was held or replayed waited by somebody's wish; it would say nothing about how fast we are.
      if (attempt.number !== 1 || attempt.trigger !== 'auto' || entry.class !== 'fresh') return
      const waitedMs = attempt.started_at.getTime() - idTime(attempt.event_id).getTime()
      toFirst.add(Math.max(0, waitedMs))
      toFirstUnthrottled.add(Math.max(0, waitedMs - entry.throttledMs))
    },
    disabled: () => {
      counts.disabled += 1
    },
    exhausted: () => {
      counts.exhausted += 1
    },
    list: () => [...counterFigures(counts, failures), ...latencyFigures(toFirst, toFirstUnthrottled)],
  }
}

const counter = (name: string, help: string, read: () => number): Figure => ({ kind: 'counter', name, help, read })

type Counts = { succeeded: number; disabled: number; exhausted: number }

const counterFigures = (counts: Counts, failures: ReadonlyMap<string, number>): Figure[] => [
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
]

const latencyFigures = (all: Samples, unthrottled: Samples): Figure[] =>
  [0.5, 0.99].flatMap((share) => {
    const percent = `p${share * 100}`
    return [
      {
        kind: 'gauge' as const,
        name: `nexkit_webhook_first_attempt_ms_${percent}`,
        help: `From event to first attempt, ${percent} of the last ${SAMPLES}, throttling included`,
        read: () => all.quantile(share),
      },
      {
        kind: 'gauge' as const,
        name: `nexkit_webhook_first_attempt_unthrottled_ms_${percent}`,
        help: `From event to first attempt, ${percent} of the last ${SAMPLES}, throttling left out`,
        read: () => unthrottled.quantile(share),
      },
    ]
  })

class Samples {
  readonly #values: number[] = []
  #next = 0

  add(value: number): void {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % SAMPLES
  }

  quantile(share: number): number {
    const sorted = this.#values.toSorted((one, other) => one - other)
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  }
}

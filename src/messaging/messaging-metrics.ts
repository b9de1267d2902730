import type { ChannelReport } from '../channels/channel-connector.ts'
import { Histogram } from '../platform/telemetry/histogram.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import type { ApplyMetrics } from './receiving/batches.jobs.ts'
import type { SendEnd, SendMetrics } from './sending/send-outcomes.ts'

/**
 * Counts what this process committed about messages. The counts are kept in memory and read when the metrics are scraped.
 */
export type MessagingMetrics = SendMetrics & ApplyMetrics & { list(accepted: () => number): Metric[] }

const ENDS: Readonly<Record<SendEnd, string>> = {
  sent: 'Messages that the network accepted',
  unknown: 'Sends with an unknown outcome: the response was lost',
  returned: 'Sends that the network rejected for now and that are retried',
  failed_account: 'Messages that failed because of the account, such as an expired token',
  failed_retry: 'Messages that failed after the last attempt',
  failed_permanent: 'Messages that the network rejected for good',
  failed_window: 'Messages rejected because the reply window was closed',
  failed_unexplained: 'Messages that failed because the network never reported their outcome',
}

const KINDS: readonly ChannelReport['kind'][] = [
  'message',
  'status',
  'identity',
  'edited',
  'revoked',
  'preference',
  'contact',
  'call',
  'account_problem',
  'other',
]

const LAG_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

export function createMessagingMetrics(): MessagingMetrics {
  const counts = new Map<string, number>()
  const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)
  const lag = new Histogram(LAG_BOUNDS_SECONDS)
  const counter = (name: string, help: string, read: () => number): Metric => ({ kind: 'counter', name, help, read })
  const counted = (name: string, help: string) => counter(`nexkit_${name}_total`, help, () => counts.get(name) ?? 0)
  return {
    ended: (end) => count(`messages_${end}`),
    applied: (kind) => count(`reports_applied_${kind}`),
    notApplied: () => count('reports_not_applied'),
    lagged: (ms) => lag.observe(Math.max(0, ms) / 1000),
    list: (accepted) => [
      counter('nexkit_messages_accepted_total', 'Messages accepted from callers for sending', accepted),
      ...Object.entries(ENDS).map(([end, help]) => counted(`messages_${end}`, help)),
      ...KINDS.map((kind) =>
        counted(`reports_applied_${kind}`, `Reports of networks that were applied, of kind ${kind}`),
      ),
      counted('reports_not_applied', 'Reports of networks that could not be applied'),
      {
        kind: 'histogram',
        name: 'nexkit_reports_lag_seconds',
        help: 'Time from the arrival of a batch of reports until it was applied',
        read: () => lag,
      },
    ],
  }
}

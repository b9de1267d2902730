import type { ReportedStatus } from '../../channels/channel-connector.ts'

/**
 * The states of an outbound message.
 *
 *   scheduled ── due, or canceled ──▶ queued | (deleted)
 *   queued ── accepted by the network ──▶ sent ──▶ delivered ──▶ read
 *   scheduled, queued, sent ── refused, or not deliverable ──▶ failed
 *
 * Reports arrive late, twice and in any order, so the furthest known state is kept. `failed` ranks above `sent` and below
 * `delivered`: a delivered message stays delivered, whatever a later report says. An inbound message is `received`, and
 * stays so.
 *
 * No report causes a failure as `outcome_unknown`: the server gave up waiting. The message moves as if it were still
 * `queued`, so that `sent` and a real failure, which carries the network's error, replace the guess.
 */
export const messageStatuses = ['scheduled', 'queued', 'sent', 'failed', 'delivered', 'read', 'received'] as const
export type MessageStatus = (typeof messageStatuses)[number]

const MOVES: Record<MessageStatus, readonly MessageStatus[]> = {
  scheduled: ['queued', 'sent', 'failed', 'delivered', 'read'],
  queued: ['sent', 'failed', 'delivered', 'read'],
  sent: ['failed', 'delivered', 'read'],
  failed: ['delivered', 'read'],
  delivered: ['read'],
  read: [],
  received: [],
}

export const canMove = (from: MessageStatus, to: MessageStatus): boolean => MOVES[from].includes(to)

/** The code of the one failure that is our own guess. */
export const OUTCOME_UNKNOWN = 'outcome_unknown'

/** The status from which a message moves when a report arrives. */
export const effectiveStatus = (row: { status: MessageStatus; error: { code: string } | null }): MessageStatus =>
  row.status === 'failed' && row.error?.code === OUTCOME_UNKNOWN ? 'queued' : row.status

/** A voice note that was played was read; its history says which. */
export const statusOfReport = (reported: ReportedStatus): MessageStatus => (reported === 'played' ? 'read' : reported)

/** Still to be sent. */
export const isUnsent = (status: MessageStatus): boolean => status === 'scheduled' || status === 'queued'

export type StatusEntry = { status: MessageStatus | 'played'; at: string }

/** The statuses in the order of progress. */
const HISTORY_ORDER: StatusEntry['status'][] = [...messageStatuses, 'played']

const rankOf = (status: StatusEntry['status']): number => HISTORY_ORDER.indexOf(status)

const secondOf = ({ at }: StatusEntry): number => Math.floor(Date.parse(at) / 1000)

/**
 * Each status is recorded once, from its first report. The history is ordered by the times in the reports, not by their
 * arrival. Networks report whole seconds, so within a second the order is that of progress: a message sent at 5.3 was
 * delivered at "5".
 */
export function addToHistory(history: readonly StatusEntry[], entry: StatusEntry): StatusEntry[] {
  if (history.some(({ status }) => status === entry.status)) return [...history]
  return [...history, entry].sort(
    (one, other) => secondOf(one) - secondOf(other) || rankOf(one.status) - rankOf(other.status),
  )
}

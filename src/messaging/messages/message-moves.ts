import type { ChannelFailure, ReportedStatus } from '../../channels/channel-connector.ts'
import type { EventBuffer } from '../../events/events.ts'
import { soundText } from '../../kernel/text.ts'
import type { Tx } from '../../platform/database/database.ts'
import { messageMoved, messagePlayed } from '../messaging.events.ts'
import { moveMessages } from './message-states.sql.ts'
import { presentMessage } from './message-view.ts'
import type { MessageFailure, MessageRow } from './messages.sql.ts'
import { addToHistory, canMove, effectiveStatus, OUTCOME_UNKNOWN, statusOfReport } from './messages.states.ts'

/** Moves one message, whose row is locked, by what was learned about it, and records the event. */
export type Learned = {
  status: ReportedStatus
  at: Date
  error: MessageFailure | null
  providerId: string | null
  /** What was reported with the status, kept for those who are sent it in the network's own form. */
  facts?: Record<string, unknown> | null
}

const DETAIL_CHARACTERS_MAX = 1000
const CODE_CHARACTERS_MAX = 100

export const failureOf = ({ code, class: kind, providerCode, detail }: ChannelFailure): MessageFailure => ({
  code,
  provider_code: providerCode === null ? null : soundText(providerCode, CODE_CHARACTERS_MAX),
  detail: soundText(detail, DETAIL_CHARACTERS_MAX),
  retryable: kind === 'retry',
})

/** `isPlayed`: a voice note that was read before is now played. Its status stays `read`. */
export type Move = { after: MessageRow; isMove: boolean; isPlayed: boolean }

/** The message after a report; null when the report adds nothing new. */
export function learn(row: MessageRow, learned: Learned): Move | null {
  const to = statusOfReport(learned.status)
  const current = effectiveStatus(row)
  // A second guess adds nothing.
  const isGuessAgain = current !== row.status && learned.error?.code === OUTCOME_UNKNOWN
  const isMove = canMove(current, to) && !isGuessAgain
  const history = addToHistory(row.status_history, { status: learned.status, at: learned.at.toISOString() })
  const isProviderNew = learned.providerId !== null && row.provider_id === null
  const isHistoryLonger = history.length > row.status_history.length
  const isBilled = learned.facts != null && row.reports?.[learned.status] === undefined
  if (!isMove && !isProviderNew && !isHistoryLonger && !isBilled) return null
  const after = {
    ...row,
    status: isMove ? to : row.status,
    status_history: history,
    error: isMove ? (to === 'failed' ? learned.error : null) : row.error,
    provider_id: row.provider_id ?? learned.providerId,
    unknown_since: null,
    ...(learned.facts != null && { reports: { ...row.reports, [learned.status]: learned.facts } }),
  }
  return { after, isMove, isPlayed: learned.status === 'played' && !isMove && isHistoryLonger && row.status === 'read' }
}

/** A report that adds nothing new changes no row and records no event. */
export async function moveByReport(
  tx: Tx,
  row: MessageRow,
  learned: Learned,
  events: EventBuffer,
): Promise<MessageRow> {
  const move = learn(row, learned)
  if (move === null) return row
  const [stored] = await moveMessages(tx, row.org_id, [move.after])
  const after = { ...move.after, provider_id: stored?.provider_id ?? null }
  recordMove({ ...move, after }, events)
  return after
}

export function recordMove({ after, isMove, isPlayed }: Move, events: EventBuffer): void {
  if (isMove) events.add(after.org_id, movedEvent(after))
  if (isPlayed) events.add(after.org_id, { type: messagePlayed, subject: after.id, data: presentMessage(after) })
}

export const movedEvent = (row: MessageRow) => ({
  type: messageMoved[row.status as keyof typeof messageMoved],
  subject: row.id,
  data: presentMessage(row),
})

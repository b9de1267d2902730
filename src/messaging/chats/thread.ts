import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { effectiveStatus, isUnsent } from '../messages/messages.states.ts'
import { type MessageFailure, type MessageRow, moveByReport } from '../messages/messages.ts'
import { lockChat, lockChatsAhead } from './chat-locks.sql.ts'
import { type ChatEventContext, recordChatUpdated } from './chat-view.ts'
import { findChat, noteOutbound } from './chats.sql.ts'

/**
 * The place of a message in its thread: `happened_at`, then the id.
 *
 * A message of a customer has the place of the time that the network reports, however late it arrives and in whatever order
 * it is applied. The network reports whole seconds; within the second the time of arrival decides, and among messages that
 * arrived together the order of arrival: their ids follow the journal.
 */
export function placeOfReport(reportedAt: Date, arrivedAt: Date): Date {
  const [reportedMs, arrivedMs] = [reportedAt.getTime(), arrivedAt.getTime()]
  // A clock that is minutes ahead of ours is wrong, or means harm: it must not hold the end of the thread.
  if (!(reportedMs <= arrivedMs + CLOCKS_APART_MS_MAX)) return arrivedAt
  return new Date(Math.min(Math.max(arrivedMs, reportedMs), reportedMs + 999))
}

const CLOCKS_APART_MS_MAX = 5 * 60_000

/**
 * An outbound message goes to the end. Its transaction holds the lock of the chat, but its time and id are older than that
 * lock, and another message may have been added meanwhile. It then goes right behind the newest one, so that the newest
 * message of a chat is always the last one that was added.
 */
export type ThreadEnd = { last_activity_at: Date; last_message_id: string | null }

export function placeAfter(end: ThreadEnd, id: string, now: Date): Date {
  const endMs = end.last_activity_at.getTime()
  if (now.getTime() > endMs || end.last_message_id === null) return now.getTime() > endMs ? now : end.last_activity_at
  return id > end.last_message_id ? end.last_activity_at : new Date(endMs + 1)
}

/**
 * Whether a scheduled message has just entered the thread of its chat, which it does once it was sent or has failed. The
 * answer of the network shows that it was sent, or a status does: one that was faster, or the only one that arrived. A
 * failure is shown in the thread like that of any other message.
 */
export const hasLeft = (before: MessageRow, after: MessageRow): boolean =>
  after.send_at !== null &&
  isUnsent(effectiveStatus(before)) &&
  !isUnsent(after.status) &&
  before.status !== after.status

/** Locks the chats of messages that may enter their threads, in one order, before the messages are moved. */
export async function lockThreads(tx: Tx, messages: readonly { orgId: OrgId; id: string }[]): Promise<void> {
  const byOrg = Map.groupBy(messages, ({ orgId }) => orgId)
  for (const [orgId, ofOrg] of [...byOrg].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    await lockChatsAhead(tx, orgId, { messageIds: ofOrg.map(({ id }) => id) })
}

/** Fails a message that the network has not confirmed. The row is locked, after `lockThreads`. */
export async function failMessage(
  context: ChatEventContext & { tx: Tx },
  row: MessageRow,
  { at, error }: { at: Date; error: MessageFailure },
): Promise<void> {
  const failed = { status: 'failed' as const, at, error, providerId: null }
  const after = await moveByReport(context.tx, row, failed, context.events)
  if (hasLeft(row, after)) await enterThread(context, row, leftAtOf(row))
}

/** When a message was sent that a status reports; null for just now. */
export const leftAtOf = (before: MessageRow): Date | null =>
  before.unknown_since ?? (before.status === 'failed' ? before.happened_at : null)

/** Puts the message at the end of the thread, unless it was sent before. */
export async function enterThread(
  context: ChatEventContext & { tx: Tx },
  row: Pick<MessageRow, 'org_id' | 'id' | 'chat_id'>,
  leftAt: Date | null,
): Promise<void> {
  const { tx, clock } = context
  const end = await lockChat(tx, row.org_id, row.chat_id)
  if (end === null) return
  const at = leftAt ?? placeAfter(end, row.id, new Date(clock.now()))
  await noteOutbound(tx, row.org_id, { chatId: row.chat_id, id: row.id, at })
  const chat = await findChat(tx, row.org_id, row.chat_id)
  if (chat !== null) await recordChatUpdated(context, chat)
}

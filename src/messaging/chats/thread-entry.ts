import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { moveByReport } from '../messages/message-moves.ts'
import type { MessageFailure, MessageRow } from '../messages/messages.sql.ts'
import { effectiveStatus, isUnsent } from '../messages/messages.states.ts'
import { lockChatsAhead } from '../receiving/applying.sql.ts'
import { type ChatEventContext, recordChatUpdated } from './chat-events.ts'
import { findChat, lockChat, noteOutbound } from './chats.sql.ts'
import { placeAfter } from './thread-place.ts'

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
export async function lockThreads(tx: Tx, messages: readonly { orgId: string; id: string }[]): Promise<void> {
  const byOrg = Map.groupBy(messages, ({ orgId }) => orgId)
  for (const [orgId, ofOrg] of [...byOrg].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    await lockChatsAhead(tx, orgId as OrgId, { messageIds: ofOrg.map(({ id }) => id) })
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

import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { cancelEntries } from '../../platform/outbox/entries.ts'
import { holdLane } from '../../platform/outbox/lanes.ts'
import { messageNotFound, messageNotScheduled } from '../messaging.errors.ts'
import type { NewOutboundMessage, Sender } from '../sending/sender.ts'
import { lockMessage } from './message-states.sql.ts'
import { contentOfRow, identityKeyHashOf } from './message-view.ts'
import {
  deleteMessage,
  findMessage,
  linkMessageToOrder,
  lockChatOfMessage,
  type MessageRow,
  type OrderLink,
} from './messages.sql.ts'

export async function getMessage(queries: Queries, orgId: OrgId, id: string): Promise<MessageRow> {
  const row = await findMessage(queries, orgId, id)
  if (row === null) throw messageNotFound({ params: { id } })
  return row
}

/**
 * Calls a scheduled message back: it is gone as if it had never been written. The outbox decides: an entry that is running
 * at this moment, or was, can no longer be taken out.
 */
export async function cancelMessage(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const row = await getMessage(tx, orgId, id)
  if (row.status !== 'scheduled') throw messageNotScheduled({ params: { id, status: row.status } })
  const { changed } = await cancelEntries(tx, { orgId, id: row.number_id }, [id])
  if (changed.length === 0) throw messageNotScheduled({ params: { id, status: 'queued' } })
  await deleteMessage(tx, orgId, id)
}

/** The lane before the row, as an acknowledgement does: what waits there is neither sent nor called back meanwhile. */
export async function holdMessage(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const { number_id } = await getMessage(tx, orgId, id)
  await holdLane(tx, { orgId, id: number_id })
  await lockMessage(tx, orgId, id)
}

export type AgainContext = { database: Database; sender: Pick<Sender, 'send'> }
export type Again = Pick<NewOutboundMessage, 'orgId' | 'sender' | 'requestId' | 'claim' | 'companion'> & { id: string }

/**
 * The same once more, as a new message of the same chat, now. It carries all that the first one did, also what is never
 * shown: it goes to the identity key that the first was meant for, and to no other.
 */
export async function sendAgain({ database, sender }: AgainContext, { id, ...again }: Again): Promise<MessageRow> {
  const row = await getMessage(database, again.orgId, id)
  if (row.direction === 'inbound') throw messageNotFound({ params: { id } })
  return sender.send({
    ...again,
    to: { chatId: row.chat_id },
    from: null,
    content: contentOfRow(row),
    identityKeyHash: identityKeyHashOf(row),
    replyTo: row.reply_to,
    clientReference: row.client_reference,
    metadata: row.metadata,
    orderId: row.order_id,
  })
}

export async function linkToOrder(tx: Tx, orgId: OrgId, link: OrderLink): Promise<boolean> {
  await lockChatOfMessage(tx, orgId, link.messageId)
  return (await linkMessageToOrder(tx, orgId, link)) !== null
}

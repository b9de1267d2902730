import type { Database } from '../../platform/database/database.ts'
import { contentOfRow, getMessage, identityKeyHashOf, type MessageRow } from '../messages/messages.ts'
import { messageNotFound } from '../messaging.errors.ts'
import type { Sender } from './acceptance.ts'
import type { NewOutboundMessage } from './outbound-message.ts'

/**
 * The path of an outbound message:
 *
 *   POST /messages (sending.routes.ts), queueMessage
 *     ──▶ outbound-message.ts   recipient and number found; template-check.ts, files checked
 *     ──▶ acceptance.ts         group commit: chats locked, message + chat + event + outbox entry written (acceptance-plan.ts)
 *     ──▶ send.jobs.ts          one attempt: sendable.ts reads the message, the connector calls the network
 *     ──▶ send-outcomes.ts      accepted | refused | unknown, recorded when the outbox acknowledges
 *     ──▶ settle.jobs.ts        decides about an unknown outcome when no status has arrived in time
 *
 * Statuses that arrive later are applied by receiving/.
 */
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

export type { Sender } from './acceptance.ts'

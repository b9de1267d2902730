import type { ContactRow } from '../contacts/contacts.sql.ts'
import { previewOf } from '../messages/message-view.ts'
import type { NumberEntry } from '../number-directory.ts'
import type { ChatView } from './chats.schemas.ts'
import type { ChatRow } from './chats.sql.ts'

const WINDOW_MS = 24 * 3600 * 1000

export type ShownContact = Pick<ContactRow, 'id' | 'name' | 'phone' | 'identities'>

const presentChatContact = (contact: ShownContact): ChatView['contact'] => ({
  id: contact.id,
  name: contact.name,
  phone: contact.phone === null ? null : `+${contact.phone}`,
  identities: contact.identities,
})

export const presentContact = (contact: ContactRow) => ({
  object: 'contact' as const,
  ...presentChatContact(contact),
  marketing_opt_outs: contact.marketing_wishes.flatMap(({ number_id, at, is_stopped }) =>
    is_stopped ? [{ number_id, at }] : [],
  ),
  created_at: contact.created_at.toISOString(),
  updated_at: contact.updated_at.toISOString(),
})

const windowClosesAt = (lastInboundAt: Date | null): Date | null =>
  lastInboundAt === null ? null : new Date(lastInboundAt.getTime() + WINDOW_MS)

/** Whether only a template would reach the customer. */
export const isWindowClosed = (lastInboundAt: Date | null, nowMs: number): boolean =>
  (windowClosesAt(lastInboundAt)?.getTime() ?? 0) <= nowMs

function presentWindow(lastInboundAt: Date | null, hasReplyWindow: boolean, nowMs: number): ChatView['reply_window'] {
  if (!hasReplyWindow) return { state: 'unlimited', closes_at: null }
  const state = isWindowClosed(lastInboundAt, nowMs) ? 'closed' : 'open'
  return { state, closes_at: windowClosesAt(lastInboundAt)?.toISOString() ?? null }
}

const lastMessageOf = (row: ChatRow): ChatView['last_message'] =>
  row.last_message === null
    ? null
    : {
        id: row.last_message.id,
        direction: row.last_message.direction,
        type: row.last_message.type,
        preview: previewOf(row.last_message),
        status: row.last_message.status,
        at: row.last_message.at,
      }

export const presentChat = (row: ChatRow, number: NumberEntry, nowMs: number): ChatView => ({
  object: 'chat',
  id: row.id,
  contact: presentChatContact(row.contact),
  number: { id: number.id, phone_number_id: number.phoneNumberId, display_phone: number.displayPhone },
  status: row.status,
  unread_count: row.unread_count,
  labels: row.labels,
  assignee: row.assignee,
  last_message: lastMessageOf(row),
  reply_window: presentWindow(row.last_inbound_at, number.traits.hasReplyWindow, nowMs),
  open_order: row.open_order,
  last_activity_at: row.last_activity_at.toISOString(),
  created_at: row.created_at.toISOString(),
})

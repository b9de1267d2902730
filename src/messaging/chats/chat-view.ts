import type { NumberDirectory, NumberEntry } from '../../channels/numbers/numbers.ts'
import type { EventActor, EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import { presentChatContact } from '../contacts/contacts.ts'
import { previewOf } from '../messages/messages.ts'
import { chatCreated, chatUpdated } from '../messaging.events.ts'
import type { ChatView } from './chats.schemas.ts'
import type { ChatRow } from './chats.sql.ts'

const WINDOW_MS = 24 * 3600 * 1000

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

/** What recording an event of a chat needs: its data is the chat as the API shows it. */
export type ChatEventContext = { directory: NumberDirectory; clock: Clock; events: EventBuffer }

export type ChatNews = {
  previous?: Record<string, unknown>
  actor?: EventActor
  requestId?: Id<'req'> | null
}

/** Every chat is on a number of its organization, which stays known when it is disconnected. */
export async function numberOfChat(directory: NumberDirectory, chat: ChatRow): Promise<NumberEntry> {
  const number = await directory.find(chat.org_id, chat.number_id)
  if (number === null) throw new Error(`chat ${chat.id} is on number ${chat.number_id}, which is not there`)
  return number
}

async function recordChatEvent(
  type: typeof chatCreated,
  { directory, clock, events }: ChatEventContext,
  chat: ChatRow,
  news: ChatNews,
) {
  const data = presentChat(chat, await numberOfChat(directory, chat), clock.now())
  events.add(chat.org_id, { type, subject: chat.id, data, ...news })
}

export const recordChatCreated = (context: ChatEventContext, chat: ChatRow, news: ChatNews = {}): Promise<void> =>
  recordChatEvent(chatCreated, context, chat, news)

export const recordChatUpdated = (context: ChatEventContext, chat: ChatRow, news: ChatNews = {}): Promise<void> =>
  recordChatEvent(chatUpdated, context, chat, news)

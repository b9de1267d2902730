import type { EventActor } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import type { ContactRow } from '../contacts/contacts.sql.ts'
import type { EventBuffer } from '../event-buffer.ts'
import { chatCreated, chatUpdated, contactUpdated } from '../messaging.events.ts'
import type { NumberDirectory, NumberEntry } from '../number-directory.ts'
import { presentChat, presentContact } from './chat-view.ts'
import type { ChatRow } from './chats.sql.ts'

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

export const contactChanged = (contact: ContactRow) => ({
  type: contactUpdated,
  subject: contact.id,
  data: presentContact(contact),
})

import { nearestName } from '../../kernel/text.ts'
import type { JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { refusedName, type ToolResult } from './tool-results.ts'

/**
 * A chat by the name of its customer. One name that fits is enough; where several fit, or only similar ones, the answer lists
 * them with their ids and opens none: names are chosen by customers, and the wrong chat must not be read by accident.
 */
export type ListChats = (query: { q?: string; limit: number }) => Promise<{ chats: Chat[] } | { refusal: ToolResult }>

export type Chat = JsonObject & {
  object: string
  id: string
  contact: { id: string; name: string | null; phone: string | null }
}

const FOUND_MAX = 20
const RECENT_MAX = 100
const SHOWN_MAX = 5

/** True for text that is no id, phone, @username or user id of the network; these find a chat by its own route. */
export const isName = (text: unknown): text is string =>
  typeof text === 'string' && /\p{L}/u.test(text) && !/^\s*(?:(?:chat|con)_|@|[A-Z]{2}\.)/.test(text)

export async function findChatByName(
  list: ListChats,
  name: string,
): Promise<{ chatId: string } | { refusal: ToolResult }> {
  const found = await list({ q: name, limit: FOUND_MAX })
  if ('refusal' in found) return found
  const wanted = plain(name)
  const fitting = ofDistinctPeople(found.chats.filter((chat) => plain(chat.contact.name).includes(wanted)))
  const exact = fitting.filter((chat) => plain(chat.contact.name) === wanted)
  const [only, ...others] = exact.length > 0 ? exact : fitting
  if (only !== undefined && others.length === 0) return { chatId: only.id }
  if (only !== undefined)
    return { refusal: refusedName('chat_ambiguous', SEVERAL(name), suggestions([only, ...others])) }
  const recent = await list({ limit: RECENT_MAX })
  if ('refusal' in recent) return recent
  const similar = ofDistinctPeople(recent.chats.filter((chat) => isSimilar(wanted, plain(chat.contact.name))))
  return { refusal: refusedName('chat_not_found', NONE(name, similar.length > 0), suggestions(similar)) }
}

const SEVERAL = (name: string) =>
  `Several customers are called "${name}". Did you mean one of these? Call again with its id.`
const NONE = (name: string, isNear: boolean) =>
  `No customer is called "${name}".${isNear ? ' Did you mean one of these? Call again with its id.' : ' Look with list_chats.'}`

const plain = (name: string | null) => (name ?? '').normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()

const isSimilar = (wanted: string, name: string) => nearestName(wanted, [name, ...name.split(' ')]) !== null

/** The most recently active chat of each; lists are in that order. */
const ofDistinctPeople = (chats: Chat[]): Chat[] =>
  chats.filter((chat, at) => chats.findIndex((other) => other.contact.id === chat.contact.id) === at)

const suggestions = (chats: Chat[]): JsonObject[] =>
  chats.slice(0, SHOWN_MAX).map(({ object, id, contact }) => ({ object, id, contact }))

import { isRecord } from '../../kernel/records.ts'
import { soundText } from '../../kernel/text.ts'

/**
 * Text that a customer can choose, as an agent sees it before it has read the conversation. A name or a username is shown in part
 * and without invisible characters: enough to recognize a person, too little for instructions. The last message of a chat, the
 * note of an order and the contents of a cart are left out for anchored agents. The full text is in the answers that count as
 * reading (agent-gate.ts), and those anchor the session.
 *
 * What is shortened depends on `object`, wherever the object lies: in a list, in an answer to a change, in the result of an
 * approval. Text of an order counts even where the shop wrote it, because it may repeat what a customer asked for.
 */
type Json = Record<string, unknown>

export const UNREAD_CHARACTERS_MAX = 40
const UNREAD = '…'

/** Bidi, zero-width and tag characters, variation selectors: all that hides or reorders text. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]+/gu
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

const shorten = (text: unknown): unknown =>
  typeof text === 'string'
    ? soundText(text.replaceAll(INVISIBLE, '').replaceAll(BREAKS, ' ').trim(), UNREAD_CHARACTERS_MAX)
    : text

/**
 * How much is left out. `names`: names are shortened, in an answer that repeats what the agent wrote. `texts`: the texts of orders
 * as well. `words`: what customers wrote is left out altogether.
 */
type Hidden = 'names' | 'texts' | 'words'

export function hideUnread(value: unknown, hidden: Hidden): unknown {
  if (Array.isArray(value)) return value.map((item) => hideUnread(item, hidden))
  if (!isRecord(value)) return value
  const inner = mapMembers(value, (member, name) => {
    const shown = hideUnread(member, hidden)
    return PEOPLE.includes(name) && isRecord(shown) ? shortenPerson(shown) : shown
  })
  const named = shortenNames(inner)
  if (hidden === 'names') return named
  const shortened = shortenTexts(named)
  return hidden === 'words' ? withoutWords(shortened) : shortened
}

/** Members under which a customer is shown. */
const PEOPLE = ['contact', 'customer']

const mapMembers = (thing: Json, change: (member: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(thing).map(([name, member]) => [name, change(member, name)]))

const shortenNamed = (thing: Json, names: readonly string[]): Json =>
  mapMembers(thing, (member, name) => (names.includes(name) ? shorten(member) : member))

const shortenMembers = (value: unknown, names: readonly string[]): unknown =>
  isRecord(value) ? shortenNamed(value, names) : value

function shortenNames(thing: Json): Json {
  if (thing.object === 'contact') return shortenPerson(thing)
  const { object, virtual_account: account } = thing
  return object === 'payment' ? { ...thing, virtual_account: shortenMembers(account, ['name']) } : thing
}

function shortenTexts(thing: Json): Json {
  if (thing.object === 'refund') return shortenNamed(thing, ['reason', 'note'])
  return thing.object === 'order' ? shortenOrder(thing) : thing
}

function shortenPerson(person: Json): Json {
  const { identities } = person
  const shown = { ...person, name: shorten(person.name) }
  return Array.isArray(identities) ? { ...shown, identities: identities.map(shortenIdentity) } : shown
}

/** Phones and user ids are given out by the network. */
const shortenIdentity = (identity: unknown): unknown =>
  isRecord(identity) && identity.type === 'username' ? shortenMembers(identity, ['value']) : identity

function shortenOrder(order: Json): Json {
  const { items, metadata } = order
  return {
    ...order,
    reference: shorten(order.reference),
    ...(Array.isArray(items) && { items: items.map((item) => shortenMembers(item, ['name', 'sku'])) }),
    ...(isRecord(metadata) && { metadata: mapMembers(metadata, shorten) }),
  }
}

function withoutWords(thing: Json): Json {
  if (thing.object === 'order') return withoutNote(thing)
  return thing.object === 'chat' ? withoutPreview(thing) : thing
}

/** The contents of a cart are what the customer's phone says; a person has looked once there is a way to pay it. */
function withoutNote(order: Json): Json {
  const noted = typeof order.note === 'string' ? { ...order, note: UNREAD } : order
  if (order.status !== 'draft' || !Array.isArray(order.items)) return noted
  const items = order.items.map((item: Json) => ({ ...item, name: UNREAD, sku: item.sku && UNREAD }))
  return { ...noted, items }
}

function withoutPreview(chat: Json): Json {
  const last = chat.last_message
  return isRecord(last) && last.direction === 'inbound' ? { ...chat, last_message: { ...last, preview: UNREAD } } : chat
}

/**
 * Whether text of a customer is here that names no chat it belongs to: on an order of a web shop, in an event about a contact, and
 * in what an endpoint answered, which may repeat the text of any customer.
 */
export function hasUnplacedText(thing: Json): boolean {
  const { object, chat_id: chatId, response_body: answered } = thing
  if (object === 'webhook_attempt') return typeof answered === 'string' && answered !== ''
  const isUnplaced = object === 'contact' || (object === 'order' && chatId === null)
  return isUnplaced && JSON.stringify(hideUnread(thing, 'words')) !== JSON.stringify(thing)
}

import { messageOf } from '../../../kernel/errors.ts'
import { soundText } from '../../../kernel/text.ts'
import type {
  CartContent,
  ContactCard,
  InteractiveContent,
  LocationContent,
  MediaReference,
  MediaType,
  MessageContent,
  UnsupportedContent,
} from '../../content/content.ts'
import { required } from './inbound-people.ts'
import {
  compact,
  idOf,
  type Json,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
} from './json-reading.ts'

/**
 * What an inbound message carries, in our form. An unknown kind, or a known one that cannot be made sense of, becomes
 * `unsupported`: a customer wrote, and that must show, even where what they wrote cannot.
 */
export type InboundContent = {
  content: MessageContent
  providerMediaId: string | null
  reactsToProviderId: string | null
}

const plain = (content: MessageContent): InboundContent => ({
  content,
  providerMediaId: null,
  reactsToProviderId: null,
})

export function readContent(message: JsonObject): InboundContent {
  const type = textOf(message.type) ?? 'unknown'
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (read === undefined) return plain(unsupported(type, message))
  try {
    return read(message, type)
  } catch (error) {
    return plain(unsupported(type, message, messageOf(error)))
  }
}

/** What the network says about it tells more than what we miss. */
function unsupported(type: string, message: JsonObject, found: string | null = null): MessageContent {
  const error = objectOf(listOf(message.errors)[0])
  const said = textOf(objectOf(error?.error_data)?.details) ?? textOf(error?.title) ?? textOf(error?.message)
  const kind = wordOf(objectOf(message.unsupported)?.type) ?? wordOf(type) ?? ''
  const unsupported = { type: kind, detail: said ?? found, provider_code: idOf(error?.code) }
  return { type: 'unsupported', unsupported: compact(unsupported) as UnsupportedContent }
}

type Reader = (message: JsonObject, type: string) => InboundContent

const payloadOf = (message: JsonObject, type: string): JsonObject =>
  required(objectOf(message[type]), `the ${type} of the message`)

const readText: Reader = (message) =>
  plain({ type: 'text', body: required(textOf(payloadOf(message, 'text').body), 'the text') })

const readMedia: Reader = (message, type) => {
  const payload = payloadOf(message, type)
  const providerMediaId = idOf(payload.id)
  // Files beyond what the network hands out come with an error in place of an id.
  if (providerMediaId === null) return plain(unsupported(type, message))
  const media = compact({
    mime_type: wordOf(payload.mime_type),
    sha256: hexOf(payload.sha256),
    filename: textOf(payload.filename),
    voice: payload.voice === true ? true : undefined,
    animated: payload.animated === true ? true : undefined,
  }) as MediaReference
  const caption = textOf(payload.caption)
  return {
    content: { type: type as MediaType, ...(caption !== null && { body: caption }), media },
    providerMediaId,
    reactsToProviderId: null,
  }
}

/** Base 64 in webhooks, hexadecimal with us. */
const hexOf = (value: unknown): string | null => {
  const text = textOf(value)
  if (text === null || /^[0-9a-f]{64}$/i.test(text)) return text?.toLowerCase() ?? null
  const bytes = Buffer.from(text, 'base64')
  return bytes.byteLength === 32 ? bytes.toString('hex') : null
}

const readLocation: Reader = (message) => {
  const { latitude, longitude, name, address, url } = payloadOf(message, 'location')
  const location = {
    latitude: required(numberOf(latitude), 'the latitude'),
    longitude: required(numberOf(longitude), 'the longitude'),
    name: textOf(name),
    address: textOf(address),
    url: textOf(url),
  }
  return plain({ type: 'location', location: compact(location) as LocationContent })
}

const readContacts: Reader = (message) => {
  const cards = objectsOf(message.contacts)
  if (cards.length === 0) throw new Error('the message holds no contact')
  return plain({ type: 'contacts', contacts: cards.slice(0, LIST_MAX).map(readCard) })
}

const readInteractive: Reader = (message) => {
  const interactive = payloadOf(message, 'interactive')
  const type = required(textOf(interactive.type), 'the kind of reply')
  const reply = objectOf(interactive[type])
  const shown = textOf(reply?.title) ?? textOf(reply?.body)
  return plain({
    type: 'interactive',
    ...(shown !== null && { body: shown }),
    interactive: openObject(interactive, type) as InteractiveContent,
  })
}

/** A tap on the quick reply of a template. */
const readButton: Reader = (message) => {
  const { payload, text } = payloadOf(message, 'button')
  const shown = textOf(text)
  const button = compact({ payload: textOf(payload), text: shown })
  return plain({ type: 'interactive', ...(shown !== null && { body: shown }), interactive: { type: 'button', button } })
}

/** Of several code points, but one sign. */
const EMOJI_MAX = 64
const CURRENCY_MAX = 10

/** Without an emoji it takes the reaction back. */
const readReaction: Reader = (message) => {
  const { message_id, emoji } = payloadOf(message, 'reaction')
  return {
    content: { type: 'reaction', reaction: { message_id: null, emoji: wordOf(emoji, EMOJI_MAX) ?? '' } },
    providerMediaId: null,
    reactsToProviderId: required(idOf(message_id), 'the message that is reacted to'),
  }
}

const readOrder: Reader = (message) => {
  const order = payloadOf(message, 'order')
  const [catalogId, text] = [idOf(order.catalog_id), textOf(order.text)]
  const cart: CartContent = {
    ...(catalogId !== null && { catalog_id: catalogId }),
    ...(text !== null && text !== '' && { text }),
    product_items: listOf(order.product_items)
      .slice(0, LIST_MAX)
      .flatMap((item) => readCartItem(objectOf(item))),
  }
  return plain({ type: 'order', ...(cart.text !== undefined && { body: cart.text }), order: cart })
}

function readCartItem(item: JsonObject | null): CartContent['product_items'] {
  const sku = idOf(item?.product_retailer_id)
  if (item === null || sku === null) return []
  return [
    {
      product_retailer_id: sku,
      quantity: numberOf(item.quantity) ?? 1,
      item_price: numberOf(item.item_price) ?? 0,
      currency: wordOf(item.currency, CURRENCY_MAX) ?? '',
    },
  ]
}

const readSystem: Reader = (message) => {
  const system = payloadOf(message, 'system')
  const body = textOf(system.body)
  return plain({
    type: 'system',
    ...(body !== null && { body }),
    system: openObject(system, textOf(system.type) ?? 'unknown'),
  })
}

const READERS: Record<string, Reader> = {
  text: readText,
  image: readMedia,
  video: readMedia,
  audio: readMedia,
  document: readMedia,
  sticker: readMedia,
  location: readLocation,
  contacts: readContacts,
  interactive: readInteractive,
  button: readButton,
  reaction: readReaction,
  order: readOrder,
  system: readSystem,
}

/**
 * As much of what a network says as our description promises to show. Longer texts are cut when they are read
 * (json-reading.ts); here are the words that name something, lists, and objects that are handed on as they came.
 */
const LIST_MAX = 1000
const WORD_MAX = 200
const MEMBERS_MAX = 50

const wordOf = (value: Json, charactersMax = WORD_MAX): string | null => {
  const text = textOf(value)
  return text === null ? null : soundText(text, charactersMax)
}

/** Its `type` is there whatever else is; others only as many as are shown. */
const openObject = (value: JsonObject, type: string): JsonObject & { type: string } => ({
  ...Object.fromEntries(Object.entries(value).slice(0, MEMBERS_MAX - 1)),
  type: soundText(type, WORD_MAX),
})

const textsOf = <Name extends string>(value: Json, ...names: Name[]): Partial<Record<Name, string>> => {
  const object = objectOf(value) ?? {}
  return compact(Object.fromEntries(names.map((name) => [name, textOf(object[name])]))) as never
}

const listed = <Name extends string>(value: Json, ...names: Name[]) =>
  Array.isArray(value)
    ? objectsOf(value)
        .slice(0, LIST_MAX)
        .map((item) => textsOf(item, ...names))
    : null

const NAMES = ['formatted_name', 'first_name', 'last_name', 'middle_name', 'prefix', 'suffix'] as const

/** A card may hold anything: what is no text of a known name is left out, and a name to show is always there. */
function readCard(card: JsonObject): ContactCard {
  const name = textsOf(card.name, ...NAMES)
  const phone = textOf(objectOf(listOf(card.phones)[0])?.phone)
  const org = objectOf(card.org)
  return compact({
    name: { ...name, formatted_name: name.formatted_name ?? name.first_name ?? phone ?? '' },
    phones: listed(card.phones, 'phone', 'type', 'wa_id'),
    emails: listed(card.emails, 'email', 'type'),
    addresses: listed(card.addresses, 'street', 'city', 'state', 'zip', 'country', 'country_code', 'type'),
    org: org === null ? null : textsOf(org, 'company', 'department', 'title'),
    urls: listed(card.urls, 'url', 'type'),
    birthday: textOf(card.birthday),
    vcard: textOf(card.vcard),
    origin: wordOf(card.origin),
  }) as ContactCard
}

import { soundText } from '../../../kernel/sound-text.ts'
import type { ContactCard } from '../../content/message-content.ts'
import { compact, type Json, type JsonObject, listOf, objectOf, objectsOf, textOf } from './json-reading.ts'

/**
 * As much of what a network says as our description promises to show. Longer texts are cut when they are read
 * (json-reading.ts); here are the words that name something, lists, and objects that are handed on as they came.
 */
export const LIST_MAX = 1000
const WORD_MAX = 200
const MEMBERS_MAX = 50

export const wordOf = (value: Json, charactersMax = WORD_MAX): string | null => {
  const text = textOf(value)
  return text === null ? null : soundText(text, charactersMax)
}

/** Its `type` is there whatever else is; others only as many as are shown. */
export const openObject = (value: JsonObject, type: string): JsonObject & { type: string } => ({
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
export function readCard(card: JsonObject): ContactCard {
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

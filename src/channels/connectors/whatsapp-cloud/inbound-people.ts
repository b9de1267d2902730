import type { ChannelPerson, ChannelReport, ReportedPerson, ReportedTime } from '../../channel-connector.ts'
import { digitsOf, idOf, type Json, type JsonObject, objectOf, objectsOf, textOf, timeOf } from './json-reading.ts'

/** Reads one item of a batch, with the contacts that came beside it. Throws, with a sentence, what it cannot read. */
export type ItemReader = (item: JsonObject, contacts: ContactBook) => ItemReport[]

/** A report before the place it came from is added. */
export type ItemReport = WithoutPlace<ChannelReport>

type WithoutPlace<Report> = Report extends ChannelReport ? Omit<Report, 'phoneNumberId' | 'raw'> : never

export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`${what} is missing or makes no sense`)
  return value
}

/**
 * Who a message or a status is about. Since usernames exist, a phone number may be missing anywhere, and names stand in a
 * list of contacts beside the messages, to be matched by whichever id both have.
 */
export type PersonIds = { phone: string | null; userId: string | null; parentUserId: string | null }

/** The contacts of one change, found by id: there may be thousands, and as many messages that look for theirs. */
export type ContactBook = (ids: PersonIds) => JsonObject | null

export function createContactBook(contacts: readonly Json[]): ContactBook {
  const known = objectsOf(contacts)
  const byUserId = firstPlaces(known.map((contact) => idOf(contact.user_id)))
  const byPhone = firstPlaces(known.map((contact) => digitsOf(contact.wa_id)))
  const [only] = known
  return (ids) => {
    const places = [byUserId.get(ids.userId ?? ''), byPhone.get(ids.phone ?? '')].filter((place) => place !== undefined)
    if (places.length > 0) return known[Math.min(...places)] ?? null
    return known.length === 1 && only !== undefined && !contradicts(ids, only) ? only : null
  }
}

function firstPlaces(ids: readonly (string | null)[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const [place, id] of ids.entries()) if (id !== null && !places.has(id)) places.set(id, place)
  return places
}

export function readPerson(ids: PersonIds, findContact: ContactBook): ReportedPerson {
  const contact = findContact(ids)
  const profile = objectOf(contact?.profile)
  return {
    phone: ids.phone ?? digitsOf(contact?.wa_id),
    userId: ids.userId ?? idOf(contact?.user_id),
    parentUserId: ids.parentUserId ?? idOf(contact?.parent_user_id),
    username: usernameOf(profile),
    name: nameOf(profile),
  }
}

/** The only contact is meant, unless it names the same kind of id with another value. */
function contradicts(ids: PersonIds, contact: JsonObject): boolean {
  const [phone, userId] = [digitsOf(contact.wa_id), idOf(contact.user_id)]
  return (
    (ids.phone !== null && phone !== null && phone !== ids.phone) ||
    (ids.userId !== null && userId !== null && userId !== ids.userId)
  )
}

const NAME_CHARACTERS_MAX = 200

export const nameOf = (profile: JsonObject | null): string | null => {
  const name = textOf(profile?.name)?.trim() ?? ''
  return name === '' ? null : [...name].slice(0, NAME_CHARACTERS_MAX).join('')
}

/** Without the at sign. */
const usernameOf = (profile: JsonObject | null): string | null => {
  const username = idOf(profile?.username)?.trim().replace(/^@/, '') ?? ''
  return username === '' ? null : username
}

/**
 * One person with another number or id. It is reported in two ways: by a system message in the chat, whose sender, where it
 * has one, is the person as they were; and by a separate webhook field.
 */
const SYSTEM_TYPES = ['user_changed_number', 'user_changed_user_id']

export function isIdentityChange(message: JsonObject): boolean {
  const type = textOf(objectOf(message.system)?.type)
  return message.type === 'system' && type !== null && SYSTEM_TYPES.includes(type)
}

export function readSystemIdentity(
  message: JsonObject,
  contacts: ContactBook,
): Extract<ItemReport, { kind: 'identity' }> {
  const system = objectOf(message.system) ?? {}
  const body = readBody(textOf(system.body))
  const before = {
    phone: digitsOf(message.from) ?? digitsOf(system.customer) ?? body.before.phone,
    userId: idOf(message.from_user_id) ?? idOf(system.previous_user_id) ?? body.before.userId,
  }
  const ids = {
    phone: digitsOf(system.wa_id) ?? digitsOf(system.new_wa_id) ?? body.after.phone,
    userId: idOf(system.user_id) ?? body.after.userId,
    parentUserId: idOf(system.parent_user_id),
  }
  const at = timeOf(message.timestamp)
  return identityReport({ providerId: idOf(message.id), before, after: readPerson(ids, contacts), at })
}

/** "User Sari changed from 62812… to 62813…": the only place that names both, when the sender is left out. */
function readBody(body: string | null): { before: ChannelPerson; after: ChannelPerson } {
  const match = /\bfrom (\S{5,150}) to (\S{5,150})$/.exec(body?.trim() ?? '')
  return { before: readId(match?.[1]), after: readId(match?.[2]) }
}

const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/

const readId = (text: string | undefined): ChannelPerson => ({
  phone: digitsOf(text),
  userId: text !== undefined && USER_ID.test(text) ? text : null,
})

export const readIdentityUpdates: ItemReader = (update, contacts) => {
  const userIds = objectOf(update.user_id)
  const parentIds = objectOf(update.parent_user_id)
  const phone = digitsOf(update.wa_id)
  const ids = {
    phone,
    userId: idOf(userIds?.current) ?? idOf(update.user_id),
    parentUserId: idOf(parentIds?.current) ?? idOf(update.parent_user_id),
  }
  const before = { phone, userId: idOf(userIds?.previous) ?? idOf(update.previous_user_id) }
  const at = timeOf(update.timestamp)
  return [identityReport({ providerId: null, before, after: readPerson(ids, contacts), at })]
}

type Change = { providerId: string | null; before: ChannelPerson; after: ReportedPerson; at: ReportedTime }

function identityReport(change: Change): Extract<ItemReport, { kind: 'identity' }> {
  const isNamed = ({ phone, userId }: ChannelPerson) => phone !== null || userId !== null
  if (!isNamed(change.before) || !isNamed(change.after)) throw new Error('the change does not say of whom, or to what')
  return { kind: 'identity', ...change }
}

import type { ReportedPerson } from '../../channel-connector.ts'
import { digitsOf, idOf, type Json, type JsonObject, objectOf, objectsOf, textOf } from './json-reading.ts'

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
    if (places.length > 0) return known[Math.min(...places)] as JsonObject
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

const nameOf = (profile: JsonObject | null): string | null => {
  const name = textOf(profile?.name)?.trim() ?? ''
  return name === '' ? null : [...name].slice(0, NAME_CHARACTERS_MAX).join('')
}

/** Without the at sign. */
const usernameOf = (profile: JsonObject | null): string | null => {
  const username = idOf(profile?.username)?.trim().replace(/^@/, '') ?? ''
  return username === '' ? null : username
}

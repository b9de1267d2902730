import type { ReportedPerson } from '../../channel-connector.ts'
import { digitsOf, idOf, type Json, type JsonObject, objectOf, objectsOf, textOf } from './json-reading.ts'

/**
 * Who a message or a status is about. Since usernames exist, a phone number may be missing anywhere, and names stand in a
 * list of contacts beside the messages, to be matched by whichever id both have.
 */
export type PersonIds = { phone: string | null; userId: string | null; parentUserId: string | null }

export function readPerson(ids: PersonIds, contacts: readonly Json[]): ReportedPerson {
  const contact = contactOf(ids, contacts)
  const profile = objectOf(contact?.profile)
  return {
    phone: ids.phone ?? digitsOf(contact?.wa_id),
    userId: ids.userId ?? idOf(contact?.user_id),
    parentUserId: ids.parentUserId ?? idOf(contact?.parent_user_id),
    username: usernameOf(profile),
    name: nameOf(profile),
  }
}

function contactOf(ids: PersonIds, contacts: readonly Json[]): JsonObject | null {
  const known = objectsOf(contacts)
  const matching = known.find(
    (contact) =>
      (ids.userId !== null && idOf(contact.user_id) === ids.userId) ||
      (ids.phone !== null && digitsOf(contact.wa_id) === ids.phone),
  )
  if (matching !== undefined) return matching
  const [only] = known
  return known.length === 1 && only !== undefined && !contradicts(ids, only) ? only : null
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

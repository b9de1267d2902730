import type { z } from 'zod'
import type { ChannelPerson, ReportedPerson } from '../../channels/channel-connector.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { itemAt } from '../../kernel/lists.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { cleanText } from '../../platform/database/stored-json.ts'
import { parseReportedPhone, phoneVariants } from '../../platform/phone/phone-numbers.ts'
import { contactUpdated } from '../messaging.events.ts'
import { vectorOf, wordsOfContact } from '../search/search.ts'
import type { ChatContact } from './contacts.schemas.ts'
import {
  type ContactRow,
  findContact,
  type HeldIdentity,
  type Identity,
  insertContacts,
  listHeldIdentities,
  listIdentities,
  lockContacts,
  lockNames,
  replaceSyncedName,
  setNameGiven,
  updateContact,
  upsertIdentity,
} from './contacts.sql.ts'

/**
 * A person as the network reports one: a phone, a business-scoped user id, a username. Each of these is an identity, and an
 * identity belongs to one contact. A phone is looked for in all forms in which the network may report it (Brazil's ninth
 * digit, Mexico's 1), and the form that was reported is linked too. A username never links two people: its owner can give it
 * up, another person can take it, and then it moves.
 */
export type Person = {
  phone: string | null
  userId: string | null
  username: string | null
  name: string | null
  /** Of a group, which is known by nothing else. */
  groupId?: string | null
}

const NAME_LENGTH_MAX = 500
const VALUE_LENGTH_MAX = 200

/** What the network reports about a person, cleaned. An invalid phone counts as missing. */
export function personOf(reported: ChannelPerson & Partial<ReportedPerson>): Person {
  return {
    phone: reported.phone === null ? null : (parseReportedPhone(reported.phone)?.digits ?? null),
    userId: reported.userId === null ? null : cleanText(reported.userId).slice(0, VALUE_LENGTH_MAX),
    username: usernameOf(reported.username),
    name:
      cleanText(reported.name ?? '')
        .trim()
        .slice(0, NAME_LENGTH_MAX) || null,
  }
}

export const usernameOf = (text: string | null | undefined): string | null =>
  cleanText(text ?? '')
    .trim()
    .replace(/^@/, '')
    .toLowerCase()
    .slice(0, VALUE_LENGTH_MAX) || null

/** A group as the other side of a chat. */
export const groupOf = (groupId: string, name: string | null): Person => ({
  ...{ phone: null, userId: null, username: null },
  ...{ groupId: cleanText(groupId).slice(0, VALUE_LENGTH_MAX), name },
})

export const isGroup = ({ identities }: Pick<ContactRow, 'identities'>): boolean =>
  identities.some(({ type }) => type === 'group_id')

/** The identities of a person, as they are stored. */
export const identitiesOf = ({ phone, userId, username, groupId = null }: Person): Identity[] => [
  ...(phone === null ? [] : [{ kind: 'phone' as const, value: phone }]),
  ...(userId === null ? [] : [{ kind: 'user_id' as const, value: userId }]),
  ...(username === null ? [] : [{ kind: 'username' as const, value: username }]),
  ...(groupId === null ? [] : [{ kind: 'group_id' as const, value: groupId }]),
]

/** The identities of a person, with the other forms of the phone under which the same person may be known. */
export const lookedFor = (person: Person): Identity[] => [
  ...identitiesOf(person),
  ...(person.phone === null ? [] : phoneVariants(person.phone).slice(1)).map((value) => ({
    kind: 'phone' as const,
    value,
  })),
]

export const phoneIdentities = (digits: string): Identity[] =>
  phoneVariants(digits).map((value) => ({ kind: 'phone' as const, value }))

/** All forms of a phone share one lock. */
const lockNamesOf = (orgId: OrgId, person: Person): string[] =>
  identitiesOf(person).map(({ kind, value }) => {
    const form = kind === 'phone' ? (phoneVariants(value).toSorted()[0] as string) : value
    return `contact ${orgId} ${kind} ${form}`
  })

/** Locks the names of people, all at once, before they are created or changed. */
export async function lockPeople(tx: Tx, people: readonly { orgId: OrgId; person: Person }[]): Promise<void> {
  const names = people.flatMap(({ orgId, person }) => lockNamesOf(orgId, person))
  if (names.length > 0) await lockNames(tx, names)
}

/**
 * Locks the contacts of these ids, so that no other transaction merges them. For one that was merged meanwhile, the contact
 * it was merged into is returned.
 */
export async function lockPersons(tx: Tx, orgId: OrgId, ids: readonly Id<'con'>[]): Promise<ContactRow[]> {
  const contacts = await lockContacts(tx, orgId, ids)
  if (contacts.every(({ merged_into }) => merged_into === null)) return contacts
  return lockPersons(tx, orgId, [...new Set(contacts.map(({ id, merged_into }) => merged_into ?? id))])
}

/** Contact ids that prove it is the same person: all but the username's. */
export const holdersOf = (held: readonly HeldIdentity[]): Id<'con'>[] =>
  [...new Set(held.filter(({ kind }) => kind !== 'username').map(({ contact_id }) => contact_id))].toSorted()

/** Finds a contact by id; for a merged contact, the one it was merged into. */
export async function findContactById(queries: Queries, orgId: OrgId, id: string): Promise<ContactRow | null> {
  const contact = await findContact(queries, orgId, id)
  return contact === null || contact.merged_into === null ? contact : findContact(queries, orgId, contact.merged_into)
}

/** The contact of the first of these identities that is known. */
export async function findHolder(
  queries: Queries,
  orgId: OrgId,
  identities: readonly Identity[],
): Promise<Id<'con'> | null> {
  const held = await listHeldIdentities(queries, orgId, identities)
  const found = identities.map(({ kind, value }) => held.find((one) => one.kind === kind && one.value === value))
  return found.find((one) => one !== undefined)?.contact_id ?? null
}

/** Whether a contact has all identities of the person, so that there is nothing to link. */
export const isNamed = ({ identities }: Pick<ContactRow, 'identities'>, person: Person): boolean =>
  identitiesOf({ ...person, username: null }).every(({ kind, value }) => {
    const shown = kind === 'phone' ? `+${value}` : value
    return identities.some((identity) => identity.type === kind && identity.value === shown)
  })

/** Finds or creates the contacts of recipients, under the locks of `lockPeople`. Known contacts stay unchanged. */
export async function ensureContacts(tx: Tx, orgId: OrgId, people: readonly Person[], now: Date): Promise<Id<'con'>[]> {
  const nameOf = ({ kind, value }: Identity) => `${kind} ${value}`
  const wanted = people.map((person) => lookedFor(person).map(nameOf))
  const held = await listHeldIdentities(tx, orgId, people.flatMap(lookedFor))
  const known = new Set(held.map(nameOf))
  const newPeople = people.filter((person, nth) => {
    const names = itemAt(wanted, nth)
    if (names.some((name) => known.has(name))) return false
    // The same person again, in this form or another, is not new any more.
    for (const name of identitiesOf(person).map(nameOf)) known.add(name)
    return true
  })
  const created = newPeople.length === 0 ? [] : await createContacts(tx, orgId, newPeople, now)
  const holders = new Map(held.map((one) => [nameOf(one), one.contact_id]))
  for (const [nth, { id }] of created.entries())
    for (const identity of identitiesOf(itemAt(newPeople, nth))) holders.set(nameOf(identity), id)
  return wanted.map((names) => holders.get(names.find((name) => holders.has(name)) as string) as Id<'con'>)
}

export async function createContact(tx: Tx, orgId: OrgId, person: Person, now: Date) {
  const [contact] = await createContacts(tx, orgId, [person], now)
  return { contact: contact as ContactRow, isNew: true, isChanged: false }
}

/** People who share none of what they are known by. */
async function createContacts(tx: Tx, orgId: OrgId, people: readonly Person[], now: Date): Promise<ContactRow[]> {
  const usernames = people.flatMap(identitiesOf).filter(({ kind }) => kind === 'username')
  const lost = usernames.length === 0 ? [] : await listHeldIdentities(tx, orgId, usernames)
  const contacts = people.map((person): ContactRow => {
    const known = { name: person.name, phone: person.phone, ...shownOf(identitiesOf(person)) }
    const times = { created_at: now, updated_at: now }
    return {
      org_id: orgId,
      id: newId('con', now.getTime()),
      ...known,
      ...times,
      marketing_wishes: [],
      is_name_given: false,
      merged_into: null,
    }
  })
  const rows = contacts.map((contact, nth) => {
    const known = identitiesOf(itemAt(people, nth))
    return { ...contact, known, words: vectorOf(wordsOf(orgId, contact.name, known)) }
  })
  await insertContacts(tx, orgId, rows, now)
  await refreshLosers(tx, orgId, lost, now)
  return contacts
}

/** A username that another contact had is taken from it. */
export async function linkIdentities(
  tx: Tx,
  orgId: OrgId,
  contactId: Id<'con'>,
  person: Person,
  now: Date,
): Promise<void> {
  const identities = identitiesOf(person)
  const lost = (await listHeldIdentities(tx, orgId, identities)).filter(({ contact_id }) => contact_id !== contactId)
  for (const identity of identities) await upsertIdentity(tx, orgId, { ...identity, contactId, now })
  await refreshLosers(tx, orgId, lost, now)
}

async function refreshLosers(tx: Tx, orgId: OrgId, lost: readonly HeldIdentity[], now: Date): Promise<void> {
  for (const { contact_id } of lost) {
    const other = await findContact(tx, orgId, contact_id)
    if (other !== null) await refreshContact(tx, orgId, other, null, now)
  }
}

const shownOf = (identities: readonly Identity[]): Pick<ContactRow, 'identities'> => ({
  identities: identities.map(({ kind, value }) => ({ type: kind, value: kind === 'phone' ? `+${value}` : value })),
})

function wordsOf(orgId: OrgId, name: string | null, identities: readonly Identity[]): string[] {
  const valuesOf = (wanted: Identity['kind']) =>
    identities.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  return wordsOfContact(orgId, { names: [name ?? '', ...valuesOf('username')], phones: valuesOf('phone') })
}

/** The contact's own row says again what its identities say. */
export async function refreshContact(
  tx: Tx,
  orgId: OrgId,
  contact: Pick<ContactRow, 'id' | 'name' | 'phone'>,
  shownPhone: string | null,
  now: Date,
): Promise<ContactRow> {
  const identities = await listIdentities(tx, orgId, contact.id)
  const phones = identities.filter(({ kind }) => kind === 'phone').map(({ value }) => value)
  const kept = phones.includes(contact.phone ?? '') ? contact.phone : (phones.at(-1) ?? null)
  return updateContact(tx, orgId, {
    id: contact.id,
    name: contact.name,
    phone: shownPhone ?? kept,
    ...shownOf(identities),
    words: vectorOf(wordsOf(orgId, contact.name, identities)),
    now,
  })
}

/**
 * The name of a contact, whose row is locked, in the address book of the business. It is the last word about the name until the
 * customer reports another one; removed there, it is removed here, unless the customer has reported another one since.
 */
export async function syncName(tx: Tx, orgId: OrgId, contact: ContactRow, name: string | null, now: Date) {
  const { before } = await replaceSyncedName(tx, orgId, { id: contact.id, name })
  const next = contact.is_name_given ? contact.name : (name ?? (contact.name === before ? null : contact.name))
  return next === contact.name ? contact : refreshContact(tx, orgId, { ...contact, name: next }, null, now)
}

/** The name that a contact, whose row is locked, has after the customer reported one. */
export const nameAfter = ({ name, is_name_given }: ContactRow, reported: string | null): string | null =>
  is_name_given ? name : (reported ?? name)

/** Gives a contact, whose row is locked, the name that the team knows it by. Null returns to what the customer reports next. */
export async function giveName(tx: Tx, orgId: OrgId, contact: ContactRow, name: string | null, now: Date) {
  await setNameGiven(tx, orgId, { id: contact.id, isGiven: name !== null })
  return refreshContact(tx, orgId, { ...contact, name }, null, now)
}

export type ShownContact = Pick<ContactRow, 'id' | 'name' | 'phone' | 'identities'>

export const presentChatContact = (contact: ShownContact): z.input<typeof ChatContact> => ({
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

export const contactChanged = (contact: ContactRow) => ({
  type: contactUpdated,
  subject: contact.id,
  data: presentContact(contact),
})

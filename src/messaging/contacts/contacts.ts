import type { ChannelPerson, ReportedPerson } from '../../channels/channel-connector.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { parseReportedPhone, phoneVariants } from '../../platform/phone/phone-numbers.ts'
import { listWrittenAfter } from '../chats/chats.sql.ts'
import { cleanText } from '../messages/stored-json.ts'
import { listHoldersOf } from '../receiving/applying.sql.ts'
import { mergeContacts } from './contact-merge.ts'
import {
  type ContactRow,
  deleteIdentities,
  findContact,
  type HeldIdentity,
  type Identity,
  insertContacts,
  listHeldIdentities,
  listIdentities,
  lockContacts,
  updateContact,
  upsertIdentity,
} from './contacts.sql.ts'
import { lockNames } from './name-locks.sql.ts'
import { vectorOf, wordsOfContact } from './search-words.ts'

/**
 * How people are resolved to contacts. A person is known by identities, each of which belongs to one contact:
 *
 *   no contact has any of them         a new contact
 *   one contact has some of them       the others are linked to it
 *   several contacts have them         they are one person: the oldest is kept, the others are merged into it
 *
 * A phone is looked for in all forms in which the network may report it (Brazil's ninth digit, Mexico's 1), and the form
 * that was reported is linked too. A username never links two people: its owner can give it up, another person can take it,
 * and then it moves.
 *
 * Two transactions may resolve the same new person at once, so a transaction that changes identities first locks each of
 * them, in sorted order, and looks again. When all is known and nothing changes, which is nearly always, no lock is taken.
 */
export type Person = { phone: string | null; userId: string | null; username: string | null; name: string | null }

export type Resolution = {
  contact: ContactRow
  isNew: boolean
  /** Whether a known contact changed. */
  isChanged: boolean
  /** Chats that are different now because contacts were merged. */
  changedChatIds: Id<'chat'>[]
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

/** The identities of a person, as they are stored. */
const identitiesOf = ({ phone, userId, username }: Person): Identity[] => [
  ...(phone === null ? [] : [{ kind: 'phone' as const, value: phone }]),
  ...(userId === null ? [] : [{ kind: 'user_id' as const, value: userId }]),
  ...(username === null ? [] : [{ kind: 'username' as const, value: username }]),
]

/** The identities of a person, with the other forms of the phone under which the same person may be known. */
export const lookedFor = (person: Person): Identity[] => [
  ...identitiesOf(person),
  ...(person.phone === null ? [] : phoneVariants(person.phone).slice(1)).map((value) => ({
    kind: 'phone' as const,
    value,
  })),
]

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

/** Contact ids that prove it is the same person: all but the username's. */
const holdersOf = (held: readonly HeldIdentity[]): Id<'con'>[] =>
  [...new Set(held.filter(({ kind }) => kind !== 'username').map(({ contact_id }) => contact_id))].toSorted()

export async function resolveContact(tx: Tx, orgId: OrgId, person: Person, now: Date): Promise<Resolution> {
  await lockPeople(tx, [{ orgId, person }])
  const holders = holdersOf(await listHeldIdentities(tx, orgId, lookedFor(person)))
  const [first] = holders
  if (first === undefined) return { ...(await createContact(tx, orgId, person, now)), changedChatIds: [] }
  return joinHolders(tx, orgId, [first, ...holders.slice(1)], { person, now })
}

/** The contact of each person whose reported details are all stored already, else null. Needs no lock. */
export async function findUnchanged(
  queries: Queries,
  orgId: OrgId,
  people: readonly Person[],
): Promise<(Resolution | null)[]> {
  const wanted = people.flatMap((person, position) => identitiesOf(person).map((one) => ({ ...one, position })))
  const holders = Map.groupBy(await listHoldersOf(queries, orgId, wanted), ({ position }) => position)
  return people.map((person, position) => unchangedOf(person, holders.get(position) ?? []))
}

function unchangedOf(person: Person, holders: readonly ContactRow[]): Resolution | null {
  const [contact] = holders
  if (contact === undefined || holders.length < identitiesOf(person).length) return null
  if (holders.some(({ id }) => id !== contact.id)) return null
  const isSame =
    (person.name === null || person.name === contact.name) && (person.phone === null || person.phone === contact.phone)
  return isSame ? { contact, isNew: false, isChanged: false, changedChatIds: [] } : null
}

/** Finds or creates the contacts of recipients, under the locks of `lockPeople`. Known contacts stay unchanged. */
export async function ensureContacts(tx: Tx, orgId: OrgId, people: readonly Person[], now: Date): Promise<Id<'con'>[]> {
  const nameOf = ({ kind, value }: Identity) => `${kind} ${value}`
  const wanted = people.map((person) => lookedFor(person).map(nameOf))
  const held = await listHeldIdentities(tx, orgId, people.flatMap(lookedFor))
  const known = new Set(held.map(nameOf))
  const newPeople = people.filter((person, nth) => {
    const names = wanted[nth] as string[]
    if (names.some((name) => known.has(name))) return false
    // The same person again, in this form or another, is not new any more.
    for (const name of identitiesOf(person).map(nameOf)) known.add(name)
    return true
  })
  const created = newPeople.length === 0 ? [] : await createContacts(tx, orgId, newPeople, now)
  const holders = new Map(held.map((one) => [nameOf(one), one.contact_id]))
  for (const [nth, { id }] of created.entries())
    for (const identity of identitiesOf(newPeople[nth] as Person)) holders.set(nameOf(identity), id)
  return wanted.map((names) => holders.get(names.find((name) => holders.has(name)) as string) as Id<'con'>)
}

/** Whether a contact has all identities of the person, so that there is nothing to link. */
export const isNamed = ({ identities }: Pick<ContactRow, 'identities'>, person: Person): boolean =>
  identitiesOf({ ...person, username: null }).every(({ kind, value }) => {
    const shown = kind === 'phone' ? `+${value}` : value
    return identities.some((identity) => identity.type === kind && identity.value === shown)
  })

export type ContactLink = {
  contactId: Id<'con'>
  person: Person
  /** When the message left by which this is known. */
  sentAt: Date
}

/**
 * Links further identities, which the network reported, to the recipient of a message. Null when there is nothing to link.
 */
export async function linkToContact(
  tx: Tx,
  orgId: OrgId,
  { contactId, person: reported, sentAt, now }: ContactLink & { now: Date },
): Promise<Resolution | null> {
  await lockPeople(tx, [{ orgId, person: reported }])
  const before = await findContactById(tx, orgId, contactId)
  if (before === null) return null
  const person = withoutOldNames(reported, await listIdentities(tx, orgId, before.id), sentAt)
  if (isNamed(before, person)) return null
  const others = holdersOf(await listHeldIdentities(tx, orgId, lookedFor(person)))
  const holders = [...new Set([before.id, ...others])].toSorted()
  return joinHolders(tx, orgId, holders as [Id<'con'>, ...Id<'con'>[]], { person, now })
}

/**
 * A message may have gone to a number that the customer has given up since, and its statuses still name it: a name of a
 * kind of which another was learned after the message left is not linked again.
 */
function withoutOldNames(
  { phone, userId, name }: Person,
  identities: Awaited<ReturnType<typeof listIdentities>>,
  sentAt: Date,
): Person {
  const isNewer = (kind: Identity['kind'], reported: string | null) =>
    identities.some((one) => one.kind === kind && one.created_at > sentAt) &&
    !identities.some((one) => one.kind === kind && one.value === reported)
  return {
    phone: isNewer('phone', phone) ? null : phone,
    userId: isNewer('user_id', userId) ? null : userId,
    username: null,
    name,
  }
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

/** Merges several holders into one contact, which is linked to all reported identities of the person. */
async function joinHolders(
  tx: Tx,
  orgId: OrgId,
  held: readonly [Id<'con'>, ...Id<'con'>[]],
  { person, now }: { person: Person; now: Date },
): Promise<Resolution> {
  const holders = (await lockPersons(tx, orgId, held)).map(({ id }) => id)
  const [first = held[0]] = holders
  const changedChatIds = await mergeContacts(tx, orgId, holders, now)
  const before = (await findContact(tx, orgId, first)) as ContactRow
  await linkIdentities(tx, orgId, first, person, now)
  const contact = await refreshContact(tx, orgId, { ...before, name: person.name ?? before.name }, person.phone, now)
  return { contact, isNew: false, isChanged: holders.length > 1 || isDifferent(before, contact), changedChatIds }
}

async function createContact(tx: Tx, orgId: OrgId, person: Person, now: Date) {
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
      merged_into: null,
    }
  })
  const rows = contacts.map((contact, nth) => {
    const known = identitiesOf(people[nth] as Person)
    return { ...contact, known, words: vectorOf(wordsOf(orgId, contact.name, known)) }
  })
  await insertContacts(tx, orgId, rows, now)
  await refreshLosers(tx, orgId, lost, now)
  return contacts
}

/** A username that another contact had is taken from it. */
async function linkIdentities(tx: Tx, orgId: OrgId, contactId: Id<'con'>, person: Person, now: Date): Promise<void> {
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
async function refreshContact(
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

const isDifferent = (before: ContactRow, after: ContactRow): boolean =>
  before.name !== after.name ||
  before.phone !== after.phone ||
  JSON.stringify(before.identities) !== JSON.stringify(after.identities)

/**
 * A person changed their number or id. The old one is unlinked: a number that was given up is assigned to another person
 * one day, who must not find this history. Null when the person is not known.
 */
export type IdentityChange = { before: Person; after: Person; at: Date; now: Date }

export async function changeIdentity(
  tx: Tx,
  orgId: OrgId,
  { before, after, at, now }: IdentityChange,
): Promise<Resolution | null> {
  await lockPeople(tx, [
    { orgId, person: before },
    { orgId, person: after },
  ])
  const held = await listChanged(tx, orgId, { before, after, at })
  const holders = (await lockPersons(tx, orgId, held)).map(({ id }) => id)
  const [first] = holders
  if (first === undefined) return null
  const changedChatIds = await mergeContacts(tx, orgId, holders, now)
  const contact = (await findContact(tx, orgId, first)) as ContactRow
  await linkIdentities(tx, orgId, first, after, now)
  const kept = new Set(lookedFor(after).map(({ kind, value }) => `${kind} ${value}`))
  const given = [
    ...(after.phone === null ? [] : lookedFor({ ...before, userId: null, username: null })),
    ...(after.userId === null || before.userId === null ? [] : [{ kind: 'user_id' as const, value: before.userId }]),
  ].filter(({ kind, value }) => !kept.has(`${kind} ${value}`))
  await deleteIdentities(tx, orgId, first, given)
  const changed = await refreshContact(tx, orgId, { ...contact, name: after.name ?? contact.name }, after.phone, now)
  return {
    contact: changed,
    isNew: false,
    isChanged: isDifferent(contact, changed) || holders.length > 1,
    changedChatIds,
  }
}

/**
 * The holders of the new names, and of the old ones unless messages arrived under those since the change. Then the old
 * names belong to another person by now, and a repeated report of the change must not merge the two.
 */
async function listChanged(
  tx: Tx,
  orgId: OrgId,
  { before, after, at }: Omit<IdentityChange, 'now'>,
): Promise<Id<'con'>[]> {
  const changed = holdersOf(await listHeldIdentities(tx, orgId, lookedFor(after)))
  const old = holdersOf(await listHeldIdentities(tx, orgId, lookedFor(before)))
  const others = new Set((await listWrittenAfter(tx, orgId, old, at)).map(({ contact_id }) => contact_id))
  return [...new Set([...changed, ...old.filter((id) => !others.has(id))])].toSorted()
}

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

export const phoneIdentities = (digits: string): Identity[] =>
  phoneVariants(digits).map((value) => ({ kind: 'phone' as const, value }))

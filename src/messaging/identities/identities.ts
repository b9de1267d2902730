import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { type ChatEventContext, findChat, listWrittenAfter, mergeChatsOf, recordChatUpdated } from '../chats/chats.ts'
import {
  type ContactRow,
  contactChanged,
  createContact,
  deleteIdentities,
  findContactById,
  getContact,
  holdersOf,
  type Identity,
  identitiesOf,
  isNamed,
  linkIdentities,
  listHeldIdentities,
  listHoldersOf,
  listIdentities,
  lockContacts,
  lockPeople,
  lockPersons,
  lookedFor,
  mergeContactRows,
  nameAfter,
  type Person,
  refreshContact,
} from '../contacts/contacts.ts'
import { moveNotes } from '../notes/notes.ts'

/**
 * How people are resolved to contacts. A person is known by identities, each of which belongs to one contact:
 *
 *   no contact has any of them         a new contact
 *   one contact has some of them       the others are linked to it
 *   several contacts have them         they are one person: the oldest is kept, the others are merged into it
 *
 * Two transactions may resolve the same new person at once, so a transaction that changes identities first locks each of
 * them, in sorted order, and looks again. When all is known and nothing changes, which is nearly always, no lock is taken.
 * The order of all locks is in contact-locks.ts.
 */
export type Resolution = {
  contact: ContactRow
  isNew: boolean
  /** Whether a known contact changed. */
  isChanged: boolean
  /** Chats that are different now because contacts were merged. */
  changedChatIds: Id<'chat'>[]
}

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
    (person.name === null || contact.is_name_given || person.name === contact.name) &&
    (person.phone === null || person.phone === contact.phone)
  return isSame ? { contact, isNew: false, isChanged: false, changedChatIds: [] } : null
}

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
 * Merges contacts that are one person, and their chats. The oldest is kept; the others keep their rows, which point to it,
 * so that a stored id still leads to the person. Returns the changed chats.
 */
export async function mergeContacts(
  tx: Tx,
  orgId: OrgId,
  contactIds: readonly Id<'con'>[],
  now: Date,
): Promise<Id<'chat'>[]> {
  const [kept, ...others] = contactIds
  if (kept === undefined || others.length === 0) return []
  // A report that arrives at this moment is either applied already or waits, and then finds the kept contact.
  await lockContacts(tx, orgId, contactIds)
  const changed = await mergeChatsOf(tx, orgId, { kept, others })
  await mergeContactRows(tx, orgId, { kept, others, now })
  await moveNotes(tx, orgId, { from: others, to: kept })
  return changed
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
  const before = await getContact(tx, orgId, first)
  await linkIdentities(tx, orgId, first, person, now)
  const contact = await refreshContact(
    tx,
    orgId,
    { ...before, name: nameAfter(before, person.name) },
    person.phone,
    now,
  )
  return { contact, isNew: false, isChanged: holders.length > 1 || isDifferent(before, contact), changedChatIds }
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
  const contact = await getContact(tx, orgId, first)
  await linkIdentities(tx, orgId, first, after, now)
  const kept = new Set(lookedFor(after).map(({ kind, value }) => `${kind} ${value}`))
  const given = [
    ...(after.phone === null ? [] : lookedFor({ ...before, userId: null, username: null })),
    ...(after.userId === null || before.userId === null ? [] : [{ kind: 'user_id' as const, value: before.userId }]),
  ].filter(({ kind, value }) => !kept.has(`${kind} ${value}`))
  await deleteIdentities(tx, orgId, first, given)
  const changed = await refreshContact(
    tx,
    orgId,
    { ...contact, name: nameAfter(contact, after.name) },
    after.phone,
    now,
  )
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

/** Records the changes of a contact and its chats. The caller records the chat `besides`, so it is left out. */
export async function recordResolution(
  context: ChatEventContext & { tx: Tx; orgId: OrgId },
  resolution: Resolution,
  besides: Id<'chat'> | null = null,
): Promise<void> {
  const { tx, orgId, events } = context
  if (resolution.isChanged) events.add(orgId, contactChanged(resolution.contact))
  for (const id of resolution.changedChatIds) {
    const chat = id === besides ? null : await findChat(tx, orgId, id)
    if (chat !== null) await recordChatUpdated(context, chat)
  }
}

export { lockHolders, lockLinkedContacts, lockMessagesOf, lockThreadsOfPeople } from './contact-locks.ts'

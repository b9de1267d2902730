import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type Ahead, lockChatsAhead, lockMessagesOfPeople } from '../chats/chats.ts'
import {
  type HeldIdentity,
  listHeldIdentities,
  lockPeople,
  lockPersons,
  lookedFor,
  type Person,
} from '../contacts/contacts.ts'
import { lockMessages } from '../messages/messages.ts'

/**
 * The locks for resolving people to contacts, or linking them to further names. All locks of a kind are taken at once and
 * in one order, then those of the next kind, so that transactions never deadlock:
 *
 *   names (lockPeople)  ──▶  people  ──▶  chats  ──▶  messages  ──▶  the counter of events
 *
 * Nearly always no contacts are merged, and then only their rows are locked here. When some contacts may be one person,
 * their chats and messages are about to be merged and are locked together with all others that the transaction needs.
 */
export type ContactsToLock = {
  /** Each person, with the contact it is linked to if that is known. */
  links: readonly { person: Person; contactId: Id<'con'> | null }[]
  /** Others who are about to be changed. */
  besides: readonly Id<'con'>[]
}

export type LockedPeople = {
  ids: readonly Id<'con'>[]
  /** The contacts that may be merged. */
  mergeable: readonly Id<'con'>[]
}

/** Locks the contacts that hold these names. The caller has called `lockPeople`. */
export async function lockHolders(tx: Tx, orgId: OrgId, { links, besides }: ContactsToLock): Promise<LockedPeople> {
  const names = links.flatMap(({ person }) => lookedFor(person))
  const held = await listHeldIdentities(tx, orgId, names)
  const linked = links.flatMap(({ contactId }) => (contactId === null ? [] : [contactId]))
  const wanted = new Set([...held.map(({ contact_id }) => contact_id), ...linked, ...besides])
  if (wanted.size === 0) return { ids: [], mergeable: [] }
  const ids = (await lockPersons(tx, orgId, [...wanted])).map(({ id }) => id)
  const isMoved = [...wanted].some((id) => !ids.includes(id))
  const mergeable = mergeableOf(links, isMoved ? await listHeldIdentities(tx, orgId, names) : held)
  return { ids, mergeable }
}

/**
 * Locks the messages of contacts that may be merged, and the chats of all locked contacts, which get new messages. When no
 * contact may be merged, the later steps lock the chats and messages that they need.
 */
export async function lockThreadsOfPeople(
  tx: Tx,
  orgId: OrgId,
  { ids, mergeable }: LockedPeople,
  ahead: Pick<Ahead, 'messageIds' | 'places'>,
): Promise<void> {
  if (mergeable.length === 0) return
  await lockChatsAhead(tx, orgId, { ...ahead, contactIds: ids })
  await lockAll(tx, orgId, { messageIds: ahead.messageIds, contactIds: mergeable })
}

type OfOrg = { orgId: OrgId }

const byOrganization = <Item extends OfOrg>(items: readonly Item[]): [OrgId, Item[]][] =>
  [...Map.groupBy(items, ({ orgId }) => orgId)].toSorted(([one], [other]) => (one < other ? -1 : 1))

/** Takes the same locks for several organizations, and those on names. */
export async function lockLinkedContacts(
  tx: Tx,
  {
    links,
    besides,
    messages,
  }: {
    links: readonly (ContactsToLock['links'][number] & OfOrg)[]
    besides: readonly ({ contactId: Id<'con'> } & OfOrg)[]
    messages: readonly ({ id: string } & OfOrg)[]
  },
): Promise<void> {
  await lockPeople(tx, links)
  const mergeable: ({ id: Id<'con'> } & OfOrg)[] = []
  for (const [orgId] of byOrganization<OfOrg>([...links, ...besides])) {
    const ofOrg = links.filter((one) => one.orgId === orgId)
    const others = besides.filter((one) => one.orgId === orgId).map(({ contactId }) => contactId)
    const locked = await lockHolders(tx, orgId, { links: ofOrg, besides: others })
    for (const id of locked.mergeable) mergeable.push({ orgId, id })
  }
  if (mergeable.length === 0) return
  const ahead = byOrganization(messages).map(([orgId, ofOrg]) => ({
    orgId,
    messageIds: ofOrg.map(({ id }) => id),
    contactIds: mergeable.filter((one) => one.orgId === orgId).map(({ id }) => id),
  }))
  for (const { orgId, ...ofOrg } of ahead) await lockChatsAhead(tx, orgId, ofOrg)
  for (const { orgId, ...ofOrg } of ahead) await lockAll(tx, orgId, ofOrg)
}

/** Locks messages before they are changed one by one. */
export async function lockMessagesOf(tx: Tx, messages: readonly ({ id: string } & OfOrg)[]): Promise<void> {
  for (const [orgId, ofOrg] of byOrganization(messages))
    await lockMessages(
      tx,
      orgId,
      ofOrg.map(({ id }) => id),
    )
}

/** Messages that change their chat, then those whose state changes. */
async function lockAll(
  tx: Tx,
  orgId: OrgId,
  { messageIds, contactIds }: { messageIds: readonly string[]; contactIds: readonly Id<'con'>[] },
): Promise<void> {
  if (contactIds.length > 0) await lockMessagesOfPeople(tx, orgId, contactIds)
  if (messageIds.length > 0) await lockMessages(tx, orgId, messageIds)
}

/** Contacts that are linked to the same person, directly or through a shared name. */
function mergeableOf(links: ContactsToLock['links'], held: readonly HeldIdentity[]): Id<'con'>[] {
  const holderOf = new Map(held.map(({ kind, value, contact_id }) => [`${kind} ${value}`, contact_id]))
  const groups = new Map<string, Set<string>>()
  for (const { person, contactId } of links) {
    const names = lookedFor({ ...person, username: null }).map(({ kind, value }) => `${kind} ${value}`)
    const holders = [...names.map((name) => holderOf.get(name)), contactId].filter(
      (id) => id !== undefined && id !== null,
    )
    const group = new Set([...names, ...holders].flatMap((member) => [member, ...(groups.get(member) ?? [])]))
    for (const member of group) groups.set(member, group)
  }
  const people = [...new Set(groups.values())].map((group) => [...group].filter(isHolder))
  return people.filter((ofGroup) => ofGroup.length > 1).flat()
}

const isHolder = (member: string): member is Id<'con'> => member.startsWith('con_')

import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { itemAt, storedValue } from '../../kernel/lists.ts'
import type { Tx } from '../../platform/database/database.ts'
import { insertChats } from '../chats/chats.ts'
import { ensureContacts, findContactById, lockPeople, lockPersons, type Person } from '../contacts/contacts.ts'
import type { Outbound } from './outbound-message.ts'

/** A person of whom nothing is known but this. */
const recipientOf = ({ to }: Outbound): Person => ({
  phone: to.kind === 'phone' ? to.value : null,
  userId: to.kind === 'user_id' ? to.value : null,
  username: null,
  name: null,
})

/**
 * Creates contacts and chats for people who have none. All locks are taken first and in one order, names and then people,
 * so that no other transaction interferes. Each step is one statement per organization: a thousand new recipients cost no
 * more round trips than one. Returns the new chats.
 */
export async function createRecipients(tx: Tx, items: readonly Outbound[]): Promise<Set<Id<'chat'>>> {
  const unresolved = items.filter(({ to }) => to.kind !== 'contact')
  await lockPeople(
    tx,
    unresolved.map((item) => ({ orgId: item.orgId, person: recipientOf(item) })),
  )
  const created = new Set<Id<'chat'>>()
  const byOrg = [...Map.groupBy(items, ({ orgId }) => orgId)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [orgId, ofOrg] of byOrg) for (const id of await createChatsFor(tx, orgId, ofOrg)) created.add(id)
  return created
}

async function createChatsFor(tx: Tx, orgId: OrgId, items: readonly Outbound[]): Promise<Id<'chat'>[]> {
  const now = new Date(Math.min(...items.map(({ nowMs }) => nowMs)))
  const found = await contactsOf(tx, orgId, items, now)
  // From here on no other transaction merges these people or creates chats for them.
  const held = new Set((await lockPersons(tx, orgId, [...new Set(found)])).map(({ id }) => id))
  // Contacts that were merged before they were locked are looked up again.
  const contactIds = found.every((id) => held.has(id)) ? found : await contactsOf(tx, orgId, items, now)
  const places = new Map(
    items.map(({ numberId }, nth) => {
      const contactId = itemAt(contactIds, nth)
      return [`${contactId} ${numberId}`, { id: newId('chat', now.getTime()), contactId, numberId }]
    }),
  )
  return (await insertChats(tx, orgId, [...places.values()], now)).map(({ id }) => id)
}

async function contactsOf(tx: Tx, orgId: OrgId, items: readonly Outbound[], now: Date): Promise<Id<'con'>[]> {
  const unresolved = items.filter(({ to }) => to.kind !== 'contact')
  const ensured = await ensureContacts(tx, orgId, unresolved.map(recipientOf), now)
  const contactIds = new Map(unresolved.map((item, nth) => [item, itemAt(ensured, nth)]))
  for (const item of items) if (item.to.kind === 'contact') contactIds.set(item, await liveContactOf(tx, item))
  return items.map((item) => storedValue(contactIds, item))
}

async function liveContactOf(tx: Tx, item: Outbound): Promise<Id<'con'>> {
  const contact = await findContactById(tx, item.orgId, item.to.value)
  if (contact === null) throw new Error(`contact ${item.to.value} is gone`)
  // It may have been merged since it was looked up; from here on the person it became part of is meant.
  item.to.value = contact.id
  return contact.id
}

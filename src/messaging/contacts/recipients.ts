import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { parsePhone, parseReportedPhone } from '../../platform/phone/phone-numbers.ts'
import { type ChatRow, findChat, listChatsOfContact } from '../chats/chats.sql.ts'
import { insertChats } from '../receiving/applying.sql.ts'
import type { Outbound } from '../sending/outbound.ts'
import { type ContactRow, listContacts } from './contacts.sql.ts'
import {
  ensureContacts,
  findContactById,
  findHolder,
  lockPeople,
  lockPersons,
  type Person,
  phoneIdentities,
  usernameOf,
} from './contacts.ts'
import { contactQuery } from './search-words.ts'

/**
 * Whom a caller means. The form decides: `chat_…` is a chat, `con_…` a contact, `ID.91…` a business-scoped user id, `@sari`
 * a username, and everything else a phone in the spelling of the organization's country.
 */
export type Reference =
  | { kind: 'phone'; value: string }
  | { kind: 'user_id'; value: string }
  | { kind: 'username'; value: string }
  | { kind: 'chat'; value: Id<'chat'> }
  | { kind: 'contact'; value: Id<'con'> }

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/**
 * Null when it is a phone that cannot exist. Our tables of ranges are older than some lines: digits that they do not know,
 * and under which the network has reported a customer, mean that customer. Only those cost a query.
 */
export async function findReference(
  queries: Queries,
  orgId: OrgId,
  text: string,
  defaultCountry: string,
): Promise<Reference | null> {
  const reference = readReference(text, defaultCountry)
  if (reference !== null || !PLAIN_PHONE.test(text.trim())) return reference
  const digits = parseReportedPhone(text.replaceAll(/\D/g, ''))?.digits
  if (digits === undefined) return null
  const holder = await findHolder(queries, orgId, [{ kind: 'phone', value: digits }])
  return holder === null ? null : { kind: 'phone', value: digits }
}

const PLAIN_PHONE = /^\+?[\d\s()-]+$/

function readReference(text: string, defaultCountry: string): Reference | null {
  const written = text.trim()
  if (isId('chat', written)) return { kind: 'chat', value: written }
  if (isId('con', written)) return { kind: 'contact', value: written }
  if (USER_ID.test(written)) return { kind: 'user_id', value: written }
  const username = written.startsWith('@') ? usernameOf(written) : null
  if (username !== null) return { kind: 'username', value: username }
  const phone = parsePhone(written, defaultCountry)
  return phone === null ? null : { kind: 'phone', value: phone.digits }
}

/** The referenced chats, the most recently active first; a merged chat leads to the one it was merged into. */
export async function findReferredChats(queries: Queries, orgId: OrgId, reference: Reference): Promise<ChatRow[]> {
  if (reference.kind === 'chat') {
    const chat = await findChat(queries, orgId, reference.value)
    const live = chat === null || chat.merged_into === null ? chat : await findChat(queries, orgId, chat.merged_into)
    return live === null ? [] : [live]
  }
  const contactId = await findReferredContact(queries, orgId, reference)
  return contactId === null ? [] : listChatsOfContact(queries, orgId, contactId)
}

/** People by the beginning of a name, or by a part of their phone, newest first, each with their chats. */
export async function findNamedContacts(
  queries: Queries,
  orgId: OrgId,
  { words, country, limit }: { words: string; country: string; limit: number },
): Promise<{ contact: ContactRow; chats: ChatRow[] }[]> {
  const query = contactQuery(orgId, words, country)
  const contacts = query === null ? [] : await listContacts(queries, orgId, { query, before: null, limit })
  return Promise.all(
    contacts.map(async (contact) => ({ contact, chats: await listChatsOfContact(queries, orgId, contact.id) })),
  )
}

/** The chat that now holds the messages of the given chat, also after a merge. Null when there is no such chat. */
export async function findChatId(
  queries: Queries,
  orgId: OrgId,
  text: string,
  defaultCountry: string,
): Promise<string | null> {
  const reference = await findReference(queries, orgId, text, defaultCountry)
  const chats = reference === null ? [] : await findReferredChats(queries, orgId, reference)
  return chats[0]?.id ?? null
}

export async function findReferredContact(
  queries: Queries,
  orgId: OrgId,
  reference: Exclude<Reference, { kind: 'chat' }>,
): Promise<Id<'con'> | null> {
  if (reference.kind === 'contact') return (await findContactById(queries, orgId, reference.value))?.id ?? null
  if (reference.kind === 'phone') return findHolder(queries, orgId, phoneIdentities(reference.value))
  return findHolder(queries, orgId, [{ kind: reference.kind, value: reference.value }])
}

/** A person of whom nothing is known but this. */
const personOf = ({ to }: Outbound): Person => ({
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
    unresolved.map((item) => ({ orgId: item.orgId, person: personOf(item) })),
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
      const contactId = contactIds[nth] as Id<'con'>
      return [`${contactId} ${numberId}`, { id: newId('chat', now.getTime()), contactId, numberId }]
    }),
  )
  return (await insertChats(tx, orgId, [...places.values()], now)).map(({ id }) => id)
}

async function contactsOf(tx: Tx, orgId: OrgId, items: readonly Outbound[], now: Date): Promise<Id<'con'>[]> {
  const unresolved = items.filter(({ to }) => to.kind !== 'contact')
  const ensured = await ensureContacts(tx, orgId, unresolved.map(personOf), now)
  const contactIds = new Map(unresolved.map((item, nth) => [item, ensured[nth] as Id<'con'>]))
  for (const item of items) if (item.to.kind === 'contact') contactIds.set(item, await liveContactOf(tx, item))
  return items.map((item) => contactIds.get(item) as Id<'con'>)
}

async function liveContactOf(tx: Tx, item: Outbound): Promise<Id<'con'>> {
  const contact = await findContactById(tx, item.orgId, item.to.value)
  if (contact === null) throw new Error(`contact ${item.to.value} is gone`)
  // It may have been merged since it was looked up; from here on the person it became part of is meant.
  item.to.value = contact.id
  return contact.id
}

import { type Id, isId, newId, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { parsePhone, parseReportedPhone } from '../platform/phone/phone-numbers.ts'
import { type ChatRow, findChat, insertChat, listChatsOfContact } from './chats.sql.ts'
import {
  ensureContact,
  findContactById,
  findHolder,
  lockPeople,
  lockPersons,
  type Person,
  phoneIdentities,
  usernameOf,
} from './contacts.ts'
import type { Outbound } from './outbound.ts'

/**
 * Who a caller means. The form tells what it is: `chat_…` a chat, `con_…` a contact, `ID.91…` a business-scoped user id,
 * `@sari` a username, and everything else is a phone in the spelling of the organization's country.
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

/** The chats that are meant, the liveliest first; a chat that was merged leads to the one it became part of. */
export async function findReferredChats(queries: Queries, orgId: OrgId, reference: Reference): Promise<ChatRow[]> {
  if (reference.kind === 'chat') {
    const chat = await findChat(queries, orgId, reference.value)
    const live = chat === null || chat.merged_into === null ? chat : await findChat(queries, orgId, chat.merged_into)
    return live === null ? [] : [live]
  }
  const contactId = await findReferredContact(queries, orgId, reference)
  return contactId === null ? [] : listChatsOfContact(queries, orgId, contactId)
}

/** Where the messages of a chat are now, also when it was merged into another. */
export const liveChatId = async (queries: Queries, orgId: OrgId, id: string): Promise<string> =>
  (await findChat(queries, orgId, id))?.merged_into ?? id

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
 * Contacts and chats for everybody who has none yet. All locks are taken first and in one order, of names and then of
 * people; then it is as if nobody else were there. Answers with the chats that are new.
 */
export async function createRecipients(tx: Tx, items: readonly Outbound[]): Promise<Set<Id<'chat'>>> {
  const strangers = items.filter(({ to }) => to.kind !== 'contact')
  await lockPeople(
    tx,
    strangers.map((item) => ({ orgId: item.orgId, person: personOf(item) })),
  )
  const found: Id<'con'>[] = []
  for (const item of items) found.push(await contactOf(tx, item))
  const held = await holdPeople(
    tx,
    items.map(({ orgId }, index) => ({ orgId, id: found[index] as Id<'con'> })),
  )
  const created = new Set<Id<'chat'>>()
  for (const [index, item] of items.entries()) {
    const known = found[index] as Id<'con'>
    const contactId = held.has(known) ? known : await contactOf(tx, item)
    const chat = { id: newId('chat', item.nowMs), numberId: item.numberId, contactId, now: new Date(item.nowMs) }
    const inserted = await insertChat(tx, item.orgId, chat)
    if (inserted !== null) created.add(inserted.id)
  }
  return created
}

/** From here on nobody merges these people or makes chats of theirs; who was merged meanwhile is not among those held. */
async function holdPeople(tx: Tx, people: readonly { orgId: OrgId; id: Id<'con'> }[]): Promise<Set<Id<'con'>>> {
  const held = new Set<Id<'con'>>()
  const byOrg = Map.groupBy(people, ({ orgId }) => orgId)
  for (const [orgId, ofOrg] of [...byOrg].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const locked = await lockPersons(tx, orgId, [...new Set(ofOrg.map(({ id }) => id))])
    for (const { id } of locked) held.add(id)
  }
  return held
}

async function contactOf(tx: Tx, item: Outbound): Promise<Id<'con'>> {
  if (item.to.kind !== 'contact') return ensureContact(tx, item.orgId, personOf(item), new Date(item.nowMs))
  const contact = await findContactById(tx, item.orgId, item.to.value)
  if (contact === null) throw new Error(`contact ${item.to.value} is gone`)
  // It may have been merged since it was looked up; from here on the person it became part of is meant.
  item.to.value = contact.id
  return contact.id
}

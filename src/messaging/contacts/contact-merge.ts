import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  absorbChat,
  findChat,
  listChatsToMerge,
  mergeChatInto,
  moveChatToContact,
  replaceLabels,
} from '../chats/chats.sql.ts'
import { lockMessagesOfPeople } from '../receiving/applying.sql.ts'
import { lockContacts, mergeContactInto, mergeOptOuts, moveIdentities } from './contacts.sql.ts'

/**
 * Merges contacts that are one person. The oldest is kept; the others keep their rows, which point to it, so that a stored
 * id still leads to the person.
 *
 *   a number on which only one of them has a chat     the chat moves to the kept contact
 *   a number on which several have one                the oldest chat takes the messages of the others
 *
 * The history stays complete: no message is lost, none changes its id or its place, and unread messages are counted again.
 * Queued messages of a merged chat are sent in their original order, beside those of the other chat.
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
  const chats = await listChatsToMerge(tx, orgId, contactIds)
  await lockMessagesOfPeople(tx, orgId, others)
  const changed: Id<'chat'>[] = []
  for (const [, ofNumber] of Map.groupBy(chats, (chat) => chat.number_id))
    changed.push(await mergeChats(tx, orgId, kept, ofNumber))
  await mergeOptOuts(tx, orgId, { kept, others })
  for (const from of others) {
    await moveIdentities(tx, orgId, { from, to: kept })
    await mergeContactInto(tx, orgId, { from, to: kept, now })
  }
  return changed
}

type Mergeable = Awaited<ReturnType<typeof listChatsToMerge>>[number]

/** The chat that goes on is the kept contact's own, so that nothing has to give way to it. */
async function mergeChats(tx: Tx, orgId: OrgId, keptContact: Id<'con'>, chats: Mergeable[]): Promise<Id<'chat'>> {
  const into = chats.find((chat) => chat.contact_id === keptContact) ?? (chats[0] as Mergeable)
  for (const { id: from } of chats.filter((chat) => chat.id !== into.id)) {
    await absorbChat(tx, orgId, { from, into: into.id })
    await mergeChatInto(tx, orgId, { from, into: into.id })
  }
  if (into.contact_id !== keptContact) await moveChatToContact(tx, orgId, { id: into.id, contactId: keptContact })
  const merged = await findChat(tx, orgId, into.id)
  if (merged !== null && merged.labels.length > 0)
    await replaceLabels(tx, orgId, { id: into.id, labels: merged.labels }, [])
  return into.id
}

import type { Id, OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { stateOf, statusColumn } from '../messages/messages.ts'
import { lockMessagesOfPeople } from './chat-locks.sql.ts'
import { findChat, replaceLabels } from './chats.sql.ts'

type Mergeable = { id: Id<'chat'>; number_id: Id<'num'>; contact_id: Id<'con'>; labels: string[] }

/**
 * Merges the chats of contacts that are one person. The contacts are locked.
 *
 *   a number on which only one of them has a chat     the chat moves to the kept contact
 *   a number on which several have one                the oldest chat takes the messages of the others
 *
 * No message is lost, none changes its id or its place, and unread messages are counted again. Queued messages of a merged
 * chat are sent in their original order, beside those of the other chat. Returns the changed chats.
 */
export async function mergeChatsOf(
  tx: Tx,
  orgId: OrgId,
  { kept, others }: { kept: Id<'con'>; others: readonly Id<'con'>[] },
): Promise<Id<'chat'>[]> {
  const chats = await listChatsToMerge(tx, orgId, [kept, ...others])
  await lockMessagesOfPeople(tx, orgId, others)
  const changed: Id<'chat'>[] = []
  for (const [, ofNumber] of Map.groupBy(chats, (chat) => chat.number_id))
    changed.push(await mergeChats(tx, orgId, kept, ofNumber))
  return changed
}

/** The chat that goes on is the kept contact's own, so that nothing has to give way to it. */
async function mergeChats(tx: Tx, orgId: OrgId, keptContact: Id<'con'>, chats: Mergeable[]): Promise<Id<'chat'>> {
  const into = chats.find((chat) => chat.contact_id === keptContact) ?? firstOf(chats)
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

/** A chat whose person turned out to be another: it goes on under that person. */
const moveChatToContact = (tx: Tx, orgId: OrgId, { id, contactId }: { id: Id<'chat'>; contactId: Id<'con'> }) =>
  tx.run`update chats set contact_id = ${contactId} where org_id = ${orgId} and id = ${id}`

const listChatsToMerge = (tx: Tx, orgId: OrgId, contactIds: readonly string[]) => tx.many<Mergeable>`
  select id, number_id, contact_id, labels from chats
  where org_id = ${orgId} and contact_id = any(${[...contactIds]}::text[]) and merged_into is null
  order by id for update`

/** Merges a chat into another: what is newest, open, assigned or unread in either holds for both. */
const absorbChat = (tx: Tx, orgId: OrgId, { from, into }: { from: Id<'chat'>; into: Id<'chat'> }) => tx.run`
  update chats kept
  set status = case when 'open' in (kept.status, gone.status) then 'open' else 'closed' end,
      labels = array(select distinct label from unnest(kept.labels || gone.labels) as label order by label),
      assignee = coalesce(kept.assignee, gone.assignee),
      unread_count = (select count(*) from message_states
        where org_id = ${orgId} and unread_chat_id in (${from}, ${into}) and unread_chat_id is not null),
      last_message_id = (select message.id from messages message ${stateOf(tx, orgId)}
        where message.org_id = ${orgId} and message.chat_id in (${from}, ${into}) and ${statusColumn(tx)} <> 'scheduled'
        order by message.happened_at desc, message.id desc limit 1),
      last_activity_at = greatest(kept.last_activity_at, gone.last_activity_at),
      last_inbound_at = greatest(kept.last_inbound_at, gone.last_inbound_at),
      open_order = case
        when gone.open_order is null or (kept.open_order->>'id') collate "C" > gone.open_order->>'id' then kept.open_order
        else gone.open_order end,
      created_at = least(kept.created_at, gone.created_at)
  from chats gone
  where kept.org_id = ${orgId} and kept.id = ${into} and gone.org_id = ${orgId} and gone.id = ${from}`

const mergeChatInto = (tx: Tx, orgId: OrgId, { from, into }: { from: Id<'chat'>; into: Id<'chat'> }) => tx.run`
  with moved as (
    update messages set chat_id = ${into} where org_id = ${orgId} and chat_id = ${from}),
  unread as (
    update message_states set unread_chat_id = ${into}
    where org_id = ${orgId} and unread_chat_id = ${from} and unread_chat_id is not null),
  unlabelled as (
    delete from chat_labels where org_id = ${orgId} and chat_id = ${from})
  update chats set merged_into = ${into}, unread_count = 0
  where org_id = ${orgId} and (id = ${from} or merged_into = ${from})`

/** The contacts among these who wrote after that time. */
export const listWrittenAfter = (queries: Queries, orgId: OrgId, contactIds: readonly string[], at: Date) =>
  queries.many<{ contact_id: Id<'con'> }>`
    select contact_id from chats
    where org_id = ${orgId} and contact_id = any(${[...contactIds]}::text[]) and last_inbound_at > ${at}`

import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg, orgAs } from '../../platform/database/organization-filter.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import type { ContactRow } from '../contacts/contacts.ts'
import type { MessageRow } from '../messages/messages.ts'

export type Recipient = Pick<ContactRow, 'id' | 'identities'> & { message_id: Id<'msg'>; sent_at: Date }

/** The recipients of outbound messages. */
export const listRecipients = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<Recipient>`
  select message.id as message_id, coalesce(message.send_at, message.created_at) as sent_at, contact.id, contact.identities
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select id, chat_id, send_at, created_at from messages where org_id = ${orgId} and id = wanted.id offset 0) message
  cross join lateral (
    select contact_id from chats where org_id = ${orgId} and id = message.chat_id offset 0) chat
  cross join lateral (
    select id, identities from contacts where org_id = ${orgId} and id = chat.contact_id offset 0) contact`

export type NewInbound = { message: MessageRow; words: string }

/**
 * How the messages of one chat change it: its newest message, its unread count, and when the customer last wrote. Messages of
 * the past and of the business neither reopen it nor count as unread.
 */
export type InboundBump = {
  chatId: Id<'chat'>
  messageId: Id<'msg'>
  at: Date
  activityAt: Date
  unread: number
  reportedAt: Date | null
  isReopened: boolean
  isPast: boolean
}

/**
 * Inserts messages and updates their chats, whose rows are locked. The caller has looked for the provider's ids under their
 * locks. A message written before the newest message of its chat does not replace it.
 */
export const insertInbound = (
  tx: Tx,
  orgId: OrgId,
  { rows, bumps }: { rows: readonly NewInbound[]; bumps: readonly InboundBump[] },
) => tx.run`
  with stored as (
    insert into messages (org_id, id, chat_id, number_id, direction, type, body, content, reply_to, sender_type, sender_id,
      happened_at, created_at, raw, words)
    select ${homeOrg(tx, orgId)}, id, chat_id, number_id, direction, type, body, content::jsonb, reply_to, sender_type, sender_id,
      happened_at, created_at, raw::jsonb, words::tsvector
    from ${fromHome(tx, orgId)} unnest(
      ${rows.map(({ message }) => message.id)}::text[], ${rows.map(({ message }) => message.chat_id)}::text[],
      ${rows.map(({ message }) => message.number_id)}::text[], ${rows.map(({ message }) => message.type)}::text[],
      ${rows.map(({ message }) => message.body)}::text[], ${rows.map(({ message }) => asJson(message.content))}::text[],
      ${rows.map(({ message }) => message.reply_to)}::text[], ${rows.map(({ message }) => message.sender_id)}::text[],
      ${rows.map(({ message }) => message.happened_at)}::timestamptz[],
      ${rows.map(({ message }) => message.created_at)}::timestamptz[], ${rows.map(({ message }) => asJson(message.raw))}::text[],
      ${rows.map(({ words }) => words)}::text[], ${rows.map(({ message }) => message.direction)}::text[],
      ${rows.map(({ message }) => message.sender_type)}::text[]
    ) as message (id, chat_id, number_id, type, body, content, reply_to, sender_id, happened_at, created_at, raw, words,
      direction, sender_type)),
  states as (
    insert into message_states (org_id, message_id, number_id, provider_id, status, status_history, unread_chat_id, error)
    select ${homeOrg(tx, orgId)}, id, number_id, provider_id, status, status_history::jsonb, unread_chat_id, error::jsonb
    from ${fromHome(tx, orgId)} unnest(
      ${rows.map(({ message }) => message.id)}::text[], ${rows.map(({ message }) => message.number_id)}::text[],
      ${rows.map(({ message }) => message.provider_id)}::text[],
      ${rows.map(({ message }) => asJson(message.status_history))}::text[],
      ${rows.map(({ message }) => (message.is_unread ? message.chat_id : null))}::text[],
      ${rows.map(({ message }) => message.status)}::text[], ${rows.map(({ message }) => asJson(message.error))}::text[]
    ) as state (id, number_id, provider_id, status_history, unread_chat_id, status, error))
  update chats chat
  set unread_count = chat.unread_count + bump.unread,
      status = case when bump.is_reopened then 'open' else chat.status end,
      last_message_id = case when exists (
          select from messages last
          where last.org_id = ${orgId} and last.id = chat.last_message_id
            and (last.happened_at, last.id) > (bump.at, bump.message_id))
        then chat.last_message_id else bump.message_id end,
      last_activity_at = case when bump.is_past and chat.last_message_id is null then bump.activity_at
        else greatest(chat.last_activity_at, bump.activity_at) end,
      last_inbound_at = greatest(chat.last_inbound_at, bump.reported_at)
  from unnest(
    ${bumps.map(() => orgId)}::text[], ${bumps.map(({ chatId }) => chatId)}::text[],
    ${bumps.map(({ messageId }) => messageId)}::text[], ${bumps.map(({ at }) => at)}::timestamptz[],
    ${bumps.map(({ activityAt }) => activityAt)}::timestamptz[], ${bumps.map(({ unread }) => unread)}::int[],
    ${bumps.map(({ reportedAt }) => reportedAt)}::timestamptz[], ${bumps.map(({ isReopened }) => isReopened)}::boolean[],
    ${bumps.map(({ isPast }) => isPast)}::boolean[]
  ) as bump (org_id, chat_id, message_id, at, activity_at, unread, reported_at, is_reopened, is_past)
  where chat.org_id = ${orgAs(tx, orgId, tx.part`bump.org_id`)} and chat.id = bump.chat_id`

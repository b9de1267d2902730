import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { ChatStatus } from '../chats/chats.sql.ts'
import type { ContactRow, Identity } from '../contacts/contacts.sql.ts'
import { type MessageRow, stateOf } from '../messages/messages.sql.ts'
import { asJson } from '../messages/stored-json.ts'

/**
 * The statements that apply reports, many at once. As in send-batch.sql.ts they look rows up by whole keys inside laterals,
 * so that a plan created while the tables were empty is still right later.
 *
 * Where an index could be searched by the organization alone, org_id is a member of each wanted row and not a condition
 * beside them. For an organization that the statistics do not know yet PostgreSQL expects a single row, so it would choose
 * that search and read all rows of the organization for every wanted row, until the table is analyzed again.
 */
export type WantedIdentity = Identity & { position: number }

/** The contact of each identity that is known. */
export const listHoldersOf = (queries: Queries, orgId: OrgId, wanted: readonly WantedIdentity[]) =>
  queries.many<ContactRow & { position: number }>`
    select wanted.position, contact.org_id, contact.id, contact.name, contact.phone, contact.identities,
      contact.marketing_wishes, contact.merged_into, contact.created_at, contact.updated_at
    from unnest(${wanted.map(({ position }) => position)}::int[], ${wanted.map(() => orgId)}::text[],
      ${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ value }) => value)}::text[]
    ) as wanted (position, org_id, kind, value)
    cross join lateral (
      select contact_id from contact_identities
      where org_id = wanted.org_id and kind = wanted.kind and value = wanted.value offset 0) identity
    cross join lateral (
      select * from contacts where org_id = ${orgId} and id = identity.contact_id offset 0) contact`

/** Reads contacts, each with the requested id; for a merged contact, the one it was merged into. */
export const listPersons = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<
  ContactRow & { asked_id: Id<'con'> }
>`
  select wanted.id as asked_id, person.org_id, person.id, person.name, person.phone, person.identities,
    person.marketing_wishes, person.merged_into, person.created_at, person.updated_at
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select id, merged_into from contacts where org_id = ${orgId} and id = wanted.id offset 0) contact
  cross join lateral (
    select * from contacts where org_id = ${orgId} and id = coalesce(contact.merged_into, contact.id) offset 0) person`

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

export type ChatPlace = { contactId: Id<'con'>; numberId: Id<'num'> }

const wantedPlaces = ({ part }: Queries, orgId: OrgId, places: readonly ChatPlace[]) => part`
  unnest(${places.map(() => orgId)}::text[], ${places.map(({ contactId }) => contactId)}::text[],
    ${places.map(({ numberId }) => numberId)}::text[]) as wanted (org_id, contact_id, number_id)`

const chatAt = ({ part }: Queries) => part`(
  select id from chats
  where org_id = wanted.org_id and contact_id = wanted.contact_id and number_id = wanted.number_id)`

export type PlacedChat = { id: Id<'chat'>; contact_id: Id<'con'>; number_id: Id<'num'>; status: ChatStatus }

/**
 * Locks chats in the order of their ids, as every transaction that locks several chats does. A chat that was merged while
 * this waited is left out.
 */
export const lockChatsOf = (tx: Tx, orgId: OrgId, places: readonly ChatPlace[]) => tx.many<PlacedChat>`
  with place as materialized (
    select wanted.org_id, wanted.contact_id, wanted.number_id, ${chatAt(tx)} as id
    from ${wantedPlaces(tx, orgId, places)}
    order by id)
  select chat.id, chat.contact_id, chat.number_id, chat.status
  from place
  cross join lateral (
    select id, contact_id, number_id, status from chats
    where org_id = place.org_id and id = place.id and contact_id = place.contact_id and number_id = place.number_id
      and merged_into is null
    for update) chat`

/** The people without a chat on the number. */
export const listUnplaced = (queries: Queries, orgId: OrgId, places: readonly ChatPlace[]) => queries.many<{
  contact_id: Id<'con'>
}>`
  select distinct wanted.contact_id from ${wantedPlaces(queries, orgId, places)} where ${chatAt(queries)} is null`

export type NewChat = ChatPlace & { id: Id<'chat'> }

/**
 * Creates chats for people whose rows are locked, so that no other transaction creates the same chats or merges the people.
 * Existing chats are skipped.
 */
export const insertChats = (tx: Tx, orgId: OrgId, chats: readonly NewChat[], now: Date) => tx.many<PlacedChat>`
  insert into chats (org_id, id, number_id, contact_id, last_activity_at, created_at)
  select ${orgId}, given.id, given.number_id, given.contact_id, ${now}, ${now}
  from unnest(${chats.map(({ id }) => id)}::text[], ${chats.map(({ numberId }) => numberId)}::text[],
    ${chats.map(({ contactId }) => contactId)}::text[]) as given (id, number_id, contact_id)
  where (
    select id from contacts
    where org_id = ${orgId} and contacts.id = given.contact_id and merged_into is null) is not null
  order by given.contact_id, given.number_id
  on conflict (org_id, contact_id, number_id) do nothing
  returning id, contact_id, number_id, status`

export type NewInbound = { message: MessageRow; words: string }

/** How the messages of one chat change it: its newest message, its unread count, and when the customer last wrote. */
export type InboundBump = {
  chatId: Id<'chat'>
  messageId: Id<'msg'>
  at: Date
  activityAt: Date
  unread: number
  reportedAt: Date | null
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
    select ${orgId}, id, chat_id, number_id, 'inbound', type, body, content::jsonb, reply_to, 'contact', sender_id,
      happened_at, created_at, raw::jsonb, words::tsvector
    from unnest(
      ${rows.map(({ message }) => message.id)}::text[], ${rows.map(({ message }) => message.chat_id)}::text[],
      ${rows.map(({ message }) => message.number_id)}::text[], ${rows.map(({ message }) => message.type)}::text[],
      ${rows.map(({ message }) => message.body)}::text[], ${rows.map(({ message }) => asJson(message.content))}::text[],
      ${rows.map(({ message }) => message.reply_to)}::text[], ${rows.map(({ message }) => message.sender_id)}::text[],
      ${rows.map(({ message }) => message.happened_at)}::timestamptz[],
      ${rows.map(({ message }) => message.created_at)}::timestamptz[], ${rows.map(({ message }) => asJson(message.raw))}::text[],
      ${rows.map(({ words }) => words)}::text[]
    ) as message (id, chat_id, number_id, type, body, content, reply_to, sender_id, happened_at, created_at, raw, words)),
  states as (
    insert into message_states (org_id, message_id, number_id, provider_id, status, status_history, unread_chat_id)
    select ${orgId}, id, number_id, provider_id, 'received', status_history::jsonb, unread_chat_id
    from unnest(
      ${rows.map(({ message }) => message.id)}::text[], ${rows.map(({ message }) => message.number_id)}::text[],
      ${rows.map(({ message }) => message.provider_id)}::text[],
      ${rows.map(({ message }) => asJson(message.status_history))}::text[],
      ${rows.map(({ message }) => (message.is_unread ? message.chat_id : null))}::text[]
    ) as state (id, number_id, provider_id, status_history, unread_chat_id))
  update chats chat
  set unread_count = chat.unread_count + bump.unread, status = 'open',
      last_message_id = case when exists (
          select from messages last
          where last.org_id = ${orgId} and last.id = chat.last_message_id
            and (last.happened_at, last.id) > (bump.at, bump.message_id))
        then chat.last_message_id else bump.message_id end,
      last_activity_at = greatest(chat.last_activity_at, bump.activity_at),
      last_inbound_at = greatest(chat.last_inbound_at, bump.reported_at)
  from unnest(
    ${bumps.map(() => orgId)}::text[], ${bumps.map(({ chatId }) => chatId)}::text[],
    ${bumps.map(({ messageId }) => messageId)}::text[], ${bumps.map(({ at }) => at)}::timestamptz[],
    ${bumps.map(({ activityAt }) => activityAt)}::timestamptz[], ${bumps.map(({ unread }) => unread)}::int[],
    ${bumps.map(({ reportedAt }) => reportedAt)}::timestamptz[]
  ) as bump (org_id, chat_id, message_id, at, activity_at, unread, reported_at)
  where chat.org_id = bump.org_id and chat.id = bump.chat_id`

/** What a transaction is about to change: messages, places for new messages, and people who may be merged. */
export type Ahead = {
  messageIds: readonly string[]
  places?: readonly ChatPlace[]
  contactIds?: readonly Id<'con'>[]
}

/**
 * Locks all chats that the transaction needs, in one order: those of people who are merged, of places, and of scheduled
 * messages that enter their threads when a status reports that they were sent. Chats are locked before messages.
 */
export const lockChatsAhead = (tx: Tx, orgId: OrgId, { messageIds, places = [], contactIds = [] }: Ahead) => tx.run`
  with ahead as materialized (
    select message.org_id, message.chat_id as id
    from unnest(${messageIds.map(() => orgId)}::text[], ${[...messageIds]}::text[]) as wanted (org_id, id)
    cross join lateral (
      select org_id, id, chat_id, send_at from messages
      where org_id = wanted.org_id and id = wanted.id offset 0) message
    ${stateOf(tx)}
    where message.send_at is not null and coalesce(state.status, 'scheduled') in ('scheduled', 'queued', 'failed')
    union
    select wanted.org_id, ${chatAt(tx)} from ${wantedPlaces(tx, orgId, places)}
    union
    select person.org_id, chat.id
    from unnest(${contactIds.map(() => orgId)}::text[], ${[...contactIds]}::text[]) as person (org_id, id)
    cross join lateral (
      select id, merged_into from chats where org_id = person.org_id and contact_id = person.id offset 0) chat
    where chat.merged_into is null
    order by id)
  select 1 from ahead
  cross join lateral (select from chats where org_id = ahead.org_id and id = ahead.id for update) chat`

/** Locks all messages of the chats of these people, in the order of their ids. Returns only their count. */
export const lockMessagesOfPeople = (tx: Tx, orgId: OrgId, contactIds: readonly string[]) => tx.run`
  with ahead as materialized (
    select person.org_id, message.id
    from unnest(${contactIds.map(() => orgId)}::text[], ${[...contactIds]}::text[]) as person (org_id, id)
    cross join lateral (
      select id, merged_into from chats where org_id = person.org_id and contact_id = person.id offset 0) chat
    cross join lateral (
      select id from messages where org_id = person.org_id and chat_id = chat.id offset 0) message
    where chat.merged_into is null
    order by id)
  select count(*) from ahead
  cross join lateral (select from messages where org_id = ahead.org_id and id = ahead.id for update) message`

/** Limits how long this transaction waits for a lock. */
export const limitLockWait = (tx: Queries, lockMs: number) => tx.run`
  select set_config('lock_timeout', ${String(lockMs)}, true)`

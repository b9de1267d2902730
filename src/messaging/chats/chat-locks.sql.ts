import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, hiddenOrg, homeOrg, orgAs } from '../../platform/database/organization-filter.ts'
import { stateOf } from '../messages/messages.ts'
import type { ChatRow, ChatStatus } from './chats.sql.ts'

export type LockedChat = Pick<ChatRow, 'id' | 'status' | 'last_activity_at' | 'last_message_id'>

/**
 * Here and below a chat is found by its whole key. The organization comes from a sub-select, where PostgreSQL cannot look
 * up how few rows it has; contacts.sql.ts explains why that matters.
 */
export const lockChat = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<LockedChat>`
  select id, status, last_activity_at, last_message_id from chats where org_id = ${hiddenOrg(tx, orgId)} and id = ${id} for update`

export type ChatKey = { contactId: Id<'con'>; numberId: Id<'num'> }

const wantedPlaces = ({ part }: Queries, orgId: OrgId, places: readonly ChatKey[]) => part`
  unnest(${places.map(() => orgId)}::text[], ${places.map(({ contactId }) => contactId)}::text[],
    ${places.map(({ numberId }) => numberId)}::text[]) as wanted (org_id, contact_id, number_id)`

const chatAt = (queries: Queries, orgId: OrgId) => queries.part`(
  select id from chats
  where org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and contact_id = wanted.contact_id and number_id = wanted.number_id)`

export type PlacedChat = { id: Id<'chat'>; contact_id: Id<'con'>; number_id: Id<'num'>; status: ChatStatus }

/**
 * Locks chats in the order of their ids, as every transaction that locks several chats does. A chat that was merged while
 * this waited is left out.
 */
export const lockChatsOf = (tx: Tx, orgId: OrgId, places: readonly ChatKey[]) => tx.many<PlacedChat>`
  with place as materialized (
    select wanted.org_id, wanted.contact_id, wanted.number_id, ${chatAt(tx, orgId)} as id
    from ${wantedPlaces(tx, orgId, places)}
    order by id)
  select chat.id, chat.contact_id, chat.number_id, chat.status
  from place
  cross join lateral (
    select id, contact_id, number_id, status from chats
    where org_id = ${orgAs(tx, orgId, tx.part`place.org_id`)} and id = place.id and contact_id = place.contact_id and number_id = place.number_id
      and merged_into is null
    for update) chat`

/** The people without a chat on the number. */
export const listUnplaced = (queries: Queries, orgId: OrgId, places: readonly ChatKey[]) => queries.many<{
  contact_id: Id<'con'>
}>`
  select distinct wanted.contact_id from ${wantedPlaces(queries, orgId, places)} where ${chatAt(queries, orgId)} is null`

export type NewChat = ChatKey & { id: Id<'chat'> }

/**
 * Creates chats for people whose rows are locked, so that no other transaction creates the same chats or merges the people.
 * Existing chats are skipped.
 */
export const insertChats = (tx: Tx, orgId: OrgId, chats: readonly NewChat[], now: Date) => tx.many<PlacedChat>`
  insert into chats (org_id, id, number_id, contact_id, last_activity_at, created_at)
  select ${homeOrg(tx, orgId)}, given.id, given.number_id, given.contact_id, ${now}, ${now}
  from ${fromHome(tx, orgId)} unnest(${chats.map(({ id }) => id)}::text[], ${chats.map(({ numberId }) => numberId)}::text[],
    ${chats.map(({ contactId }) => contactId)}::text[]) as given (id, number_id, contact_id)
  where (
    select id from contacts
    where org_id = ${orgId} and contacts.id = given.contact_id and merged_into is null) is not null
  order by given.contact_id, given.number_id
  on conflict (org_id, contact_id, number_id) do nothing
  returning id, contact_id, number_id, status`

/** What a transaction is about to change: messages, places for new messages, and people who may be merged. */
export type Ahead = {
  messageIds: readonly string[]
  places?: readonly ChatKey[]
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
      where org_id = ${orgAs(tx, orgId, tx.part`wanted.org_id`)} and id = wanted.id offset 0) message
    ${stateOf(tx, orgId)}
    where message.send_at is not null and coalesce(state.status, 'scheduled') in ('scheduled', 'queued', 'failed')
    union
    select wanted.org_id, ${chatAt(tx, orgId)} from ${wantedPlaces(tx, orgId, places)}
    union
    select person.org_id, chat.id
    from unnest(${contactIds.map(() => orgId)}::text[], ${[...contactIds]}::text[]) as person (org_id, id)
    cross join lateral (
      select id, merged_into from chats where org_id = ${orgAs(tx, orgId, tx.part`person.org_id`)} and contact_id = person.id offset 0) chat
    where chat.merged_into is null
    order by id)
  select 1 from ahead
  cross join lateral (select from chats where org_id = ${orgAs(tx, orgId, tx.part`ahead.org_id`)} and id = ahead.id for update) chat`

/** Locks all messages of the chats of these people, in the order of their ids. Returns only their count. */
export const lockMessagesOfPeople = (tx: Tx, orgId: OrgId, contactIds: readonly string[]) => tx.run`
  with ahead as materialized (
    select person.org_id, message.id
    from unnest(${contactIds.map(() => orgId)}::text[], ${[...contactIds]}::text[]) as person (org_id, id)
    cross join lateral (
      select id, merged_into from chats where org_id = ${orgAs(tx, orgId, tx.part`person.org_id`)} and contact_id = person.id offset 0) chat
    cross join lateral (
      select id from messages where org_id = ${orgAs(tx, orgId, tx.part`person.org_id`)} and chat_id = chat.id offset 0) message
    where chat.merged_into is null
    order by id)
  select count(*) from ahead
  cross join lateral (select from messages where org_id = ${orgAs(tx, orgId, tx.part`ahead.org_id`)} and id = ahead.id for update) message`

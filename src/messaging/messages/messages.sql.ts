import type { MessageType } from '../../channels/content/content.ts'
import type { EventActor } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { isOrgApart, orgAs } from '../../platform/database/organization-filter.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import { NEWEST_LOOKED_AT, searchNewestFirst } from '../search/search.ts'
import type { MessageStatus, StatusEntry } from './messages.states.ts'

/** `business_app`: the business wrote it on its phone, in the WhatsApp Business app. */
export type SenderType = EventActor['type'] | 'business_app'

export type MessageFailure = { code: string; provider_code: string | null; detail: string; retryable: boolean }

export type MessageRow = {
  org_id: OrgId
  id: Id<'msg'>
  chat_id: Id<'chat'>
  number_id: Id<'num'>
  direction: 'inbound' | 'outbound'
  type: MessageType
  body: string | null
  content: Record<string, unknown>
  reply_to: Id<'msg'> | null
  provider_id: string | null
  client_reference: string | null
  order_id: string | null
  sender_type: SenderType
  sender_id: string | null
  status: MessageStatus
  error: MessageFailure | null
  status_history: StatusEntry[]
  send_at: Date | null
  metadata: Record<string, string>
  is_unread: boolean
  happened_at: Date
  created_at: Date
  settled_lease: number
  unknown_since: Date | null
  is_resent: boolean
  /** Further fields that the network reported (rawExtras in inbound-messages.ts); null for nearly all messages. */
  raw: Record<string, unknown> | null
  /** What the network reported with each status, by status: `pricing`, `conversation`, `errors`. */
  reports?: Record<string, Record<string, unknown>> | null
}

/** Beside `message`, the state as `state`: a look-up by the whole key, for the reason given in contacts.sql.ts. */
export const stateOf = (queries: Queries, orgId: OrgId) => queries.part`
  left join lateral (
    select * from message_states
    where message_states.org_id = ${orgAs(queries, orgId, queries.part`message.org_id`)} and message_states.message_id = message.id
    offset 0) state on true`

export const statusColumn = ({ part }: Queries) => part`
  coalesce(state.status, case when message.send_at is null then 'queued' else 'scheduled' end)`

/** The history of a message that waits to be sent. */
export const firstHistory = ({ part }: Queries) => part`
  jsonb_build_array(jsonb_build_object(
    'status', case when message.send_at is null then 'queued' else 'scheduled' end,
    'at', to_char(message.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`

export const messageColumns = (queries: Queries) => queries.part`
  message.org_id, message.id, message.chat_id, message.number_id, message.direction, message.type, message.body,
  message.content, message.reply_to, state.provider_id, message.client_reference, message.order_id,
  message.sender_type, message.sender_id, ${statusColumn(queries)} as status, state.error,
  coalesce(state.status_history, ${firstHistory(queries)}) as status_history, message.send_at,
  message.metadata, state.unread_chat_id is not null as is_unread, message.happened_at, message.created_at,
  coalesce(state.settled_lease, 0) as settled_lease, state.unknown_since, coalesce(state.is_resent, false) as is_resent,
  message.raw, state.reports`

export type ProviderKey = { numberId: string; providerId: string }

export const findMessage = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<MessageRow>`
  select ${messageColumns(queries)} from messages message ${stateOf(queries, orgId)}
  where message.org_id = ${orgId} and message.id = ${id}`

export const listMessagesById = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<MessageRow>`
  select ${messageColumns(queries)} from messages message ${stateOf(queries, orgId)}
  where message.org_id = ${orgId} and message.id = any(${ids})`

export type ThreadPage = { chatId: string; before: { at: Date; id: string } | null; limit: number }

/** Reads one range of the thread, newest first. */
export const listThread = (queries: Queries, orgId: OrgId, { chatId, before, limit }: ThreadPage) =>
  queries.many<MessageRow>`
    select ${messageColumns(queries)} from messages message ${stateOf(queries, orgId)}
    where message.org_id = ${orgId} and message.chat_id = ${chatId}
      ${before === null ? queries.part`` : queries.part`and (message.happened_at, message.id) < (${before.at}, ${before.id})`}
    order by message.happened_at desc, message.id desc limit ${limit}`

export type MessageSearch = {
  query: string | null
  chatId: string | null
  /** The message after which the page begins, and its place in the thread. */
  before: { id: string; at: Date } | null
  limit: number
}

/**
 * Newest first: messages of a chat in the order of its thread, so that a page is one range of its index however long the
 * thread is, and others by their ids. A chat is read by its whole key: contacts.sql.ts explains why org_id is in the wanted
 * row.
 */
export function searchMessages(queries: Queries, orgId: OrgId, { query, chatId, before, limit }: MessageSearch) {
  const { part } = queries
  if (chatId !== null)
    return readPage(
      queries,
      orgId,
      part`
        select message.*
        from unnest(${[orgId]}::text[], ${[chatId]}::text[]) as wanted (org_id, chat_id)
        cross join lateral (
          select * from messages
          where messages.org_id = ${orgAs(queries, orgId, part`wanted.org_id`)} and messages.chat_id = wanted.chat_id
            ${before === null ? part`` : part`and (happened_at, id) < (${before.at}, ${before.id})`}
            ${query === null ? part`` : part`and words @@ ${query}::tsquery`}
          order by happened_at desc, id desc limit ${limit}) message`,
      part`message.happened_at desc, message.id desc`,
    )
  const isBefore = before === null ? part`` : part`and id < ${before.id}`
  const newestFirst = part`message.id desc`
  if (query === null)
    return readPage(
      queries,
      orgId,
      part`select * from messages where org_id = ${orgId} ${isBefore} order by id desc limit ${limit}`,
      newestFirst,
    )
  return searchNewestFirst(
    limit,
    () =>
      readPage(
        queries,
        orgId,
        part`
          select * from (
            select * from messages where org_id = ${orgId} ${isBefore} order by id desc limit ${NEWEST_LOOKED_AT}) newest
          where words @@ ${query}::tsquery order by id desc limit ${limit}`,
        newestFirst,
      ),
    () =>
      readPage(
        queries,
        orgId,
        part`
          select * from messages
          where ${isOrgApart(queries, orgId)} and words @@ ${query}::tsquery ${isBefore} order by id desc limit ${limit}`,
        newestFirst,
      ),
  )
}

type Part = ReturnType<Queries['part']>

/** Looks up the states only of the messages on the page. */
const readPage = (queries: Queries, orgId: OrgId, page: Part, order: Part) => queries.many<MessageRow>`
  select ${messageColumns(queries)} from (${page}) message ${stateOf(queries, orgId)} order by ${order}`

export type OrderLink = { messageId: string; orderId: string }

/** Locks the chat of a message, which comes before the message in the lock order. */
export const lockChatOfMessage = (tx: Tx, orgId: OrgId, messageId: string) => tx.run`
  select id from chats
  where org_id = ${orgId} and id = (select chat_id from messages where org_id = ${orgId} and id = ${messageId})
  for update`

/** A message that has an order keeps it; the answer is null then. */
export const linkMessageToOrder = (tx: Tx, orgId: OrgId, { messageId, orderId }: OrderLink) => tx.maybeOne<{
  id: string
}>`
  update messages set order_id = ${orderId}
  where org_id = ${orgId} and id = ${messageId} and order_id is null
  returning id`

export const deleteMessage = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  with forgotten as (
    delete from message_states where org_id = ${orgId} and message_id = ${id})
  delete from messages where org_id = ${orgId} and id = ${id}`

export type ContentChange = {
  id: Id<'msg'>
  type: MessageType
  body: string | null
  content: Record<string, unknown>
  raw: Record<string, unknown> | null
  words: string
  isDeleted: boolean
}

/** A change of a message that was applied, by its author: its id at the network, and its time. */
export type NotedChange = { provider_id: string; at: string }

/** Two statements: on a cluster, a condition that is false in a part of a statement ends all parts of it. */
export const updateContent = async (tx: Tx, orgId: OrgId, change: ContentChange): Promise<void> => {
  if (change.isDeleted)
    await tx.run`
      update message_states set unread_chat_id = null
      where org_id = ${orgId} and message_id = ${change.id} and unread_chat_id is not null`
  await tx.run`
    update messages
    set type = ${change.type}, body = ${change.body}, content = ${asJson(change.content)}::text::jsonb, words = ${change.words}::tsvector,
        raw = ${asJson(change.raw)}::text::jsonb
    where org_id = ${orgId} and id = ${change.id}`
}

export const findLastInbound = (queries: Queries, orgId: OrgId, chatId: string) => queries.maybeOne<{
  id: Id<'msg'>
  provider_id: string
}>`
  select message.id, state.provider_id from messages message ${stateOf(queries, orgId)}
  where message.org_id = ${orgId} and message.chat_id = ${chatId} and message.direction = 'inbound'
    and state.provider_id is not null
  order by message.happened_at desc, message.id desc limit 1`

export type MessageCounts = { inbound: number; outbound: number }

/** Counts the messages of each range of ids, in the order of the ranges, without the past that was imported. */
export const countMessages = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { fromId: string; beforeId: string }[],
) => queries.many<MessageCounts>`
  select counted.inbound, counted.outbound
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*) filter (where direction = 'inbound')::int as inbound,
      count(*) filter (where direction = 'outbound')::int as outbound
    from messages
    where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id and (raw is null or not raw ? 'history')
  ) as counted
  order by wanted.position`

import type { MessageType } from '../channels/message-content.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import type { MessageStatus, StatusEntry } from './messages.states.ts'
import { asJson } from './stored-json.ts'
import { NEWEST_LOOKED_AT, searchNewestFirst } from './word-search.ts'

export type SenderType = 'key' | 'agent' | 'user' | 'contact' | 'system'

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
  /** What else the network told of it (toldBeside in apply-messages.ts); null of nearly all. */
  raw: Record<string, unknown> | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, chat_id, number_id, direction, type, body, content, reply_to, provider_id, client_reference, order_id,
  sender_type, sender_id, status, error, status_history, send_at, metadata, is_unread, happened_at, created_at,
  settled_lease, unknown_since, is_resent, raw`

/** The same, where other tables have columns of the same name. */
export const messageColumns = ({ part }: Queries) => part`
  message.org_id, message.id, message.chat_id, message.number_id, message.direction, message.type, message.body,
  message.content, message.reply_to, message.provider_id, message.client_reference, message.order_id,
  message.sender_type, message.sender_id, message.status, message.error, message.status_history, message.send_at,
  message.metadata, message.is_unread, message.happened_at, message.created_at, message.settled_lease,
  message.unknown_since, message.is_resent, message.raw`

export const findMessage = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<MessageRow>`
  select ${columns(queries)} from messages where org_id = ${orgId} and id = ${id}`

export const lockMessage = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<MessageRow>`
  select ${columns(tx)} from messages where org_id = ${orgId} and id = ${id} for update`

export type ProviderKey = { numberId: string; providerId: string }

export const findByProviderId = (queries: Queries, orgId: OrgId, { numberId, providerId }: ProviderKey) =>
  queries.maybeOne<{ id: Id<'msg'>; chat_id: Id<'chat'> }>`
    select id, chat_id from messages
    where org_id = ${orgId} and number_id = ${numberId} and provider_id = ${providerId}`

export type ThreadPage = { chatId: string; before: { at: Date; id: string } | null; limit: number }

/** One walk back along the thread. */
export const listThread = (queries: Queries, orgId: OrgId, { chatId, before, limit }: ThreadPage) =>
  queries.many<MessageRow>`
    select ${columns(queries)} from messages
    where org_id = ${orgId} and chat_id = ${chatId}
      ${before === null ? queries.part`` : queries.part`and (happened_at, id) < (${before.at}, ${before.id})`}
    order by happened_at desc, id desc limit ${limit}`

export type MessageSearch = {
  query: string | null
  chatId: string | null
  /** After which message the page begins, and where that stands in its thread. */
  before: { id: string; at: Date } | null
  limit: number
}

/**
 * Newest first: those of a chat as they stand in its thread, so that a page is one stretch of its index however long it is, and
 * others by their ids. A chat is read by its whole key: applying.sql.ts tells why org_id is in the row asked for.
 */
export function searchMessages(queries: Queries, orgId: OrgId, { query, chatId, before, limit }: MessageSearch) {
  const { part } = queries
  if (chatId !== null)
    return queries.many<MessageRow>`
      select message.*
      from unnest(${[orgId]}::text[], ${[chatId]}::text[]) as wanted (org_id, chat_id)
      cross join lateral (
        select ${columns(queries)} from messages
        where messages.org_id = wanted.org_id and messages.chat_id = wanted.chat_id
          ${before === null ? part`` : part`and (happened_at, id) < (${before.at}, ${before.id})`}
          ${query === null ? part`` : part`and words @@ ${query}::tsquery`}
        order by happened_at desc, id desc limit ${limit}) message
      order by message.happened_at desc, message.id desc`
  const isBefore = before === null ? part`` : part`and id < ${before.id}`
  if (query === null)
    return queries.many<MessageRow>`
      select ${columns(queries)} from messages where org_id = ${orgId} ${isBefore} order by id desc limit ${limit}`
  return searchNewestFirst(
    limit,
    () => queries.many<MessageRow>`
      select ${columns(queries)}
      from (
        select * from messages where org_id = ${orgId} ${isBefore} order by id desc limit ${NEWEST_LOOKED_AT}) message
      where words @@ ${query}::tsquery order by id desc limit ${limit}`,
    () => queries.many<MessageRow>`
      select ${columns(queries)} from messages
      where org_id || '' = ${orgId} and words @@ ${query}::tsquery ${isBefore} order by id desc limit ${limit}`,
  )
}

/**
 * The provider's id that `message` has from now on; `source` is what the statement calls the rows that tell it. A network
 * that gives one id to two messages must not undo all else that is noted with it, so the second goes without. Only a
 * message that has none is looked at, under the lock of the id.
 *
 * The odd way to say "equals" leaves PostgreSQL one index to choose: planned while the table was empty, a plain one would
 * walk all messages of the organization for every message (see lockWantedChats).
 */
export const providerIdFrom = ({ part }: Queries, source: 'moved' | 'before') => {
  const given = source === 'moved' ? part`moved.provider_id` : part`before.provider_id`
  return part`coalesce(message.provider_id, case when (
      select holder.id from messages holder
      where holder.org_id = message.org_id and holder.number_id = message.number_id
        and holder.provider_id >= ${given} and holder.provider_id <= ${given}
      order by holder.provider_id limit 1
    ) is null then ${given} end)`
}

/** What reports come to. Whatever was unknown about the messages is known now. Why org_id is in the rows: applying.sql.ts. */
export const moveMessages = (tx: Tx, orgId: OrgId, rows: readonly MessageRow[]) => tx.run`
  update messages message
  set status = moved.status, status_history = moved.status_history::jsonb, error = moved.error::jsonb,
      provider_id = ${providerIdFrom(tx, 'moved')}, unknown_since = null
  from unnest(${rows.map(() => orgId)}::text[], ${rows.map(({ id }) => id)}::text[],
    ${rows.map(({ status }) => status)}::text[], ${rows.map((row) => asJson(row.status_history))}::text[],
    ${rows.map(({ error }) => asJson(error))}::text[], ${rows.map((row) => row.provider_id)}::text[]
  ) as moved (org_id, id, status, status_history, error, provider_id)
  where message.org_id = moved.org_id and message.id = moved.id`

export const markUnknown = (tx: Tx, orgId: OrgId, { id, since }: { id: string; since: Date }) => tx.maybeOne<{
  id: string
}>`
  update messages set unknown_since = ${since}
  where org_id = ${orgId} and id = ${id} and unknown_since is null and status in ('scheduled', 'queued')
  returning id`

/** Again from the start: what was unknown is taken as not sent. */
export const forgetAttempts = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  update messages set unknown_since = null, settled_lease = 0, is_resent = true where org_id = ${orgId} and id = ${id}`

export type OrderLink = { messageId: string; orderId: string }

/** In one order, as everywhere where several are locked. */
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
  delete from messages where org_id = ${orgId} and id = ${id}`

export type ContentChange = {
  id: Id<'msg'>
  type: MessageType
  body: string | null
  content: Record<string, unknown>
  words: string
  isUnread: boolean
  isTakenBack: boolean
  edits: readonly NotedEdit[]
}

/** An edit of a customer's that was applied: what the network calls it, and when it was made. */
export type NotedEdit = { provider_id: string; at: string }

export const listEdits = async (queries: Queries, orgId: OrgId, id: string): Promise<NotedEdit[]> => {
  const row = await queries.maybeOne<{ edits: NotedEdit[] | null }>`
    select raw -> 'applied_edits' as edits from messages where org_id = ${orgId} and id = ${id}`
  return row?.edits ?? []
}

/** Of what was taken back, nothing is kept but the advertisement: that is no word of the customer, and was paid for. */
export const updateContent = (tx: Tx, orgId: OrgId, change: ContentChange) => tx.run`
  update messages
  set type = ${change.type}, body = ${change.body}, content = ${asJson(change.content)}::text::jsonb, words = ${change.words}::tsvector,
      is_unread = ${change.isUnread},
      raw = case when ${change.isTakenBack} then jsonb_build_object('referral', raw -> 'referral')
        when ${change.edits.length} = 0 then raw
        else coalesce(raw, '{}') || jsonb_build_object('applied_edits', ${asJson(change.edits)}::text::jsonb) end
  where org_id = ${orgId} and id = ${change.id}`

/** Up to and including a message of the thread, or all of them. Answers with the provider's ids, newest first. */
export const markRead = (tx: Tx, orgId: OrgId, { chatId, upTo }: { chatId: string; upTo: string | null }) =>
  tx.many<{ id: Id<'msg'>; provider_id: string | null }>`
    with marked as (
      update messages set is_unread = false
      where org_id = ${orgId} and chat_id = ${chatId} and is_unread
        ${
          upTo === null
            ? tx.part``
            : tx.part`and (happened_at, id) <= (
                (select happened_at from messages where org_id = ${orgId} and id = ${upTo}), ${upTo})`
        }
      returning id, provider_id, happened_at)
    select id, provider_id from marked order by happened_at desc, id desc`

export const countUnread = (tx: Tx, orgId: OrgId, chatId: string) => tx.one<{ count: number }>`
  select count(*)::int as count from messages where org_id = ${orgId} and chat_id = ${chatId} and is_unread`

export const findLastInbound = (queries: Queries, orgId: OrgId, chatId: string) => queries.maybeOne<{
  id: Id<'msg'>
  provider_id: string
}>`
  select id, provider_id from messages
  where org_id = ${orgId} and chat_id = ${chatId} and direction = 'inbound' and provider_id is not null
  order by happened_at desc, id desc limit 1`

export type ParkedReport = { status: string; report: Record<string, unknown> }

export type NewParked = ProviderKey & ParkedReport

export const parkReports = (tx: Tx, orgId: OrgId, parked: readonly NewParked[], now: Date) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  select ${orgId}, number_id, provider_id, status, report::jsonb, ${now}
  from unnest(${parked.map(({ numberId }) => numberId)}::text[], ${parked.map(({ providerId }) => providerId)}::text[],
    ${parked.map(({ status }) => status)}::text[], ${parked.map(({ report }) => asJson(report))}::text[])
    as given (number_id, provider_id, status, report)
  on conflict do nothing`

/** Of several edits of one message, the last. */
export const parkEdit = (
  tx: Tx,
  orgId: OrgId,
  { numberId, providerId, report }: ProviderKey & { report: Record<string, unknown> & { edit: NotedEdit } },
  now: Date,
) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  values (${orgId}, ${numberId}, ${providerId}, 'edited', ${asJson(report)}::text::jsonb, ${now})
  on conflict (org_id, number_id, provider_id, status) do update set report = excluded.report
  where excluded.report #>> '{edit,at}' >= message_statuses_parked.report #>> '{edit,at}'`

export const sweepParked = (tx: Queries, orgId: OrgId, { before, limit }: { before: Date; limit: number }) => tx.run`
  delete from message_statuses_parked
  where org_id = ${orgId} and (number_id, provider_id, status) in (
    select number_id, provider_id, status from message_statuses_parked
    where org_id = ${orgId} and parked_at < ${before} order by parked_at limit ${limit})`

/** Hops from one organization to the next along the index instead of reading every row. */
export const listOrganizationsWithParked = (queries: Queries) => queries.many<{ org_id: OrgId }>`
  with recursive hop as (
    (select org_id from message_statuses_parked order by org_id limit 1)
    union all
    select (select later.org_id from message_statuses_parked later where later.org_id > hop.org_id
      order by later.org_id limit 1)
    from hop where hop.org_id is not null)
  select org_id from hop where org_id is not null`

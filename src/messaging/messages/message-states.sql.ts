import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import { firstHistory, type MessageRow, messageColumns, type NotedChange, type ProviderKey } from './messages.sql.ts'

/**
 * The state of messages. It changes several times and the content of a message does not, so it has a separate row, which is
 * small and whose changes write no index. An inbound message has the row from the start, an outbound one from its first
 * change: until then it is queued or scheduled, since it was created.
 *
 * The row is also the lock of a message: its state changes only under it. Where it is missing, it is created for that.
 *
 * Rows that are joined are also named by `= any`: for an organization that the statistics do not know PostgreSQL would
 * otherwise read all rows for each wanted one (contacts.sql.ts).
 */

/** Locks messages in the order of their ids. */
export async function lockMessages(tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<MessageRow[]> {
  const locked = await lockStates(tx, orgId, ids)
  if (locked.length === ids.length) return locked
  const known = new Set<string>(locked.map(({ id }) => id))
  const others = ids.filter((id) => !known.has(id))
  const [, created] = await Promise.all([createStates(tx, orgId, others), lockStates(tx, orgId, others)])
  return [...locked, ...created]
}

export const lockMessage = async (tx: Tx, orgId: OrgId, id: string): Promise<MessageRow | null> =>
  (await lockMessages(tx, orgId, [id]))[0] ?? null

const lockStates = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.many<MessageRow>`
  select ${messageColumns(tx)}
  from (select id from unnest(${[...ids]}::text[]) as id order by id) wanted
  cross join lateral (
    select * from message_states where org_id = ${orgId} and message_id = wanted.id for update) state
  cross join lateral (
    select * from messages where org_id = ${orgId} and id = wanted.id offset 0) message`

/** A transaction that creates one at the same moment is waited for. */
const createStates = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.run`
  insert into message_states (org_id, message_id, number_id, status, status_history)
  select ${homeOrg(tx, orgId)}, message.id, message.number_id,
    case when message.send_at is null then 'queued' else 'scheduled' end, ${firstHistory(tx)}
  from ${fromHome(tx, orgId)} (select id from unnest(${[...ids]}::text[]) as id order by id) wanted
  cross join lateral (
    select id, number_id, send_at, created_at from messages where org_id = ${orgId} and id = wanted.id offset 0) message
  on conflict do nothing`

export type KnownMessage = { number_id: string; provider_id: string; id: Id<'msg'> }

export const listByProviderIds = (queries: Queries, orgId: OrgId, keys: readonly ProviderKey[]) =>
  queries.many<KnownMessage>`
    select key.number_id, key.provider_id, known.message_id as id
    from unnest(${keys.map(({ numberId }) => numberId)}::text[], ${keys.map(({ providerId }) => providerId)}::text[])
      as key (number_id, provider_id)
    cross join lateral (
      select message_id from message_states
      where org_id = ${orgId} and number_id = key.number_id and provider_id = key.provider_id offset 0) known`

export const findByProviderId = (queries: Queries, orgId: OrgId, { numberId, providerId }: ProviderKey) =>
  queries.maybeOne<{ id: Id<'msg'>; chat_id: Id<'chat'> }>`
    select message.id, message.chat_id
    from (
      select message_id from message_states
      where org_id = ${orgId} and number_id = ${numberId} and provider_id = ${providerId} offset 0) known
    cross join lateral (
      select id, chat_id from messages where org_id = ${orgId} and id = known.message_id offset 0) message`

/**
 * Writes the states that reports lead to. The messages are locked, and their outcome is no longer unknown. A network that
 * assigns one id to two messages must not undo everything else in the statement, so the second goes without an id. Only a
 * message without an id is checked, under the lock of the id.
 *
 * The odd way to say "equals" leaves PostgreSQL one index to choose: planned while the table was empty, a plain one would
 * walk all messages of the organization for every message (see lockWantedChats).
 */
export const moveMessages = (tx: Tx, orgId: OrgId, rows: readonly MessageRow[]) => tx.many<
  Pick<MessageRow, 'id' | 'provider_id'>
>`
  update message_states state
  set status = moved.status, status_history = moved.status_history::jsonb, error = moved.error::jsonb, unknown_since = null,
      reports = case when moved.reports is null then state.reports else coalesce(state.reports, '{}') || moved.reports::jsonb end,
      provider_id = coalesce(state.provider_id, case when (
        select holder.message_id from message_states holder
        where holder.org_id = ${orgId} and holder.number_id = state.number_id
          and holder.provider_id >= moved.provider_id and holder.provider_id <= moved.provider_id
        order by holder.provider_id limit 1
      ) is null then moved.provider_id end)
  from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ status }) => status)}::text[],
    ${rows.map((row) => asJson(row.status_history))}::text[], ${rows.map(({ error }) => asJson(error))}::text[],
    ${rows.map((row) => row.provider_id)}::text[], ${rows.map(({ reports }) => asJson(reports ?? null))}::text[]
  ) as moved (id, status, status_history, error, provider_id, reports)
  where state.org_id = ${orgId} and state.message_id = moved.id and state.message_id = any(${rows.map(({ id }) => id)}::text[])
  returning state.message_id as id, state.provider_id`

/** The provider's id is null when another message of the batch has the same. */
export type Accepted = { id: string; providerId: string | null; at: Date }

/**
 * The network took them. Those that have a state already, because a status was faster or an earlier run ended otherwise,
 * are left out, and so are those whose provider's id another message has.
 */
export const insertSent = (tx: Tx, orgId: OrgId, accepted: readonly Accepted[]) => tx.many<MessageRow>`
  with message as materialized (
    select message.*, answer.provider_id, answer.at
    from unnest(${accepted.map(({ id }) => id)}::text[], ${accepted.map(({ providerId }) => providerId)}::text[],
      ${accepted.map(({ at }) => at)}::timestamptz[]) as answer (id, provider_id, at)
    cross join lateral (
      select * from messages where org_id = ${orgId} and id = answer.id offset 0) message
    order by message.id),
  state as (
    insert into message_states (org_id, message_id, number_id, provider_id, status, status_history)
    select ${homeOrg(tx, orgId)}, message.id, message.number_id, message.provider_id, 'sent', ${firstHistory(tx)} || jsonb_build_array(
      jsonb_build_object('status', 'sent', 'at', to_char(message.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from ${fromHome(tx, orgId)} message
    on conflict do nothing
    returning *)
  select ${messageColumns(tx)} from message join state on state.message_id = message.id`

/** These runs ended with the certainty that nothing was accepted; the messages are locked. */
export const noteSettled = (tx: Tx, orgId: OrgId, settled: readonly { id: string; lease: number }[]) => tx.run`
  update message_states state set settled_lease = run.lease
  from unnest(${settled.map(({ id }) => id)}::text[], ${settled.map(({ lease }) => lease)}::int[]) as run (id, lease)
  where state.org_id = ${orgId} and state.message_id = run.id
    and state.message_id = any(${settled.map(({ id }) => id)}::text[])`

/** The message is locked. */
export const markUnknown = (tx: Tx, orgId: OrgId, { id, since }: { id: string; since: Date }) => tx.maybeOne<{
  id: string
}>`
  update message_states set unknown_since = ${since}
  where org_id = ${orgId} and message_id = ${id} and unknown_since is null and status in ('scheduled', 'queued')
  returning message_id as id`

/** Again from the start: what was unknown is taken as not sent. */
export const forgetAttempts = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  update message_states set unknown_since = null, settled_lease = 0, is_resent = true
  where org_id = ${orgId} and message_id = ${id}`

/** Up to and including a message of the thread, or all of them. Answers with the provider's ids, newest first. */
export const markMessagesRead = (tx: Tx, orgId: OrgId, { chatId, upTo }: { chatId: string; upTo: string | null }) =>
  tx.many<{ id: Id<'msg'>; provider_id: string | null }>`
    with unread as materialized (
      select message.id, message.happened_at
      from (
        select message_id from message_states
        where org_id = ${orgId} and unread_chat_id = ${chatId} and unread_chat_id is not null offset 0) state
      cross join lateral (
        select id, happened_at from messages where org_id = ${orgId} and id = state.message_id offset 0) message
      ${
        upTo === null
          ? tx.part``
          : tx.part`where (message.happened_at, message.id) <= (
              (select happened_at from messages where org_id = ${orgId} and id = ${upTo}), ${upTo})`
      }),
    marked as (
      update message_states set unread_chat_id = null
      where org_id = ${orgId} and unread_chat_id = ${chatId} and unread_chat_id is not null
        and message_id = any(array(select id from unread))
      returning message_id, provider_id)
    select unread.id, marked.provider_id from marked join unread on unread.id = marked.message_id
    order by unread.happened_at desc, unread.id desc`

export const countUnread = (tx: Tx, orgId: OrgId, chatId: string) => tx.one<{ count: number }>`
  select count(*)::int as count from message_states
  where org_id = ${orgId} and unread_chat_id = ${chatId} and unread_chat_id is not null`

export type ParkedReport = { status: string; report: Record<string, unknown> }

export type NewParked = ProviderKey & ParkedReport

export const parkReports = (tx: Tx, orgId: OrgId, parked: readonly NewParked[], now: Date) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  select ${homeOrg(tx, orgId)}, number_id, provider_id, status, report::jsonb, ${now}
  from ${fromHome(tx, orgId)} unnest(${parked.map(({ numberId }) => numberId)}::text[], ${parked.map(({ providerId }) => providerId)}::text[],
    ${parked.map(({ status }) => status)}::text[], ${parked.map(({ report }) => asJson(report))}::text[])
    as given (number_id, provider_id, status, report)
  on conflict do nothing`

/** Keeps the last of several edits of one message. */
export const parkEdit = (
  tx: Tx,
  orgId: OrgId,
  { numberId, providerId, report }: ProviderKey & { report: Record<string, unknown> & { edit: NotedChange } },
  now: Date,
) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  values (${orgId}, ${numberId}, ${providerId}, 'edited', ${asJson(report)}::text::jsonb, ${now})
  on conflict (org_id, number_id, provider_id, status) do update set report = excluded.report
  where excluded.report #>> '{edit,at}' >= message_statuses_parked.report #>> '{edit,at}'`

export const takeParkedOf = (tx: Tx, orgId: OrgId, keys: readonly ProviderKey[]) =>
  tx.many<ParkedReport & { number_id: string; provider_id: string }>`
    delete from message_statuses_parked parked
    using unnest(${keys.map(({ numberId }) => numberId)}::text[], ${keys.map(({ providerId }) => providerId)}::text[])
      as sent (number_id, provider_id)
    where parked.org_id = ${orgId} and parked.number_id = sent.number_id and parked.provider_id = sent.provider_id
    returning parked.number_id, parked.provider_id, parked.status, parked.report`

export type ParkedPlace = ProviderKey & { org_id: OrgId; status: string }

/** Old parked reports of all organizations, the oldest first. */
export const listOldParked = (tx: Tx, { before, rowsMax }: { before: Date; rowsMax: number }) => tx.many<ParkedPlace>`
  select org_id, number_id as "numberId", provider_id as "providerId", status from message_statuses_parked
  where parked_at < ${before} order by parked_at limit ${rowsMax}`

/** Rows that another transaction is applying are left for the next run. */
export const deleteParked = (tx: Tx, orgId: OrgId, places: readonly ParkedPlace[]) => tx.run`
  delete from message_statuses_parked where org_id = ${orgId} and (number_id, provider_id, status) in (
    select number_id, provider_id, status from message_statuses_parked
    where org_id = ${orgId} and (number_id, provider_id, status) in (
      select * from unnest(${places.map(({ numberId }) => numberId)}::text[],
        ${places.map(({ providerId }) => providerId)}::text[], ${places.map(({ status }) => status)}::text[]))
    for update skip locked)`

/** Lists parked reports of all organizations that wait for their messages, the oldest first. */
export const listParkedPlaces = (queries: Queries, rowsMax: number) => queries.many<ParkedPlace>`
  select org_id, number_id as "numberId", provider_id as "providerId", status from message_statuses_parked
  where status not in ('edited', 'revoked') order by parked_at limit ${rowsMax}`

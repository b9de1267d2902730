import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import type { ContactRow } from './contacts.sql.ts'
import { type MessageRow, messageColumns, type ParkedReport, providerIdFrom } from './messages.sql.ts'
import { HISTORY_ORDER } from './messages.states.ts'

/** What a run needs to know of its message: read for many runs at once. */
export type Sendable = Pick<
  MessageRow,
  'org_id' | 'id' | 'chat_id' | 'type' | 'body' | 'content' | 'status' | 'settled_lease' | 'unknown_since' | 'is_resent'
> & {
  contact_id: Id<'con'>
  phone: string | null
  identities: ContactRow['identities']
  reply_provider_id: string | null
  reaction_provider_id: string | null
}

/** Sub-selects and not joins, for the reason told at lockWantedChats: a first message is sent from tables that were empty. */
export const listSendable = (
  queries: Queries,
  keys: readonly { orgId: string; id: string }[],
) => queries.many<Sendable>`
  select message.org_id, message.id, message.chat_id, message.type, message.body, message.content, message.status,
    message.settled_lease, message.unknown_since, message.is_resent, chat.contact_id, contact.phone, contact.identities,
    (select provider_id from messages replied
      where replied.org_id = message.org_id and replied.id = message.reply_to) as reply_provider_id,
    case message.type when 'reaction' then (
      select provider_id from messages reacted
      where reacted.org_id = message.org_id and reacted.id = message.content -> 'reaction' ->> 'message_id'
    ) end as reaction_provider_id
  from unnest(${keys.map(({ orgId }) => orgId)}::text[], ${keys.map(({ id }) => id)}::text[]) as wanted (org_id, id)
  cross join lateral (
    select * from messages where messages.org_id = wanted.org_id and messages.id = wanted.id offset 0) message
  cross join lateral (
    select contact_id from chats where chats.org_id = message.org_id and chats.id = message.chat_id offset 0) chat
  cross join lateral (
    select phone, identities from contacts
    where contacts.org_id = message.org_id and contacts.id = chat.contact_id offset 0) contact`

/** Without a provider's id where another of them has the same. */
export type Accepted = { orgId: OrgId; id: string; providerId: string | null; at: Date }

/**
 * The network took them. A status that was faster has moved the message further already; then only the provider's id and
 * the history are noted, in the order that addToHistory keeps. Answers with how each stands, and whether this moved it.
 */
export const noteAccepted = (tx: Tx, accepted: readonly Accepted[]) => tx.many<
  MessageRow & { was: MessageRow['status'] }
>`
  with answer as materialized (
    select * from unnest(
      ${accepted.map(({ orgId }) => orgId)}::text[], ${accepted.map(({ id }) => id)}::text[],
      ${accepted.map(({ providerId }) => providerId)}::text[], ${accepted.map(({ at }) => at)}::timestamptz[]
    ) as answer (org_id, id, provider_id, at)),
  before as (
    select message.org_id, message.id, message.status, answer.provider_id,
      jsonb_build_array(jsonb_build_object('status', 'sent',
        'at', to_char(answer.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) as sent
    from answer join messages message on message.org_id = answer.org_id and message.id = answer.id
    order by message.id for update of message)
  update messages message
  set status = case when before.status in ('scheduled', 'queued') then 'sent' else message.status end,
      status_history = case
        when message.status_history @> '[{"status": "sent"}]' then message.status_history
        when before.status in ('scheduled', 'queued') then message.status_history || before.sent
        else (select jsonb_agg(entry order by date_trunc('second', (entry ->> 'at')::timestamptz),
            array_position(${HISTORY_ORDER}::text[], entry ->> 'status'))
          from jsonb_array_elements(message.status_history || before.sent) as entry) end,
      provider_id = ${providerIdFrom(tx, 'before')}, unknown_since = null
  from before
  where message.org_id = before.org_id and message.id = before.id
  returning ${messageColumns(tx)}, before.status as was`

/** These runs ended with the certainty that nothing was accepted. */
export const noteSettled = (tx: Tx, settled: readonly { orgId: string; id: string; lease: number }[]) => tx.run`
  update messages message set settled_lease = run.lease
  from unnest(${settled.map(({ orgId }) => orgId)}::text[], ${settled.map(({ id }) => id)}::text[],
    ${settled.map(({ lease }) => lease)}::int[]) as run (org_id, id, lease)
  where message.org_id = run.org_id and message.id = run.id`

export const takeParkedOf = (tx: Tx, keys: readonly { orgId: string; numberId: string; providerId: string }[]) =>
  tx.many<ParkedReport & { org_id: OrgId; number_id: string; provider_id: string }>`
    delete from message_statuses_parked parked
    using unnest(${keys.map(({ orgId }) => orgId)}::text[], ${keys.map(({ numberId }) => numberId)}::text[],
      ${keys.map(({ providerId }) => providerId)}::text[]) as sent (org_id, number_id, provider_id)
    where parked.org_id = sent.org_id and parked.number_id = sent.number_id and parked.provider_id = sent.provider_id
    returning parked.org_id, parked.number_id, parked.provider_id, parked.status, parked.report`

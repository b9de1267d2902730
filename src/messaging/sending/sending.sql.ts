import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg, orgAs } from '../../platform/database/organization-filter.ts'
import { momentList, textList, unsizedList } from '../../platform/database/plain-lists.ts'
import { type FreshReply, type IdempotencyClaim, isRemembered } from '../../platform/http/pipeline/idempotency.ts'
import { bornLease, bornOn, leaseColumns, type Offer, traceColumn } from '../../platform/outbox/entries.sql.ts'
import { type ChatRow, chatColumns, contactColumns, type FlatChatRow, unflattenChat } from '../chats/chats.ts'
import type { ContactRow, IdentityKind } from '../contacts/contacts.ts'
import { type MessageRow, stateOf, statusColumn } from '../messages/messages.ts'

/**
 * The statements of the hot path. Everything is an array over the batch, which is of one organization: one message costs as many
 * trips as a hundred.
 */
export type WantedChat = {
  position: number
  orgId: OrgId
  /** An identity, or the contact itself. */
  kind: IdentityKind | 'contact'
  value: string
  numberId: string
  /** Whether opt-outs count. */
  isMarketing: boolean
}

/** `rowAt` is the physical place of the row. It stays valid until the commit, because this transaction holds the row. */
export type WantedChatRow = { position: number; chat: ChatRow; rowAt: string }

/**
 * Locks the chats that messages go to until the commit, and reads them. Every transaction locks several chats in the order
 * of their ids, so that two never deadlock. The newest message is not read: each of these chats is about to get another.
 *
 * The statement leaves PostgreSQL only the index of each step to choose: sub-selects and not joins, and the whole key of
 * every index that it could take instead. The connection keeps the plan, and a plan created while the tables were empty
 * would otherwise walk all chats for every message a thousand chats later.
 */
export const lockWantedChats = async (
  tx: Tx,
  orgId: OrgId,
  wanted: readonly WantedChat[],
): Promise<WantedChatRow[]> => {
  const judged = wanted.filter(({ isMarketing }) => isMarketing)
  if (judged.length === 0) return lockChatRows(tx, orgId, wanted)
  const [locked, optOuts] = await Promise.all([lockChatRows(tx, orgId, wanted), listOptOuts(tx, orgId, judged)])
  const optOutsOf = new Map(optOuts.map(({ org_id, contact_id, opt_outs }) => [`${org_id} ${contact_id}`, opt_outs]))
  return locked.map(({ chat, ...row }) => {
    const { contact } = chat
    const marketing_wishes = optOutsOf.get(`${chat.org_id} ${contact.id}`) ?? contact.marketing_wishes
    return { ...row, chat: { ...chat, contact: { ...contact, marketing_wishes } } }
  })
}

/**
 * Reads the opt-outs in a statement that is sent with the locking one and runs once the chats are locked. It sees commits
 * that happened while the other waited for a chat, which the snapshot of that statement would miss.
 */
const listOptOuts = (tx: Tx, orgId: OrgId, wanted: readonly WantedChat[]) =>
  tx.many<{ org_id: OrgId; contact_id: string; opt_outs: ChatRow['contact']['marketing_wishes'] }>`
    select contact.org_id, contact.id as contact_id, contact.marketing_wishes as opt_outs
    from (
      select org_id, case kind when 'contact' then value else (
        select identity.contact_id from contact_identities identity
        where identity.org_id = ${orgAs(tx, orgId, tx.part`wanted.org_id`)} and identity.kind = wanted.kind and identity.value = wanted.value
      ) end as contact_id
      from unnest(
        ${wanted.map(({ orgId }) => orgId)}::text[], ${wanted.map(({ kind }) => kind)}::text[],
        ${wanted.map(({ value }) => value)}::text[]) as wanted (org_id, kind, value) offset 0) person
    cross join lateral (
      select * from contacts
      where contacts.org_id = ${orgAs(tx, orgId, tx.part`person.org_id`)} and contacts.id = person.contact_id offset 0) contact`

async function lockChatRows(tx: Tx, orgId: OrgId, wanted: readonly WantedChat[]): Promise<WantedChatRow[]> {
  const rows = await tx.many<FlatChatRow & { position: number; row_at: string }>`
    with person as materialized (
      select position, org_id, number_id, case kind when 'contact' then value else (
        select identity.contact_id from contact_identities identity
        where identity.org_id = ${orgAs(tx, orgId, tx.part`wanted.org_id`)} and identity.kind = wanted.kind and identity.value = wanted.value
      ) end as contact_id
      from unnest(
        ${unsizedList(tx, tx.part`${wanted.map(({ position }) => position)}::int[]`)},
        ${wanted.map(({ orgId }) => orgId)}::text[], ${wanted.map(({ kind }) => kind)}::text[],
        ${wanted.map(({ value }) => value)}::text[], ${wanted.map(({ numberId }) => numberId)}::text[]
      ) as wanted (position, org_id, kind, value, number_id)),
    place as materialized (
      select position, org_id, number_id, contact_id, (
        select chats.id from chats
        where chats.org_id = ${orgAs(tx, orgId, tx.part`person.org_id`)} and chats.contact_id = person.contact_id
          and chats.number_id = person.number_id
      ) as chat_id
      from person order by org_id, chat_id)
    select ${chatColumns(tx)}, ${contactColumns(tx)}, null as message_id, place.position, chat.row_at
    from place
    cross join lateral (
      select chats.*, chats.ctid as row_at from chats
      where chats.org_id = ${orgAs(tx, orgId, tx.part`place.org_id`)} and chats.id = place.chat_id
        and chats.contact_id = place.contact_id and chats.number_id = place.number_id
      for update) chat
    cross join lateral (
      select * from contacts
      where contacts.org_id = ${orgAs(tx, orgId, tx.part`chat.org_id`)} and contacts.id = chat.contact_id offset 0) contact`
  return rows.flatMap((row) =>
    row.merged_into === null ? [{ position: row.position, chat: unflattenChat(row), rowAt: row.row_at }] : [],
  )
}

export const deleteChats = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.run`
  delete from chats where org_id = ${orgId} and id = any(${[...ids]}::text[])`

export const listQuoted = (tx: Tx, orgId: OrgId, ids: readonly string[]) =>
  tx.many<{ id: Id<'msg'>; chat_id: Id<'chat'> }>`
    select id, chat_id from messages where org_id = ${orgId} and id = any(${[...ids]}::text[])`

/**
 * Locks the keys that this batch may use: not used before, and not in use by another request. The lock is the one that
 * requests outside of a batch take. The query for stored answers comes in a later statement, whose snapshot is younger than
 * the locks.
 */
export const lockClaims = (tx: Tx, orgId: OrgId, claims: readonly IdempotencyClaim[]) =>
  tx.many<{ position: number; is_locked: boolean }>`
    select position::int, pg_try_advisory_xact_lock(hashtextextended(${orgId}::text || ' ' || operation || ' ' || key, 1)) as is_locked
    from unnest(${claims.map(({ operation }) => operation)}::text[],
      ${claims.map(({ key }) => key)}::text[]) with ordinality as claim (operation, key, position)`

export const listUsedClaims = (tx: Tx, orgId: OrgId, claims: readonly IdempotencyClaim[]) =>
  tx.many<{ position: number }>`
    select claim.position::int
    from unnest(${claims.map(({ operation }) => operation)}::text[],
      ${claims.map(({ key }) => key)}::text[]) with ordinality as claim (operation, key, position)
    join idempotency_keys stored
      on stored.org_id = ${orgId} and stored.operation = claim.operation and stored.key = claim.key
    where ${isRemembered(tx)}`

export type NewOutbound = Pick<
  MessageRow,
  | 'org_id'
  | 'id'
  | 'chat_id'
  | 'number_id'
  | 'type'
  | 'body'
  | 'reply_to'
  | 'client_reference'
  | 'order_id'
  | 'sender_type'
  | 'sender_id'
  | 'send_at'
  | 'happened_at'
  | 'created_at'
> & { content: string; metadata: string; words: string; traceparent: string | null }

export type ChatBump = { id: string; rowAt: string; messageId: string; at: Date }
export type StoredAnswer = { claim: IdempotencyClaim; reply: FreshReply }

export type SendBatch = {
  orgId: OrgId
  messages: readonly NewOutbound[]
  bumps: readonly ChatBump[]
  answers: readonly StoredAnswer[]
  job: string
  /** The messages for which this process has reserved a slot of the number. */
  offer: Offer & { ids: readonly string[] }
}

/** The traces of messages beside `new_messages`: nothing while none has one. */
function traceJoin(tx: Tx, messages: readonly NewOutbound[]) {
  const { name, list } = traceColumn(tx, messages)
  const isTraced = messages.some(({ traceparent }) => traceparent !== null)
  const join = tx.part` join unnest(${messages.map(({ id }) => id)}::text[]${list}) as traced (message_id${name}) on message_id = id`
  return { name, join: isTraced ? join : tx.part`` }
}

/**
 * Writes messages, chats, outbox entries and stored answers in one statement. The events of the chats follow in another
 * one, after the chats as everywhere. Scheduled messages have a separate order, by their times: in the order of the chat,
 * one would hold up the others until its day. Returns the entries: this process sends those that are leased, with the
 * number at the named version.
 *
 * A chat is found by the place of its row, without another index search: this transaction holds its lock. In a cluster the row
 * is on another node, where its place cannot be named.
 */
export const writeSendBatch = (tx: Tx, { orgId, messages, bumps, answers, job, offer }: SendBatch) => {
  const listed = (texts: readonly string[]) => textList(tx, texts)
  const moments = (given: readonly Date[]) => momentList(tx, given)
  const trace = traceJoin(tx, messages)
  return tx.many<{ id: string; state: string; number_version: number | null }>`
    with answered as (
      insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
      select ${homeOrg(tx, orgId)}, operation, key, fingerprint, status, body, location, request_id, now()
      from ${fromHome(tx, orgId)} unnest(
        ${unsizedList(tx, listed(answers.map(({ claim }) => claim.operation)))},
        ${answers.map(({ claim }) => claim.key)}::text[], ${answers.map(({ claim }) => claim.fingerprint)}::text[],
        ${answers.map(({ reply }) => reply.status)}::smallint[], ${answers.map(({ reply }) => reply.body)}::text[],
        ${answers.map(({ reply }) => reply.location)}::text[], ${answers.map(({ claim }) => claim.requestId)}::text[]
      ) as answer (operation, key, fingerprint, status, body, location, request_id)),
    moved_chats as (
      update chats set last_message_id = bump.message_id, last_activity_at = to_timestamp(bump.at_ms::float8 / 1000)
      from unnest(
        ${unsizedList(tx, listed(bumps.map(({ id }) => id)))},
        ${listed(bumps.map(({ rowAt }) => rowAt))}::tid[], ${listed(bumps.map(({ messageId }) => messageId))},
        ${moments(bumps.map(({ at }) => at))}
      ) as bump (id, row_at, message_id, at_ms)
      where ${tx.isSharded() ? tx.part`` : tx.part`chats.ctid = bump.row_at and`} chats.org_id = ${orgId} and chats.id = bump.id),
    new_messages as (
      insert into messages as added (org_id, id, chat_id, number_id, direction, type, body, content, reply_to, client_reference,
        order_id, sender_type, sender_id, send_at, metadata, happened_at, created_at, words)
      select ${homeOrg(tx, orgId)}, id, chat_id, number_id, 'outbound', type, body, content::jsonb, reply_to, client_reference,
        order_id, sender_type, sender_id, send_at, metadata::jsonb,
        to_timestamp(happened_ms::float8 / 1000), to_timestamp(created_ms::float8 / 1000),
        array_to_tsvector(string_to_array(nullif(words, ' '), ' '))
      from ${fromHome(tx, orgId)} unnest(
        ${unsizedList(tx, listed(messages.map((row) => row.id)))},
        ${listed(messages.map((row) => row.chat_id))}, ${listed(messages.map((row) => row.number_id))},
        ${listed(messages.map((row) => row.type))}, ${messages.map((row) => row.body)}::text[],
        ${listed(messages.map((row) => row.content))}, ${messages.map((row) => row.reply_to)}::text[],
        ${messages.map((row) => row.client_reference)}::text[], ${messages.map((row) => row.order_id)}::text[],
        ${listed(messages.map((row) => row.sender_type))}, ${messages.map((row) => row.sender_id)}::text[],
        ${messages.map((row) => row.send_at)}::timestamptz[], ${listed(messages.map((row) => row.metadata))},
        ${moments(messages.map((row) => row.happened_at))}, ${moments(messages.map((row) => row.created_at))},
        ${listed(messages.map((row) => row.words || ' '))}
      ) as message (id, chat_id, number_id, type, body, content, reply_to, client_reference, order_id, sender_type,
        sender_id, send_at, metadata, happened_ms, created_ms, words)
      returning id, chat_id, number_id, send_at),
    entries as (
    insert into outbox_entries as added (id, lane_id, org_id, job, order_key, position, due_at, ${leaseColumns(tx)}${trace.name})
    select id, number_id, ${homeOrg(tx, orgId)}, ${job}::text, case when send_at is null then chat_id else chat_id || ':scheduled' end,
      coalesce((extract(epoch from send_at) * 1000)::bigint, 0), coalesce(send_at, now()), ${bornLease(tx, offer)}${trace.name}
    from ${fromHome(tx, orgId)} new_messages${trace.join} cross join lateral ${bornOn(tx, {
      orgId,
      laneId: tx.part`number_id`,
      orderKey: tx.part`chat_id`,
      isOffered: tx.part`new_messages.id = any(${unsizedList(tx, tx.part`${[...offer.ids]}::text[]`)})`,
      processId: offer.processId,
    })}
    returning id, lane_id, state)
    select id, state, case state when 'leased' then (
      select version from channel_numbers number
      where number.org_id = ${orgId} and number.id = entries.lane_id) end as number_version
    from entries`
}

/** The fields of a message that a run needs; read for many runs at once. */
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

/**
 * Sub-selects and not joins, as in lockWantedChats: a first message is sent from tables that were empty. Each is ordered by the
 * key it asks for: for an organization that the statistics do not know, every index that begins with the organization looks
 * alike, and only the primary key has that order.
 */
export const listSendable = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<Sendable>`
  select message.org_id, message.id, message.chat_id, message.type, message.body, message.content,
    ${statusColumn(queries)} as status, coalesce(state.settled_lease, 0) as settled_lease, state.unknown_since,
    coalesce(state.is_resent, false) as is_resent, chat.contact_id, contact.phone, contact.identities,
    (select provider_id from message_states replied
      where replied.org_id = ${orgId} and replied.message_id = message.reply_to) as reply_provider_id,
    case message.type when 'reaction' then (
      select provider_id from message_states reacted
      where reacted.org_id = ${orgId} and reacted.message_id = message.content -> 'reaction' ->> 'message_id'
    ) end as reaction_provider_id
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select * from messages where messages.org_id = ${orgId} and messages.id = wanted.id order by messages.id limit 1) message
  ${stateOf(queries, orgId)}
  cross join lateral (
    select contact_id from chats where chats.org_id = ${orgId} and chats.id = message.chat_id order by chats.id limit 1) chat
  cross join lateral (
    select phone, identities from contacts
    where contacts.org_id = ${orgId} and contacts.id = chat.contact_id order by contacts.id limit 1) contact`

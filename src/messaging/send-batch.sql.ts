import type { PreparedEvent } from '../events/events.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { FreshReply, IdempotencyClaim } from '../platform/http/idempotency.ts'
import { type ChatRow, chatColumns, contactColumns, type FlatChatRow, unflattenChat } from './chats.sql.ts'
import type { IdentityKind } from './contacts.sql.ts'
import type { MessageRow } from './messages.sql.ts'

/** The statements of the hot path. Everything is an array over the batch: one message costs as many trips as a hundred. */
export type WantedChat = {
  position: number
  orgId: OrgId
  /** An identity, or the contact itself. */
  kind: IdentityKind | 'contact'
  value: string
  numberId: string
}

export type WantedChatRow = { position: number; chat: ChatRow }

/**
 * The chats that messages go to, as they are once they are locked, until the commit; in the order of their ids: whoever
 * locks several chats does it in this order, so two of them never wait in a ring. What the newest message was is not
 * read: each of these chats is about to get another.
 *
 * It is written so that PostgreSQL has nothing to choose but the index of each step: sub-selects and not joins, and the
 * whole key of every index that it could take instead. The plan is kept by the connection, and one that was made while the
 * tables were empty would otherwise walk all chats for every message a thousand chats later.
 */
export const lockWantedChats = async (tx: Tx, wanted: readonly WantedChat[]): Promise<WantedChatRow[]> => {
  const rows = await tx.many<FlatChatRow & { position: number }>`
    with person as materialized (
      select position, org_id, number_id, case kind when 'contact' then value else (
        select identity.contact_id from contact_identities identity
        where identity.org_id = wanted.org_id and identity.kind = wanted.kind and identity.value = wanted.value
      ) end as contact_id
      from unnest(
        ${wanted.map(({ position }) => position)}::int[], ${wanted.map(({ orgId }) => orgId)}::text[],
        ${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ value }) => value)}::text[],
        ${wanted.map(({ numberId }) => numberId)}::text[]) as wanted (position, org_id, kind, value, number_id)),
    place as materialized (
      select position, org_id, number_id, contact_id, (
        select chats.id from chats
        where chats.org_id = person.org_id and chats.contact_id = person.contact_id and chats.number_id = person.number_id
      ) as chat_id
      from person order by org_id, chat_id)
    select ${chatColumns(tx)}, ${contactColumns(tx)}, null as message_id, place.position
    from place
    cross join lateral (
      select * from chats
      where chats.org_id = place.org_id and chats.id = place.chat_id
        and chats.contact_id = place.contact_id and chats.number_id = place.number_id
      for update) chat
    cross join lateral (
      select * from contacts where contacts.org_id = chat.org_id and contacts.id = chat.contact_id offset 0) contact`
  return rows.flatMap((row) => (row.merged_into === null ? [{ position: row.position, chat: unflattenChat(row) }] : []))
}

export type QuotedMessage = { org_id: OrgId; id: Id<'msg'>; chat_id: Id<'chat'> }

export const listQuoted = (tx: Tx, orgIds: readonly string[], ids: readonly string[]) => tx.many<QuotedMessage>`
  select message.org_id, message.id, message.chat_id
  from unnest(${[...orgIds]}::text[], ${[...ids]}::text[]) as wanted (org_id, id)
  join messages message on message.org_id = wanted.org_id and message.id = wanted.id`

/**
 * The keys that are ours to use: not used before, and no other request is using them right now. The lock is the one that
 * requests with a transaction of their own take, and the look for stored answers comes in a later statement, whose
 * snapshot is younger than the locks.
 */
export const lockClaims = (tx: Tx, orgIds: readonly string[], claims: readonly IdempotencyClaim[]) =>
  tx.many<{ position: number; is_locked: boolean }>`
    select position::int, pg_try_advisory_xact_lock(hashtextextended(org_id || ' ' || operation || ' ' || key, 1)) as is_locked
    from unnest(${[...orgIds]}::text[], ${claims.map(({ operation }) => operation)}::text[],
      ${claims.map(({ key }) => key)}::text[]) with ordinality as claim (org_id, operation, key, position)`

export const listUsedClaims = (tx: Tx, orgIds: readonly string[], claims: readonly IdempotencyClaim[]) =>
  tx.many<{ position: number }>`
    select claim.position::int
    from unnest(${[...orgIds]}::text[], ${claims.map(({ operation }) => operation)}::text[],
      ${claims.map(({ key }) => key)}::text[]) with ordinality as claim (org_id, operation, key, position)
    join idempotency_keys stored
      on stored.org_id = claim.org_id and stored.operation = claim.operation and stored.key = claim.key`

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
  | 'status'
  | 'send_at'
  | 'happened_at'
  | 'created_at'
> & { content: string; status_history: string; metadata: string; words: string }

/** By its two keys at once, for the reason told at lockWantedChats. */
export type ChatBump = {
  orgId: OrgId
  id: string
  contactId: string
  numberId: string
  messageId: string
  at: Date
}
export type OrgEvent = { orgId: OrgId; event: PreparedEvent }
export type StoredAnswer = { orgId: OrgId; claim: IdempotencyClaim; reply: FreshReply }

export type SendBatch = {
  messages: readonly NewOutbound[]
  bumps: readonly ChatBump[]
  events: readonly OrgEvent[]
  answers: readonly StoredAnswer[]
  job: string
  now: Date
}

/** Per organization: how many events, and for each event how many of the same organization come after it. */
function countEvents(events: readonly OrgEvent[]) {
  const counts = new Map<OrgId, number>()
  for (const { orgId } of events) counts.set(orgId, (counts.get(orgId) ?? 0) + 1)
  const left = new Map(counts)
  const after = events.map(({ orgId }) => {
    const rest = (left.get(orgId) as number) - 1
    left.set(orgId, rest)
    return rest
  })
  const orgIds = [...counts.keys()].toSorted()
  return { after, orgIds, counts: orgIds.map((orgId) => counts.get(orgId) as number) }
}

/**
 * Texts as one text that PostgreSQL cuts up again: it reads an array one character at a time, and the bodies of events made
 * that a tenth of what a message costs. Only for texts that are never absent or empty and hold no control characters, as
 * ids, JSON and words for search.
 */
const listOfTexts = (tx: Tx, texts: readonly string[]) => tx.part`string_to_array(${texts.join('\u001f')}, chr(31))`

/**
 * Messages, chats, outbox entries, stored answers, counters and events, in one statement. Counters are taken in the order
 * of the organizations, and after the chats, as everywhere. Scheduled messages are ordered among themselves, by their
 * times: with the others of the chat, one would hold them up until its day.
 *
 * The last part runs first, with what it reads from; then the others, the last one first. Hence counters and events stand
 * at the top: a batch of the same organization that comes behind this one writes all its rows while this one commits, and
 * only then waits for the counter.
 */
export const writeSendBatch = (tx: Tx, { messages, bumps, events, answers, job, now }: SendBatch) => {
  const { after, orgIds, counts } = countEvents(events)
  const listed = (texts: readonly string[]) => listOfTexts(tx, texts)
  return tx.run`
    with counters as (
      insert into event_counters (org_id, last_sequence)
      select org_id, count from unnest(${orgIds}::text[], ${counts}::bigint[]) as given (org_id, count) order by org_id
      on conflict (org_id) do update set last_sequence = event_counters.last_sequence + excluded.last_sequence
      returning org_id, last_sequence),
    told as (
      insert into events (org_id, id, sequence, type, subject, is_test, request_id, traceparent, body, created_at)
      select event.org_id, event.id, counters.last_sequence - event.after, event.type, event.subject, false,
        event.request_id, event.traceparent,
        event.head || (counters.last_sequence - event.after)::text || event.tail, event.created_at
      from unnest(
        ${listed(events.map(({ orgId }) => orgId))}, ${listed(events.map(({ event }) => event.id))},
        ${after}::bigint[], ${listed(events.map(({ event }) => event.type))},
        ${listed(events.map(({ event }) => event.subject))}, ${events.map(({ event }) => event.requestId)}::text[],
        ${events.map(({ event }) => event.traceparent)}::text[],
        ${listed(events.map(({ event }) => event.head))}, ${listed(events.map(({ event }) => event.tail))},
        ${events.map(({ event }) => event.createdAt)}::timestamptz[]
      ) as event (org_id, id, after, type, subject, request_id, traceparent, head, tail, created_at)
      join counters on counters.org_id = event.org_id),
    answered as (
      insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
      select org_id, operation, key, fingerprint, status, body, location, request_id, ${now}
      from unnest(
        ${answers.map(({ orgId }) => orgId)}::text[], ${answers.map(({ claim }) => claim.operation)}::text[],
        ${answers.map(({ claim }) => claim.key)}::text[], ${answers.map(({ claim }) => claim.fingerprint)}::text[],
        ${answers.map(({ reply }) => reply.status)}::smallint[], ${answers.map(({ reply }) => reply.body)}::text[],
        ${answers.map(({ reply }) => reply.location)}::text[], ${answers.map(({ claim }) => claim.requestId)}::text[]
      ) as answer (org_id, operation, key, fingerprint, status, body, location, request_id)),
    moved_chats as (
      update chats set last_message_id = bump.message_id, last_activity_at = bump.at
      from unnest(
        ${listed(bumps.map(({ orgId }) => orgId))}, ${listed(bumps.map(({ id }) => id))},
        ${listed(bumps.map(({ contactId }) => contactId))}, ${listed(bumps.map(({ numberId }) => numberId))},
        ${listed(bumps.map(({ messageId }) => messageId))}, ${bumps.map(({ at }) => at)}::timestamptz[]
      ) as bump (org_id, id, contact_id, number_id, message_id, at)
      where chats.org_id = bump.org_id and chats.id = bump.id
        and chats.contact_id = bump.contact_id and chats.number_id = bump.number_id),
    new_messages as (
      insert into messages (org_id, id, chat_id, number_id, direction, type, body, content, reply_to, client_reference,
        order_id, sender_type, sender_id, status, status_history, send_at, metadata, happened_at, created_at, words)
      select org_id, id, chat_id, number_id, 'outbound', type, body, content::jsonb, reply_to, client_reference,
        order_id, sender_type, sender_id, status, status_history::jsonb, send_at, metadata::jsonb, happened_at, created_at,
        words::tsvector
      from unnest(
        ${listed(messages.map((row) => row.org_id))}, ${listed(messages.map((row) => row.id))},
        ${listed(messages.map((row) => row.chat_id))}, ${listed(messages.map((row) => row.number_id))},
        ${listed(messages.map((row) => row.type))}, ${messages.map((row) => row.body)}::text[],
        ${listed(messages.map((row) => row.content))}, ${messages.map((row) => row.reply_to)}::text[],
        ${messages.map((row) => row.client_reference)}::text[], ${messages.map((row) => row.order_id)}::text[],
        ${listed(messages.map((row) => row.sender_type))}, ${messages.map((row) => row.sender_id)}::text[],
        ${listed(messages.map((row) => row.status))}, ${listed(messages.map((row) => row.status_history))},
        ${messages.map((row) => row.send_at)}::timestamptz[], ${listed(messages.map((row) => row.metadata))},
        ${messages.map((row) => row.happened_at)}::timestamptz[], ${messages.map((row) => row.created_at)}::timestamptz[],
        ${listed(messages.map((row) => row.words || ' '))}
      ) as message (org_id, id, chat_id, number_id, type, body, content, reply_to, client_reference, order_id, sender_type,
        sender_id, status, status_history, send_at, metadata, happened_at, created_at, words)
      returning org_id, id, chat_id, number_id, send_at)
    insert into outbox_entries (id, lane_id, org_id, job, order_key, position, due_at)
    select id, number_id, org_id, ${job}, case when send_at is null then chat_id else chat_id || ':scheduled' end,
      coalesce((extract(epoch from send_at) * 1000)::bigint, 0), coalesce(send_at, now())
    from new_messages`
}

import type postgres from 'postgres'
import { newId } from '../src/kernel/ids.ts'
import { serveBarely } from './bare-batches.ts'

/**
 * The least a server on this runtime can do to accept a message durably: no key, no checks, no log, no search, no stored
 * answer; five small tables with seven indexes between them, and one statement over arrays for whatever waits. What it reaches
 * against single rows is the ceiling of this machine, as `bare-server.ts` is the ceiling of `GET /me`.
 */
export const BARE_TABLES = `
  create table bare_counters (org_id text collate "C" primary key, last_sequence bigint not null);
  insert into bare_counters values ('org_bench', 0);
  create table bare_messages (
    org_id text collate "C", id text collate "C", chat_id text collate "C" not null, body text not null, status text not null,
    created_at timestamptz not null, primary key (org_id, id));
  create index bare_messages_by_chat on bare_messages (org_id, chat_id, id);
  create table bare_chats (
    org_id text collate "C", id text collate "C", last_message_id text, last_activity_at timestamptz not null,
    primary key (org_id, id));
  create index bare_chats_by_activity on bare_chats (org_id, last_activity_at, id);
  create table bare_events (
    org_id text collate "C", sequence bigint, id text collate "C" not null, body text not null,
    created_at timestamptz not null, primary key (org_id, sequence));
  create table bare_entries (id text collate "C" primary key, lane_id text not null, order_key text not null);`

/** About what an event of ours says beside the text itself. */
const REST_OF_EVENT = 'x'.repeat(1_000)

type Message = { id: string; chat: string; body: string; event: string }

function readMessage(content: unknown): { item: Message; answer: object } {
  const { to, body } = content as { to: string; body: string }
  const id = newId('msg')
  const event = JSON.stringify({
    type: 'chat.updated',
    data: { id: to, last_message: { id, body } },
    REST_OF_EVENT,
  })
  return { item: { id, chat: to, body, event }, answer: { object: 'message', id, status: 'queued', to, body } }
}

function writeMessages(sql: postgres.Sql, batch: readonly Message[]): Promise<unknown> {
  const ids = batch.map(({ id }) => id)
  const chats = batch.map(({ chat }) => chat)
  const newest = [...new Map(batch.map((message) => [message.chat, message.id]))].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  return sql`
    with counter as (
      update bare_counters set last_sequence = last_sequence + ${batch.length} where org_id = 'org_bench'
      returning last_sequence - ${batch.length} as before),
    recorded as (
      insert into bare_events (org_id, sequence, id, body, created_at)
      select 'org_bench', before + nth, 'evt_' || id, body, now()
      from counter, unnest(${ids}::text[], ${batch.map(({ event }) => event)}::text[]) with ordinality as event (id, body, nth)),
    moved as (
      update bare_chats set last_message_id = newest.id, last_activity_at = now()
      from unnest(${newest.map(([chat]) => chat)}::text[], ${newest.map(([, id]) => id)}::text[]) as newest (chat, id)
      where bare_chats.org_id = 'org_bench' and bare_chats.id = newest.chat),
    pending as (
      insert into bare_entries (id, lane_id, order_key)
      select id, 'num_bench', chat from unnest(${ids}::text[], ${chats}::text[]) as entry (id, chat))
    insert into bare_messages (org_id, id, chat_id, body, status, created_at)
    select 'org_bench', id, chat, body, 'queued', now()
    from unnest(${ids}::text[], ${chats}::text[], ${batch.map(({ body }) => body)}::text[]) as message (id, chat, body)`
}

if (import.meta.main) serveBarely({ read: readMessage, write: writeMessages })

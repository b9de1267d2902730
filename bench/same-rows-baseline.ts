import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../src/kernel/ids.ts'
import { openDatabase, type Queries } from '../src/platform/database/database.ts'
import type { MessagingBench } from './messaging-bench.ts'
import { type Baseline, CLIENTS, ROW_BODY, runClients, runPgbench } from './postgres-baseline.ts'

/**
 * The rows of one accepted message, written by PostgreSQL's own client: message, chat, outbox entry, counter and event in
 * one transaction each, into the same tables with the same indexes. The chats are there before; who they belong to does
 * not matter, so all are of one contact per chat in an organization of its own.
 */
const CHATS = 1_000
const EVENT_BODY_BYTES = 1_000

export async function openSameRowsBaseline(shop: MessagingBench, folder: string): Promise<Baseline> {
  const names = { orgId: newId('org'), numberId: newId('num') }
  await createChats(shop, names)
  const hasPgbench = spawnSync('pgbench', ['--version']).status === 0
  return hasPgbench ? pgbenchBaseline(shop.url, folder, names) : loopBaseline(shop.url, names)
}

type Names = { orgId: string; numberId: string }

async function createChats({ database, numberId }: MessagingBench, names: Names): Promise<void> {
  await database.run`
    insert into organizations (id, slug, name, created_at, updated_at)
    values (${names.orgId}, 'pgbench', 'pgbench', now(), now())`
  await database.run`
    insert into channel_numbers (org_id, id, connector, phone_number_id, display_phone, name, sealed_credentials,
      state_changed_at, created_at, updated_at)
    select ${names.orgId}, ${names.numberId}, connector, 'pgbench', display_phone, name, sealed_credentials, now(), now(), now()
    from channel_numbers where id = ${numberId}`
  await database.run`
    insert into contacts (org_id, id, words, created_at, updated_at)
    select ${names.orgId}, 'con_' || lpad(n::text, 6, '0'), '', now(), now() from generate_series(1, ${CHATS}::int) n`
  await database.run`
    insert into chats (org_id, id, number_id, contact_id, last_activity_at, created_at)
    select ${names.orgId}, 'chat_' || lpad(n::text, 6, '0'), ${names.numberId}, 'con_' || lpad(n::text, 6, '0'), now(), now()
    from generate_series(1, ${CHATS}::int) n`
}

const words = (orgId: string) =>
  ROW_BODY.toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.map((word) => `''${orgId.slice(-10)}|${word}''`)
    .join(' ')

/** Ids begin with a moment of today, which is where the partition of the events is, and rise within each client. */
const pgbenchScript = ({ orgId, numberId }: Names) => {
  const id = (prefix: string) => `concat('${prefix}', :run::text, '_', :client_id::text, '_', lpad(:n::text, 12, '0'))`
  const chat = `concat('chat_', lpad(:chat::text, 6, '0'))`
  const eventPrefix = newId('evt').slice(0, 14)
  return `\\set n :n + 1
\\set chat random(1, ${CHATS})
begin;
insert into messages (org_id, id, chat_id, number_id, direction, type, body, content, sender_type, sender_id,
  metadata, happened_at, created_at, words)
values ('${orgId}', ${id('msg_')}, ${chat}, '${numberId}', 'outbound', 'text', '${ROW_BODY}', '{}', 'key', 'key_bench',
  '{}', now(), now(), '${words(orgId)}');
update chats set last_message_id = ${id('msg_')}, last_activity_at = now() where org_id = '${orgId}' and id = ${chat};
insert into outbox_entries (id, lane_id, org_id, job, order_key)
values (${id('msg_')}, '${numberId}', '${orgId}', 'messages.send', ${chat});
with counter as (
  insert into event_counters (org_id, last_sequence) values ('${orgId}', 1)
  on conflict (org_id) do update set last_sequence = event_counters.last_sequence + 1 returning last_sequence)
insert into events (org_id, id, sequence, type, subject, request_id, body, created_at)
select '${orgId}', ${id(eventPrefix)}, last_sequence, 'chat.updated', ${chat}, ${id('req_')},
  repeat('x', ${EVENT_BODY_BYTES}), now() from counter;
commit;
`
}

function pgbenchBaseline(url: string, folder: string, names: Names): Baseline {
  const script = join(folder, 'same-rows.sql')
  writeFileSync(script, pgbenchScript(names))
  let runs = 0
  return {
    label: 'pgbench',
    run: (durationMs) => runPgbench(url, { script, run: ++runs, durationMs }),
    close: async () => {},
  }
}

/** Where pgbench is not installed: the same statements over ten connections of our own. */
function loopBaseline(url: string, names: Names): Baseline {
  const database = openDatabase({ url, connectionsMax: CLIENTS })
  return {
    label: 'own loop (pgbench is not installed)',
    run: (durationMs) => runClients(durationMs, () => database.transaction((tx) => writeRows(tx, names))),
    close: () => database.close(),
  }
}

async function writeRows(tx: Queries, { orgId, numberId }: Names): Promise<void> {
  const id = newId('msg')
  const chat = `chat_${String(1 + Math.floor(Math.random() * CHATS)).padStart(6, '0')}`
  await tx.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, body, sender_type, sender_id,
      happened_at, created_at, words)
    values (${orgId}, ${id}, ${chat}, ${numberId}, 'outbound', 'text', ${ROW_BODY}, 'key', 'key_bench',
      now(), now(), ${words(orgId)?.replaceAll("''", "'") ?? ''}::tsvector)`
  await tx.run`
    update chats set last_message_id = ${id}, last_activity_at = now() where org_id = ${orgId} and id = ${chat}`
  await tx.run`
    insert into outbox_entries (id, lane_id, org_id, job, order_key) values (${id}, ${numberId}, ${orgId}, 'messages.send', ${chat})`
  await tx.run`
    with counter as (
      insert into event_counters (org_id, last_sequence) values (${orgId}, 1)
      on conflict (org_id) do update set last_sequence = event_counters.last_sequence + 1 returning last_sequence)
    insert into events (org_id, id, sequence, type, subject, body, created_at)
    select ${orgId}, ${newId('evt')}, last_sequence, 'chat.updated', ${chat}, repeat('x', ${EVENT_BODY_BYTES}), now() from counter`
}

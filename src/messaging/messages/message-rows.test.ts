import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { accept, refuse } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'

/** Where messages are stored: what they say in one row, which is written once, and how far they got in another. */
const bench = useMessaging({ unknownWaitMs: 300_000 })

const TO = '+6281234567890'

async function send({ orgId }: Shop, json: Record<string, unknown> = {}): Promise<string> {
  const answer = await bench.call(orgId, 'POST', '/messages', { json: { to: TO, body: 'Kopi susu', ...json } })
  expect(answer.status).toBe(201)
  return answer.json.id
}

const get = async ({ orgId }: Shop, id: string) => (await bench.call(orgId, 'GET', `/messages/${id}`)).json

const reaches = (shop: Shop, id: string, status: string) => until(async () => (await get(shop, id)).status === status)

const versionOf = ({ orgId }: Shop, id: string) =>
  bench.database.one`
    select ctid::text, xmin::text, xmax::text from messages where org_id = ${orgId} and id = ${id}`

test('the row of a message stays as it was written when the message is sent, delivered and read', async () => {
  const shop = await bench.aShop()
  bench.channel.answerWith(accept)
  const id = await send(shop)
  const written = await versionOf(shop, id)
  await reaches(shop, id, 'sent')
  const { provider_id: providerId } = await get(shop, id)
  for (const status of ['delivered', 'read'] as const) await bench.report(shop, [aStatus({ providerId, status })])
  expect((await get(shop, id)).status).toBe('read')
  expect(await versionOf(shop, id)).toEqual(written)
})

test('the row of an inbound message stays as it was written when its chat is marked as read', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText()])
  const { data } = (await bench.call(shop.orgId, 'GET', '/messages')).json
  const written = await versionOf(shop, data[0].id)
  const read = await bench.call(shop.orgId, 'POST', `/chats/${data[0].chat_id}/read`, { json: {} })
  expect(read.json.unread_count).toBe(0)
  expect(await versionOf(shop, data[0].id)).toEqual(written)
})

test('a queued message has no state row until its first change', async () => {
  const shop = await bench.aShop()
  const id = await send(shop, { send_at: new Date(bench.clock.now() + 3_600_000).toISOString() })
  const states = () => bench.database.many`select 1 from message_states where org_id = ${shop.orgId}`
  expect(await states()).toEqual([])
  const shown = await get(shop, id)
  expect([shown.status, shown.status_history]).toEqual(['scheduled', [{ status: 'scheduled', at: shown.created_at }]])
})

const MIGRATION = join(import.meta.dirname, '../../../migrations/earlier/0045_message_states.sql')

/** As the version before wrote them: all in one row. */
const DOWNGRADE = `
  alter table messages add column provider_id text collate "C", add column status text, add column error jsonb,
    add column status_history jsonb, add column is_unread boolean not null default false,
    add column settled_lease integer not null default 0, add column unknown_since timestamptz,
    add column is_resent boolean not null default false;
  update messages set status = case when send_at is null then 'queued' else 'scheduled' end,
    status_history = jsonb_build_array(jsonb_build_object('status', case when send_at is null then 'queued' else 'scheduled' end,
      'at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  update messages set provider_id = state.provider_id, status = state.status, error = state.error,
    status_history = state.status_history, is_unread = unread_chat_id is not null, settled_lease = state.settled_lease,
    unknown_since = state.unknown_since, is_resent = state.is_resent
    from message_states state where state.org_id = messages.org_id and state.message_id = messages.id;
  drop table message_states`

onOnePostgres('an upgrade precedes the distribution')(
  'the migration keeps every message as it was shown when the server is upgraded',
  async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ text: 'Halo' })])
    bench.channel.answerWith(accept)
    const sent = await send(shop)
    await reaches(shop, sent, 'sent')
    await bench.report(shop, [aStatus({ providerId: (await get(shop, sent)).provider_id, status: 'delivered' })])
    bench.channel.answerWith(refuse({}))
    await reaches(shop, await send(shop), 'failed')
    bench.channel.answerWith(async () => ({ kind: 'unknown', detail: 'timed out' }))
    const silent = await send(shop)
    await until(
      async () =>
        (await bench.database.maybeOne`
        select 1 from message_states where org_id = ${shop.orgId} and message_id = ${silent} and unknown_since is not null`) !==
        null,
    )
    await send(shop, { send_at: new Date(bench.clock.now() + 3_600_000).toISOString() })
    const states = () =>
      bench.database.many`select * from message_states where org_id = ${shop.orgId} order by message_id`
    const read = async () => ({
      messages: (await bench.call(shop.orgId, 'GET', '/messages')).json,
      chats: (await bench.call(shop.orgId, 'GET', '/chats?unread=true')).json,
      states: await states(),
    })
    const before = await read()
    expect(before.messages.data.map(({ status }: { status: string }) => status)).toEqual([
      'scheduled',
      'queued',
      'failed',
      'delivered',
      'received',
    ])
    await bench.database.script(DOWNGRADE)
    await bench.database.script(readFileSync(MIGRATION, 'utf8'))
    // Of a later migration.
    await bench.database.script('alter table message_states add column reports jsonb')
    expect(await read()).toEqual(before)
    bench.channel.answerWith(accept)
  },
)

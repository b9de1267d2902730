import { describe, expect, test } from 'bun:test'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/** Every word that goes to the log, before the mask that the log itself puts on. */
const lines: string[] = []
const write = (fields: object, message: string) =>
  lines.push(JSON.stringify([fields, message, (fields as Json).err?.message]))
const log: Log = { debug: write, info: write, warn: write, error: write }

const bench = useWebhooks({ log })
const aReceiver = useReceivers()

const HEADER = 'Bearer the-receivers-own-credential'
const QUERY_TOKEN = 'query-token-of-the-receiver'

describe('no secret', () => {
  test('is in any log line, table, event or answer beyond create and rotate', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth % 2 === 1 ? 500 : 200))
    const endpoint = await bench.anEndpoint(orgId, {
      url: `${receiver.url}?token=${QUERY_TOKEN}`,
      custom_headers: { authorization: HEADER },
      signing: 'both',
    })
    const watcher = await aReceiver()
    await bench.anEndpoint(orgId, { url: watcher.url, events: ['*'] })
    const path = `/webhook-endpoints/${endpoint.id}`
    const rotated = await bench.call(orgId, 'POST', `${path}/rotate-secret`, {
      json: {},
      headers: { 'idempotency-key': 'rotate-once' },
    })
    await bench.note(orgId, 'x')
    // The clock moves only after the failure is on record: a retry is due a while after that moment, not after the request.
    const ofEndpoint = `/deliveries?endpoint=${endpoint.id}`
    await until(async () => (await bench.call(orgId, 'GET', ofEndpoint)).json.data[0]?.attempt_count === 1)
    bench.advance(10_000)
    await until(() => receiver.requests.length === 2)
    const replies: Json[] = []
    const note = async (method: string, target: string, json?: unknown) =>
      replies.push((await bench.call(orgId, method, target, json === undefined ? {} : { json })).json)
    await note('PATCH', path, { description: 'changed' })
    await note('GET', path)
    await note('GET', '/webhook-endpoints')
    await note('POST', path, {})
    await note('POST', `${path}/test`, { type: 'endpoint.created' })
    await note('GET', '/deliveries')
    for (const { id } of (await bench.call(orgId, 'GET', ofEndpoint)).json.data) await note('GET', `/deliveries/${id}`)
    await note('POST', `${path}/pause`)
    await note('POST', `${path}/resume`, {})
    await until(() => watcher.requests.length >= 4)

    const secrets = [endpoint.secret, rotated.json.secret].map((secret: string) => secret.slice('whsec_'.length))
    const privates = await bench.database.many<{ sealed_secret: string; sealed_private_key: string }>`
      select sealed_secret, sealed_private_key from webhook_secrets where org_id = ${orgId}`
    expect(privates.length).toBeGreaterThan(1)
    const said = {
      log: lines.join('\n'),
      replies: JSON.stringify(replies),
      events: watcher.requests.map((request) => request.body.toString()).join('\n'),
      tables: await dumpTables(),
    }
    for (const [place, text] of Object.entries(said)) {
      expect([place, text.includes(endpoint.id)]).toEqual([place, true])
      for (const secret of [...secrets, HEADER, 'the-receivers-own-credential', 'whsk_'])
        expect([place, text.includes(secret)]).toEqual([place, false])
    }
    // Only the owner sees the URL they set; no log has it.
    for (const place of ['log', 'events'] as const)
      expect([place, said[place].includes(QUERY_TOKEN)]).toEqual([place, false])
    expect(lines.length).toBeGreaterThan(1)
  })
})

async function dumpTables(): Promise<string> {
  const tables = await bench.database.many<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  const dumps: string[] = []
  for (const { name } of tables) {
    const { text } = await bench.database.one<{ text: string | null }>`
      select query_to_xml(${`select * from ${name}`}, true, false, '')::text as text`
    dumps.push(text ?? '')
  }
  return dumps.join('\n')
}

import { afterAll, expect } from 'bun:test'
import { onOnePostgres } from '../../test/support/cluster.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import { aKey, anOrganization } from '../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { anInstallation, startServer, untilReady } from '../../test/support/server.ts'
import { tablesWith } from '../../test/support/traces.ts'
import { until } from '../../test/support/until.ts'
import type { Queries } from '../platform/database/database.ts'

/** `kill -9` while a customer with many messages is erased. */
const afterwards: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of afterwards) await end()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any

const COPIES = 4500
const copyId = (n: number) => `msg_${String(n).padStart(26, '0')}`

/** As many messages as a loyal customer has, from one of theirs. Returns how many they have then. */
async function copyMessages(queries: Queries, chatId: string): Promise<number> {
  await queries.run`
    insert into messages
    select (jsonb_populate_record(original, jsonb_build_object(
      'id', 'msg_' || lpad(n::text, 26, '0'), 'provider_id', null, 'client_reference', null))).*
    from (select messages as original from messages where chat_id = ${chatId} order by id desc limit 1) one,
      generate_series(1, ${COPIES}::integer) n`
  return (await queries.one<{ all: number }>`select count(*)::int as all from messages where chat_id = ${chatId}`).all
}

onOnePostgres('it locks rows of one node')(
  'killed at three steps of an erasure, it completes the report and leaves nothing of the customer',
  async () => {
    const { database, url, close } = await createTestDatabase()
    const installation = await anInstallation({ DATABASE_URL: url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY })
    const orgId = (await anOrganization(database)).id
    const key = (await aKey(database, orgId, { rateLimit: 'none' })).token
    const start = async () => {
      const server = startServer(installation)
      await untilReady(installation, server)
      return server
    }
    const send = async (method: string, path: string, json?: unknown): Promise<Json> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      return (await fetch(`${installation.url}/public/v1${path}`, { method, headers, ...body })).json()
    }
    /** A row that another transaction has locked holds up the step that changes it. */
    const hold = async (lock: (queries: Queries) => Promise<unknown>) => {
      const connection = await database.reserve()
      await connection.run`begin`
      await lock(connection)
      return async () => {
        await connection.run`rollback`
        connection.release()
      }
    }
    afterwards.push(() => server.kill(), installation.remove, close)
    let server = await start()
    const [phone, name] = ['+6281377755511', 'Dewi Lestari']
    await send('POST', '/numbers', {
      ...{ connector: 'simulator', phone_number_id: '100200600', display_phone: '+6281200009600' },
      settings: { reply_window: false },
    })
    await send('POST', '/payment-accounts', { provider: 'simulator' })
    await send('POST', '/simulator/messages', { from: phone, name, text: `Halo, saya ${name}` })
    const findChat = () => send('GET', `/chats/${encodeURIComponent(phone)}`)
    await until(async () => (await findChat()).object === 'chat')
    const chat = await findChat()
    const items = [{ name: `Kaos ${name}`, quantity: 1, unit_price: 25_000 }]
    const order = await send('POST', '/orders', {
      billingType: 'qris',
      items,
      customer: { name, phone },
      notify: false,
    })
    const messages = await copyMessages(database, chat.id)
    const held: [step: string, lock: (queries: Queries) => Promise<unknown>][] = [
      // The messages are deleted in parts, and this is one of the last.
      ['messages', (queries) => queries.run`select from messages where id = ${copyId(COPIES)} for update`],
      ['texts', (queries) => queries.run`select from orders where id = ${order.id} for update`],
      ['events', (queries) => queries.run`select from events where subject = ${order.id} for update`],
    ]
    let erasureId: string | null = null
    let release = async () => {}
    for (const [index, [step, lock]] of held.entries()) {
      if (index === 0) release = await hold(lock)
      erasureId ??= (await send('POST', `/contacts/${chat.contact.id}/erase`, {})).id as string
      await until(async () => {
        const row = await database.one<{ step: string; deleted: number; is_held: boolean }>`
          select step, coalesce((counts ->> 'messages')::int, 0) as deleted, exists (
            select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as is_held
          from contact_erasures where org_id = ${orgId} and id = ${erasureId}`
        return row.step === step && row.is_held && row.deleted > 0
      })
      const next = held[index + 1]
      const releaseNext = next === undefined ? async () => {} : await hold(next[1])
      await server.kill()
      await release()
      release = releaseNext
      server = await start()
    }
    await until(async () => (await send('GET', `/erasures/${erasureId}`)).status === 'completed')
    const { counts } = await send('GET', `/erasures/${erasureId}`)
    expect(counts).toMatchObject({ messages, chats: 1, orders: 1 })
    expect(counts.events).toBeGreaterThan(0)
    for (const needle of [phone.slice(1), name]) {
      const tables = await tablesWith(database, orgId, needle)
      expect([needle, tables]).toEqual([needle, []])
    }
  },
)

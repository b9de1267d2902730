import { afterAll, beforeAll, expect, test } from 'bun:test'
import net from 'node:net'
import { type BusinessNumber, updateNumber } from '../../src/channels/numbers/numbers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import type { Exchange } from '../../src/platform/http/pipeline/exchange.ts'
import { type ListeningServer, listen } from '../../src/platform/runtime/server.ts'
import { createHooksSite, HOOK_BYTES_MAX } from '../../src/surfaces/hooks/hooks-site.ts'
import {
  aNumber,
  createTestChannels,
  journalOf,
  TEST_APP_SECRET,
  TEST_VERIFY_TOKEN,
  type TestChannels,
} from '../support/channels.ts'
import { useTestDatabase } from '../support/database.ts'
import { aBatch, signedWebhook } from '../support/graph-server.ts'
import { quietLog } from '../support/log.ts'
import { anOrganization } from '../support/makers.ts'
import { until } from '../support/until.ts'

/** What Meta posts, over a real socket, down to the journal. */
const db = useTestDatabase()
const exchanges: Exchange[] = []
let [channels, server] = [] as unknown as [TestChannels, ListeningServer]
let orgId = '' as OrgId
let number = {} as BusinessNumber

beforeAll(async () => {
  channels = await createTestChannels(db.database)
  orgId = (await anOrganization(db.database)).id
  number = await aNumber(channels, orgId)
  const site = createHooksSite({
    receivers: channels.hooks,
    clock: systemClock,
    log: quietLog,
    bodyBytesMax: HOOK_BYTES_MAX,
    readClientAddress: (address) => address,
    onExchange: (exchange) => void exchanges.push(exchange),
  })
  server = listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 2 * HOOK_BYTES_MAX,
    handle: (request, address) => site.fetch(request, address) ?? new Response('', { status: 404 }),
    onError: () => new Response('', { status: 500 }),
  })
})
afterAll(async () => {
  await server.drain(1_000)
  channels.remove()
})

const hookUrl = () => `${server.url}/hooks/whatsapp-cloud/${number.id}`
const journaled = () => journalOf(db.database, orgId, number.id)
const aWebhook = (text: string, secret = TEST_APP_SECRET) => {
  const messages = [
    { from: '62812', id: `wamid.${text.slice(0, 9)}`, timestamp: '1790000000', type: 'text', text: { body: text } },
  ]
  return signedWebhook(aBatch(number.phone_number_id, { messages }), secret)
}
const post = ({ body, headers }: ReturnType<typeof aWebhook>) => fetch(hookUrl(), { method: 'POST', body, headers })

test('Meta’s handshake and its first batch are taken, and the bytes are kept as they came', async () => {
  const query = `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${encodeURIComponent(TEST_VERIFY_TOKEN)}`
  const handshake = await fetch(`${hookUrl()}?${query}`)
  expect([handshake.status, await handshake.text()]).toEqual([200, '1158201444'])
  const webhook = aWebhook('é 😀 @toko')
  expect((await post(webhook)).status).toBe(200)
  const [row] = await journaled()
  expect(Buffer.from(row?.body ?? []).equals(Buffer.from(webhook.body))).toBe(true)
  expect(exchanges.at(-1)).toMatchObject({ status: 200, caller: { type: 'hook', orgId, id: number.id } })
})

test('a forged batch and one that was cut off leave nothing behind', async () => {
  const before = (await journaled()).length
  expect((await post(aWebhook('forged', 'anotherSecret'))).status).toBe(401)
  const { body, headers } = aWebhook('cut off')
  const calls = exchanges.length
  const socket = net.connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(
    `POST /hooks/whatsapp-cloud/${number.id} HTTP/1.1\r\nhost: x\r\n${head}content-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, body.length / 2), () => socket.destroy())
  await until(() => exchanges.length > calls)
  expect(exchanges.at(-1)?.status).toBe(400)
  expect((await journaled()).length).toBe(before)
})

test('a new app secret counts at once, and the old one no longer does', async () => {
  await db.database.transaction((tx) =>
    updateNumber(channels.context, tx, orgId, { id: number.id, change: { credentials: { app_secret: 'aNewSecret' } } }),
  )
  expect((await post(aWebhook('old'))).status).toBe(401)
  expect((await post(aWebhook('new', 'aNewSecret'))).status).toBe(200)
})

test('three megabytes are taken, more are not', async () => {
  const padded = (bytes: number) => aWebhook('x'.repeat(bytes), 'aNewSecret')
  expect((await post(padded(HOOK_BYTES_MAX - 1_000))).status).toBe(200)
  expect((await post(padded(HOOK_BYTES_MAX))).status).toBe(413)
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Channels, channelTables } from '../../src/channels/channels.ts'
import { createSimulator, type Simulator } from '../../src/channels/connectors/simulator/simulator.ts'
import { listEvents } from '../../src/events/event-feed.ts'
import { type Id, newId, type OrgId } from '../../src/kernel/ids.ts'
import { createMessaging, messagingRoutes } from '../../src/messaging/messaging.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import { createOutbox } from '../../src/platform/outbox/outbox.ts'
import { aNumber, createTestChannelsAt, type TestChannels } from '../support/channels.ts'
import { useTestDatabase } from '../support/database.ts'
import { quietLog } from '../support/log.ts'
import { anOrganization } from '../support/makers.ts'
import { createTestApi } from '../support/public-api.ts'
import { FAST, fastClock } from '../support/simulator.ts'
import { until } from '../support/until.ts'

/**
 * A shop on the simulated network: channels, messaging and outbox run together, at twenty times real time. The
 * published test numbers are tested as an integrator sees them. Each test has a separate shop and mostly waits, so the
 * tests run concurrently.
 */
const db = useTestDatabase()
const clock = fastClock()
const EVENTS = { table: 'events', idPrefix: 'evt' as const, retentionDays: 30 }
let [channels, simulator] = [] as unknown as [TestChannels, Simulator]
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Call = (orgId: OrgId, method: string, path: string, json?: unknown) => Promise<{ status: number; json: any }>
let call: Call = async () => ({ status: 0, json: null })
let stop = async () => {}

beforeAll(async () => {
  const { database } = db
  for (const table of [EVENTS, ...channelTables]) await ensurePartitions(database, table, clock.now())
  const parts = { database, clock, wake: (orgIds: readonly OrgId[]) => outbox.wake(orgIds) }
  simulator = createSimulator({ ...parts, sender: (): Channels => channels, slowAnswerMs: 150 })
  channels = createTestChannelsAt(database, clock, [simulator.connector], parts.wake)
  const messaging = createMessaging({ ...parts, log: quietLog, channels, unknownWaitMs: 20_000 })
  const jobs = [...channels.jobs, ...messaging.jobs]
  const outbox = createOutbox({ database, clock, jobs, log: quietLog, processId: newId('prc'), pace: FAST })
  const running = [channels, messaging, outbox]
  for (const part of running) await part.start()
  const request = createTestApi({ database, clock, routes: messagingRoutes(messaging.context) })
  call = async (orgId, method, path, json) => {
    const reply = await request(method, path, { orgId, ...(json !== undefined && { json }) })
    return { status: reply.status, json: JSON.parse(await reply.text()) }
  }
  stop = async () => {
    for (const part of running.toReversed()) await part.stop()
    channels.remove()
  }
})

afterAll(() => stop())

type Shop = { orgId: OrgId; id: Id<'num'> }

async function aShop(settings: Record<string, unknown> = {}): Promise<Shop> {
  const { id: orgId } = await anOrganization(db.database)
  const { id } = await aNumber(channels, orgId, {
    connector: 'simulator',
    credentials: {},
    settings: { reply_window: false, ...settings },
  })
  return { orgId, id }
}

const text = (body: string) => ({ type: 'text', body }) as const
const messageOf = async ({ orgId }: Shop, id: string) => (await call(orgId, 'GET', `/messages/${id}`)).json
async function sendTo(shop: Shop, to: string, body = 'Halo'): Promise<string> {
  const { status, json } = await call(shop.orgId, 'POST', '/messages', { to, body })
  expect([status, json.code]).toEqual([201, undefined])
  return json.id
}

test.concurrent('one chat contains the message of a customer, the answer of the shop, the read status and the reaction', async () => {
  const shop = await aShop()
  const from = '+6281311112222'
  const chat = async () => (await call(shop.orgId, 'GET', '/chats/0813-1111-2222')).json
  for (const [index, body] of ['Halo', 'Ada kopi?', 'Halo?'].entries()) {
    await simulator.customers.customerWrites({ number: shop, from, name: 'Sari', content: text(body) })
    await until(async () => (await chat()).unread_count === index + 1)
  }
  const id = await sendTo(shop, '0813 1111 2222', 'Ada!')
  await until(async () => (await messageOf(shop, id)).status === 'read')
  await simulator.customers.customerReacts({ number: shop, from, messageId: id, emoji: '❤️' })
  await until(async () => (await chat()).messages.data[0].type === 'reaction')
  const { messages, contact } = await chat()
  const bodies = messages.data.map((message: { body: string }) => message.body)
  expect(bodies).toEqual(['❤️', 'Ada!', 'Halo?', 'Ada kopi?', 'Halo'])
  expect([contact.name, contact.phone, messages.data[0].reaction.message_id]).toEqual(['Sari', from, id])
  expect((await call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(1)
})

test.concurrent.each([
  ['+6281200000101', 'failed', 'recipient_unreachable'],
  ['+6281200000102', 'failed', 'recipient_unreachable'],
  ['+6281200000103', 'sent', null],
  ['+6281200000104', 'failed', 'recipient_blocked'],
  ['+6281200000105', 'failed', 'reply_window_closed'],
  ['+6281200000106', 'failed', 'reply_window_closed'],
  ['+6281200000107', 'read', null],
  ['+6281200000108', 'read', null],
  ['+6281200000109', 'read', null],
  ['+6281200000110', 'read', null],
  ['+6281200000111', 'failed', 'outcome_unknown'],
  ['+6281200000112', 'read', null],
  ['+6281200000113', 'read', null],
  ['+6281200000114', 'read', null],
  ['+6281200000115', 'delivered', null],
  ['+6281200000116', 'failed', 'recipient_unreachable'],
  ['+6281200000118', 'read', null],
  ['+6281200000119', 'read', null],
  ['+5531998120001', 'read', null],
])('a message to %s ends as %s', async (to, status, code) => {
  const shop = await aShop()
  const id = await sendTo(shop, to)
  await until(async () => (await messageOf(shop, id)).status === status)
  const { error, status_history } = await messageOf(shop, id)
  expect(error?.code ?? null).toBe(code)
  const statuses = status_history.map((entry: { status: string }) => entry.status)
  expect(new Set(statuses).size).toBe(statuses.length)
  const sent = await simulator.customers.listSent(shop)
  const isRefused = ['0102', '0104', '0106', '0111'].some((end) => to.endsWith(end))
  expect(sent.map(({ copies }) => copies)).toEqual(isRefused ? [] : [1])
  expect((await call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(1)
})

test.concurrent('an account problem pauses the number, keeps the message, and says so', async () => {
  const shop = await aShop()
  const id = await sendTo(shop, '+6281200000117')
  const numberRow = () => db.database.one<{ state: string; state_reason: string }>`
    select state, state_reason from channel_numbers where org_id = ${shop.orgId} and id = ${shop.id}`
  await until(async () => (await numberRow()).state === 'paused')
  expect((await messageOf(shop, id)).status).toBe('queued')
})

test.concurrent('repeated webhooks cause one event', async () => {
  const shop = await aShop()
  const id = await sendTo(shop, '+6281200000113')
  await until(async () => (await messageOf(shop, id)).status === 'read')
  const events = await listEvents(db.database, shop.orgId, { after: 0, limit: 100 })
  const types = events.map((event) => event.type).filter((type) => type.startsWith('message.'))
  expect(types.toSorted()).toEqual(['message.delivered', 'message.read', 'message.sent'])
})

test.concurrent('a person who hides their phone has a separate chat, and gets an answer there', async () => {
  const shop = await aShop()
  const from = '+6281200000119'
  await simulator.customers.customerWrites({ number: shop, from, name: 'Rina', content: text('Halo') })
  await until(async () => (await call(shop.orgId, 'GET', '/chats')).json.data.length === 1)
  const [chat] = (await call(shop.orgId, 'GET', '/chats')).json.data
  expect([chat.contact.phone, chat.contact.name]).toEqual([null, 'Rina'])
  const userId = chat.contact.identities[0].value
  const id = await sendTo(shop, userId)
  await until(async () => (await messageOf(shop, id)).status === 'read')
  expect((await call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(1)
})

test.concurrent('a customer who changes their number stays in the same chat', async () => {
  const shop = await aShop()
  const [from, to] = ['+6281311113333', '+6281311114444']
  await simulator.customers.customerWrites({ number: shop, from, content: text('Halo') })
  await until(async () => (await call(shop.orgId, 'GET', '/chats')).json.data.length === 1)
  await simulator.customers.customerChangesNumber({ number: shop, from, to })
  const found = async () => (await call(shop.orgId, 'GET', `/chats/${to}`)).json
  await until(async () => (await found()).object === 'chat')
  await simulator.customers.customerWrites({ number: shop, from: to, content: text('Ini nomor baru') })
  await until(async () => (await found()).unread_count === 2)
  expect((await call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(1)
})

test.concurrent('with the reply window on, words are refused until the customer writes', async () => {
  const shop = await aShop({ reply_window: true })
  const to = '+6281311115555'
  const early = await call(shop.orgId, 'POST', '/messages', { to, body: 'Halo' })
  expect([early.status, early.json.code]).toEqual([409, 'reply_window_closed'])
  const template = { name: 'order_ready', language: { code: 'id' } }
  const reply = await call(shop.orgId, 'POST', '/messages', { to, type: 'template', template })
  expect(reply.status).toBe(201)
  await simulator.customers.customerWrites({ number: shop, from: to, content: text('Halo') })
  await until(async () => (await call(shop.orgId, 'POST', '/messages', { to, body: 'Halo' })).status === 201)
})

test.concurrent('a photo that a customer sends is fetched and kept', async () => {
  const shop = await aShop()
  const bytes = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256)
  const photo = { type: 'image', bytes, mimeType: 'image/jpeg', caption: 'Ini' } as const
  await simulator.customers.customerSendsMedia({ number: shop, from: '+6281311116666', ...photo })
  const media = () => db.database.maybeOne<{ state: string; bytes: number }>`
    select state, bytes from media where org_id = ${shop.orgId}`
  await until(async () => (await media())?.state === 'stored')
  expect((await media())?.bytes).toBe(3_000)
})

test.concurrent('the one who writes back does', async () => {
  const shop = await aShop()
  await sendTo(shop, '+6281200000120', 'Apa kabar?')
  await until(async () => (await call(shop.orgId, 'GET', '/chats')).json.data[0].unread_count === 1)
  const { messages } = (await call(shop.orgId, 'GET', '/chats/+6281200000120')).json
  expect(messages.data[0]).toMatchObject({ direction: 'inbound', body: 'Apa kabar?' })
})

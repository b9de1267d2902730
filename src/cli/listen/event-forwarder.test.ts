import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import '../../events/account.events.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { openDeliveryBench } from '../../../test/support/delivery.ts'
import { quietLog } from '../../../test/support/log.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { createTestApi } from '../../../test/support/public-api.ts'
import { createTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { until } from '../../../test/support/until.ts'
import { byTheBook, startWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receivers.ts'
import type { Organization } from '../../accounts/organizations/organizations.ts'
import { findEventType } from '../../events/event-catalogue.ts'
import { eventRoutes } from '../../events/events.routes.ts'
import { type NewEvent, recordEvents, recordTestEvent } from '../../events/recording.ts'
import { systemClock } from '../../kernel/clock.ts'
import { ensurePartitions } from '../../platform/database/daily-partitions.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { createSigningSecret, parseSigningKey, type SigningKey } from '../../webhooks/signing/signature.ts'
import { apiFeeds, databaseFeeds, type Feed } from './event-feeds.ts'
import { type ForwarderOptions, type ForwarderState, forwardEvents } from './event-forwarder.ts'

const db = useTestDatabase()
const bench = openDeliveryBench()
const secret = createSigningSecret()
let [organization, proxy] = [] as unknown as [Organization, TcpProxy]
const receivers: WebhookReceiver[] = []

beforeAll(async () => {
  await ensurePartitions(db.database, { table: 'events', idPrefix: 'evt', retentionDays: 1 }, systemClock.now())
  organization = await anOrganization(db.database)
  proxy = await createTcpProxy(db.url)
})

afterAll(async () => {
  await proxy.cut()
  bench.close()
  for (const receiver of receivers) receiver.stop()
})

/** Events of the real catalogue, distinguished by their subject. */
const record = (subjects: string[], { type = 'key.created' } = {}) =>
  db.database.transaction((tx) => {
    const eventType = findEventType(type) as NewEvent['type']
    const events = subjects.map((subject) => ({ type: eventType, subject, data: eventType.example }))
    return recordEvents(tx, organization.id, events, systemClock.now())
  })

const recordTest = (type: string) =>
  db.database.transaction((tx) => {
    const eventType = findEventType(type) as NewEvent['type']
    const event = { type: eventType, subject: 'tested', data: eventType.example }
    return recordTestEvent(tx, organization.id, event, systemClock.now())
  })

type Listening = {
  receiver: WebhookReceiver
  ids: () => string[]
  printed: { id: string; status: number | null; errorClass: string | null }[]
  states: ForwarderState['name'][]
  stop(): Promise<void>
}

const connect = async () => {
  const database = openDatabase({ url: proxy.url, connectionsMax: 1, connectTimeoutSeconds: 1 })
  return { database, close: () => database.close() }
}

const optionsFor = (url: string, signal: AbortSignal): ForwarderOptions => ({
  openFeed: databaseFeeds(organization.slug, connect),
  url,
  filters: ['*'],
  key: parseSigningKey(secret) as SigningKey,
  client: bench.client(),
  clock: systemClock,
  signal,
  onForwarded: () => {},
  onState: () => {},
})

async function listen(filters = ['*']): Promise<Listening> {
  const receiver = await startWebhookReceiver(byTheBook(secret))
  receivers.push(receiver)
  const controller = new AbortController()
  const [printed, states]: [Listening['printed'], Listening['states']] = [[], []]
  const over = forwardEvents({
    ...optionsFor(receiver.url, controller.signal),
    filters,
    onForwarded: ({ id }, { status, errorClass }) => printed.push({ id, status, errorClass }),
    onState: ({ name }) => states.push(name),
  })
  await until(() => states.includes('following'))
  return {
    receiver,
    ids: () => receiver.received.map(({ headers }) => String(headers['webhook-id'])),
    printed,
    states,
    async stop() {
      controller.abort()
      await over
    },
  }
}

test('new events arrive in order, signed so that the official library accepts them, and none from before', async () => {
  await record(['before'])
  const listening = await listen()
  const events = [...(await record(['one', 'two'])), ...(await record(['three']))]
  await until(() => listening.printed.length === 3)
  expect(listening.ids()).toEqual(events.map((event) => event.id))
  expect(listening.printed.map(({ status }) => status)).toEqual([204, 204, 204])
  const stored = await db.database.one<{ body: string }>`
    select body from events where org_id = ${organization.id} and id = ${events[0]?.id}`
  expect(listening.receiver.received[0]?.body.toString()).toBe(stored.body)
  await listening.stop()
})

test('only what the filter names is forwarded, and no test event', async () => {
  const listening = await listen(['key.revoked'])
  await record(['created'])
  await recordTest('key.revoked')
  const [wanted] = await record(['revoked'], { type: 'key.revoked' })
  await until(() => listening.printed.length === 1)
  expect(listening.ids()).toEqual([wanted?.id as string])
  await listening.stop()
})

test('a receiver that is down is reported and does not hold up what comes after', async () => {
  const listening = await listen()
  listening.receiver.stop()
  await record(['one', 'two'])
  await until(() => listening.printed.length === 2)
  expect(listening.printed.map(({ errorClass }) => errorClass)).toEqual(['refused', 'refused'])
  await listening.stop()
})

test('what happened while the database was away arrives once it is back, nothing twice', async () => {
  const listening = await listen()
  const [first] = await record(['first'])
  await until(() => listening.printed.length === 1)
  await proxy.cut()
  await until(() => listening.states.includes('seeking'))
  const [missed] = await record(['missed'])
  await proxy.restore()
  await until(() => listening.printed.length === 2)
  const [later] = await record(['later'])
  await until(() => listening.printed.length === 3)
  expect(listening.ids()).toEqual([first, missed, later].map((event) => event?.id as string))
  expect(listening.states).toEqual(['following', 'seeking', 'following'])
  await listening.stop()
})

test('without a server it waits, and says so once', async () => {
  const states: string[] = []
  const controller = new AbortController()
  let asked = 0
  const over = forwardEvents({
    ...optionsFor('http://127.0.0.1:9/', controller.signal),
    openFeed: async () => {
      asked += 1
      return null
    },
    onState: ({ name }) => states.push(name),
  })
  await until(() => asked === 2)
  controller.abort()
  await over
  expect(states).toEqual(['seeking'])
})

test('an organization that does not exist ends it with a sentence', async () => {
  const options = optionsFor('http://127.0.0.1:9/', new AbortController().signal)
  await expect(forwardEvents({ ...options, openFeed: databaseFeeds('no-such-shop', connect) })).rejects.toThrow(
    'no-such-shop',
  )
})

test('listening ends with the reason when events begin anew behind its place', async () => {
  const other = await anOrganization(db.database)
  const type = findEventType('key.created') as NewEvent['type']
  const event = { type, subject: 'before', data: type.example }
  await db.database.transaction((tx) => recordEvents(tx, other.id, [event, event], systemClock.now()))
  const controller = new AbortController()
  const states: string[] = []
  const over = forwardEvents({
    ...optionsFor('http://127.0.0.1:9/', controller.signal),
    openFeed: databaseFeeds(other.slug, connect),
    onState: ({ name }) => states.push(name),
  })
  over.catch(() => {})
  await until(() => states.includes('following'))
  await db.database.run`delete from events where org_id = ${other.id}`
  await db.database.run`update event_counters set last_sequence = 1 where org_id = ${other.id}`
  await expect(over).rejects.toMatchObject({ code: 'sequence_ahead' })
})

test('by key events come over the API, from where it was when the server comes back; a wrong key ends it', async () => {
  const shop = await anOrganization(db.database)
  const { token } = await aKey(db.database, shop.id, { scopes: ['events:read'] })
  const routes = eventRoutes({ database: db.database })
  const api = createTestApi({ database: db.database, clock: systemClock, routes, log: quietLog })
  let isAway = false
  const server = createServer((request, response) => {
    if (isAway) return void request.socket.destroy()
    const isKnown = request.headers.authorization === `Bearer ${token}`
    const path = (request.url ?? '').replace('/api/public/v1', '')
    void api('GET', path, { orgId: shop.id, scopes: isKnown ? ['events:read'] : [] }).then(async (reply) => {
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end(await reply.text())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/api/public/v1`
  const receiver = await startWebhookReceiver(byTheBook(secret))
  receivers.push(receiver)
  const controller = new AbortController()
  const states: string[] = []
  const { signal } = controller
  const feeds = apiFeeds({ url, token, signal })
  const over = forwardEvents({
    ...optionsFor(receiver.url, signal),
    openFeed: async () => ({ ...((await feeds()) as Feed), pollMs: 50 }),
    onState: ({ name }) => states.push(name),
  })
  await until(() => states.includes('following'))
  const type = findEventType('key.created') as NewEvent['type']
  const happen = async () => {
    const event = { type, subject: 'by key', data: type.example }
    const [recorded] = await db.database.transaction((tx) => recordEvents(tx, shop.id, [event], systemClock.now()))
    return recorded?.id as string
  }
  const ids = [await happen()]
  await until(() => receiver.received.length === 1)
  isAway = true
  await until(() => states.includes('seeking'))
  ids.push(await happen())
  isAway = false
  await until(() => receiver.received.length === 2)
  expect(receiver.received.map(({ headers }) => String(headers['webhook-id']))).toEqual(ids)
  controller.abort()
  await over
  const wrong = apiFeeds({ url, token: 'nxk_live_wrong', signal: new AbortController().signal })
  const refused = forwardEvents({ ...optionsFor(receiver.url, new AbortController().signal), openFeed: wrong })
  await expect(refused).rejects.toThrow('events:read')
  server.close()
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type App, createApp } from '../../src/app.ts'
import { paymentAccountsContext } from '../../src/boot/capabilities.ts'
import { numbersContext } from '../../src/boot/contexts.ts'
import { createNumber } from '../../src/channels/numbers/numbers.ts'
import { readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createPaymentAccount } from '../../src/payments/accounts/accounts.ts'
import { testAppOptions } from '../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { loopbackEgress } from '../support/egress.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { type MidtransServer, startMidtransServer } from '../support/midtrans-server.ts'
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts'
import { TEST_SECRET_KEY } from '../support/secret-key.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver, withoutVerification } from '../support/webhook-receivers.ts'

/** A process that serves the API and one that works behind it, both of which export to one collector. */
const PUBLIC_URL = 'http://127.0.0.1:3900'
const PHONE = '+6281234567890'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'

let [db, app, collector, midtrans, receiver] = [] as unknown as [
  TestDatabase,
  App,
  OtlpCollector,
  MidtransServer,
  WebhookReceiver,
]
let [token, folder] = ['', '']
let worker: ReturnType<typeof spawn>

beforeAll(async () => {
  db = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'nexkit-telemetry-'))
  collector = await startOtlpCollector()
  midtrans = startMidtransServer()
  midtrans.expiryTime = '2099-01-31 09:15:00'
  receiver = await startWebhookReceiver(withoutVerification)
  const { id: orgId } = await anOrganization(db.database)
  token = (await aKey(db.database, orgId)).token
  const accounts = { database: db.database, clock: systemClock, secretKey: TEST_SECRET_KEY, publicUrl: PUBLIC_URL }
  const context = paymentAccountsContext({ ...accounts, egress: loopbackEgress })
  await db.database.transaction((tx) =>
    createPaymentAccount(context, tx, orgId, {
      provider: 'midtrans',
      base_url: midtrans.url,
      credentials: { server_key: midtrans.serverKey },
      settings: {},
      default_methods: [],
    }),
  )
  await db.database.transaction((tx) =>
    createNumber(numbersContext({ ...accounts, egress: loopbackEgress }), tx, orgId, {
      connector: 'simulator',
      phone_number_id: '100000000000001',
      display_phone: '+62 21 5000 1000',
      name: 'Toko',
      is_default: true,
      settings: { reply_window: false },
    }),
  )
  const exporting = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=secret%20of%20the%20collector',
  }
  app = createApp(
    testAppOptions(db, {
      role: 'api',
      publicUrl: PUBLIC_URL,
      telemetry: readConfig({
        ...exporting,
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
      }).telemetry,
    }),
  )
  await app.start()
  const cli = resolve(import.meta.dirname, '..', '..', 'src', 'cli.ts')
  worker = spawn(process.execPath, [cli, 'serve', '--role', 'worker'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: db.url,
      NEXKIT_DATA_DIR: folder,
      NEXKIT_SECRET_KEY: TEST_SECRET_KEY,
      NEXKIT_PUBLIC_URL: PUBLIC_URL,
      NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32',
      NEXKIT_WEBHOOK_PORTS: new URL(receiver.url).port,
      NEXKIT_LOG_LEVEL: 'warn',
      ...exporting,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const json = { url: receiver.url, events: ['*'] }
  expect((await call('POST', '/webhook-endpoints', json)).status).toBe(201)
})

afterAll(async () => {
  worker.kill('SIGTERM')
  if (worker.exitCode === null) await new Promise((exited) => worker.once('exit', exited))
  await app.stop()
  await Promise.all([midtrans.stop(), db.close(), rm(folder, { recursive: true })])
  receiver.stop()
  collector.stop()
})

function call(method: string, path: string, json?: unknown, headers: Record<string, string> = {}) {
  const request = new Request(`${PUBLIC_URL}/api/public/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return Promise.resolve(app.fetch(request, () => '127.0.0.1'))
}

const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId)

/** From a span up to the beginning of its trace. */
function ancestorsOf(span: CollectedSpan): CollectedSpan[] {
  const parent = collector.spans.find(({ id, traceId }) => id === span.parentId && traceId === span.traceId)
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)]
}

const chainOf = (span: CollectedSpan) => [span, ...ancestorsOf(span)].map(({ kind, name }) => `${kind} ${name}`)

test('one trace leads from a request through commit, outbox and provider to the webhook of another process', async () => {
  const order = {
    items: [{ name: 'Kopi', quantity: 1, unit_price: 25_000 }],
    customer: { name: 'Siti', phone: PHONE },
    billingType: 'qris',
  }
  const response = await call('POST', '/orders', order, { traceparent: `00-${TRACE}-${CALLER_SPAN}-01` })
  expect([response.status, await response.json()]).toMatchObject([201, { object: 'order' }])
  const isOf = (name: string) => (span: CollectedSpan) => span.traceId === TRACE && span.name === name
  const find = (name: string) => collector.spans.find(isOf(name))
  /** Each process exports its spans in its own time. */
  const isWhole = (name: string) => {
    const span = find(name)
    return span !== undefined && ancestorsOf(span).at(-1)?.kind === 'server'
  }
  await until(() => isWhole('POST webhook') && isWhole('POST payment-provider'))
  const server = find('POST /orders') as CollectedSpan
  expect(server).toMatchObject({
    parentId: CALLER_SPAN,
    kind: 'server',
    attributes: { 'http.route': '/orders', 'http.response.status_code': '201', 'nexkit.operation': 'createOrder' },
  })
  const charge = find('POST payment-provider') as CollectedSpan
  expect(chainOf(charge)).toEqual([
    'client POST payment-provider',
    expect.stringMatching(/^consumer run payments\./),
    expect.stringMatching(/^producer enqueue payments\./),
    'internal group commit orders',
    'server POST /orders',
  ])
  expect(charge.instance).not.toBe(server.instance)
  const webhook = find('POST webhook') as CollectedSpan
  expect(chainOf(webhook).slice(0, 3)).toEqual([
    'client POST webhook',
    'consumer run webhooks.deliver',
    'producer enqueue webhooks.deliver',
  ])
  expect(chainOf(webhook).at(-1)).toBe('server POST /orders')
  expect(webhook.instance).toBe(charge.instance)
  const arrived = receiver.received.map(({ headers }) => headers.traceparent)
  expect(arrived).toContain(`00-${TRACE}-${webhook.id}-01`)
  expect(midtrans.requests.map(({ headers }) => headers.get('traceparent'))).toEqual(midtrans.requests.map(() => null))
})

test('the trace of a message leads to its status and to the webhook of the event that the acknowledgement records', async () => {
  const traceId = '7bf92f3577b34da6a3ce929d0e0e4736'
  const message = { to: PHONE, body: 'Pesanan Siti sudah siap' }
  const response = await call('POST', '/messages', message, { traceparent: `00-${traceId}-${CALLER_SPAN}-01` })
  expect(response.status).toBe(201)
  const find = (name: string, type?: string) =>
    ofTrace(traceId).find((span) => span.name === name && (type ?? '') === (span.attributes['nexkit.event_type'] ?? ''))
  const rootOf = (span: CollectedSpan | undefined) => span && ancestorsOf(span).at(-1)?.name
  const isWhole = (span: CollectedSpan | undefined) => rootOf(span) === 'POST /messages'
  await until(() => isWhole(find('run messages.send')) && isWhole(find('POST webhook', 'message.sent')))
  expect(chainOf(find('run messages.send') as CollectedSpan)).toEqual([
    'consumer run messages.send',
    'producer enqueue messages.send',
    'internal group commit messages',
    'server POST /messages',
  ])
  await until(() => collector.spans.some(({ name }) => name === 'run messages.apply'))
})

test('a request without a trace begins one, and one that its caller does not record is not exported', async () => {
  const unsampled = '0af7651916cd43dd8448eb211c80319c'
  await call('GET', '/me', undefined, { traceparent: `00-${unsampled}-b7ad6b7169203331-00` })
  await call('GET', '/me')
  await until(() => collector.spans.some(({ name, parentId }) => name === 'GET /me' && parentId === ''))
  expect(ofTrace(unsampled)).toEqual([])
})

test('requests that share a transaction link to it', async () => {
  const order = { items: [{ name: 'Teh', quantity: 1, unit_price: 5_000 }], billingType: 'qris' }
  await Promise.all(Array.from({ length: 8 }, () => call('POST', '/orders', order)))
  const isShared = ({ name, links }: CollectedSpan) => name === 'write orders' && links.length > 0
  await until(() => collector.spans.some(isShared))
  const shared = collector.spans.find(isShared) as CollectedSpan
  const linking = collector.spans.filter(({ links }) => links.includes(shared.id))
  expect(linking.map(({ id }) => id).toSorted()).toEqual(shared.links.toSorted())
})

test('metrics arrive as /metrics shows them, and no export holds a token, a phone number or a name', async () => {
  await until(() => collector.metrics.has('nexkit_http_requests_total'))
  expect([...collector.metrics]).toContain('nexkit_http_request_duration_seconds')
  for (const secret of [token.slice(9), PHONE.slice(1), '81234567890', 'Siti', 'sudah siap', midtrans.serverKey])
    expect(collector.text()).not.toContain(secret)
  expect(collector.headers[0]?.['x-collector-key']).toBe('secret of the collector')
})

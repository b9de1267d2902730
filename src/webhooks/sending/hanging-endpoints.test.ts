import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import '../../events/account.events.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { createWebhookWorker, prepareWebhookTables, type WebhookWorker } from '../../../test/support/webhook-worker.ts'
import { type EventType, findEventType } from '../../events/event-catalogue.ts'
import { recordEvents } from '../../events/recording.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { NewWebhookEndpoint } from '../endpoints/endpoints.schemas.ts'
import { createEndpoint } from '../management/endpoint-settings.ts'

/** Endpoints below /hang take the request and never answer; all others answer at once. */
const db = useTestDatabase()
const EVENTS = 20
const type = findEventType('key.created') as EventType
const arrivals = new Map<string, number>()
let receiver: Server
let worker: WebhookWorker

beforeAll(async () => {
  await prepareWebhookTables(db.database)
  receiver = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/hang')) return
    const id = String(request.headers['webhook-id'])
    arrivals.set(`${request.url} ${id}`, performance.now())
    request.on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  worker = createWebhookWorker({ database: db.database, pace: { drainMs: 100 } })
  await worker.start()
})

afterAll(async () => {
  await worker.stop()
  receiver.closeAllConnections()
  receiver.close()
})

async function addOrganization(name: string, { healthy, hanging }: { healthy: number; hanging: number }) {
  const { id: orgId } = await anOrganization(db.database)
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const pathsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}/${index}`)
  const healthyPaths = pathsOf(`/${name}`, healthy)
  // The hanging ones first: among equals the older one is served first.
  for (const path of [...pathsOf(`/hang/${name}`, hanging), ...healthyPaths]) {
    const input = NewWebhookEndpoint.parse({ url: origin + path, timeout_ms: 15_000 })
    await db.database.transaction((tx) => createEndpoint(worker.webhooks.context, tx, orgId, input))
  }
  return { orgId, healthyPaths }
}

type Stage = Awaited<ReturnType<typeof addOrganization>>

async function recordOne(orgId: OrgId): Promise<string> {
  const event = { type, subject: 'key_test', data: type.example }
  const [recorded] = await db.database.transaction((tx) => recordEvents(tx, orgId, [event], systemClock.now()))
  return (recorded as { id: string }).id
}

/** One event after the other, each once the one before has arrived everywhere it can. Answers with the median delay. */
async function medianDelay({ orgId, healthyPaths }: Stage, events = EVENTS): Promise<number> {
  const delays: number[] = []
  for (let index = 0; index < events; index++) {
    const id = await recordOne(orgId)
    const recordedMs = performance.now()
    const keys = healthyPaths.map((path) => `${path} ${id}`)
    await until(() => keys.every((key) => arrivals.has(key)))
    delays.push(...keys.map((key) => (arrivals.get(key) as number) - recordedMs))
  }
  return delays.sort((one, other) => one - other)[Math.floor(delays.length / 2)] as number
}

test('an organization delivers as fast to its healthy endpoints when 45 of its 50 hang', async () => {
  const untroubled = await addOrganization('untroubled', { healthy: 50, hanging: 0 })
  const troubled = await addOrganization('troubled', { healthy: 5, hanging: 45 })
  // Connections and plans are there for both afterwards.
  await medianDelay(untroubled, 5)
  const withNone = await medianDelay(untroubled)
  const withHanging = await medianDelay(troubled)
  expect(withHanging).toBeLessThanOrEqual(2 * withNone)
  // A busy cluster takes minutes for all the events; the two halves are compared with each other.
})

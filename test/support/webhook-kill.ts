import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import '../../src/events/account.events.ts'
import { type EventType, findEventType } from '../../src/events/event-catalogue.ts'
import { recordEvents } from '../../src/events/recording.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Id } from '../../src/kernel/ids.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { deliveryIdFor } from '../../src/webhooks/deliveries/delivery-entry.ts'
import { endpointOfLane } from '../../src/webhooks/endpoints/endpoint-lanes.ts'
import { NewWebhookEndpoint } from '../../src/webhooks/endpoints/endpoints.schemas.ts'
import { createEndpoint } from '../../src/webhooks/management/endpoint-settings.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { anOrganization } from './makers.ts'
import { until } from './until.ts'
import { type ReceivedWebhook, startWebhookReceiver, type WebhookReceiver } from './webhook-receivers.ts'
import { createWebhookWorker, prepareWebhookTables } from './webhook-worker.ts'
import { WORKER_NAME } from './webhook-worker-process.ts'

/**
 * Kills the one worker with `kill -9` again and again while it delivers. Every time, once PostgreSQL has noticed that
 * the worker is gone, the leased entries are recorded: these attempts were in flight, and only they may be repeated.
 * Then another worker is started.
 */
export type KillOptions = {
  deliveries: number
  kills: number
  endpoints: number
  /** False lets leases expire normally, a minute after each kill; true moves that moment to now. */
  isLeaseCutShort: boolean
  timeoutMs: number
}

export type KillReport = {
  /** Ids of the recorded events, and of the deliveries that are due for them. */
  eventIds: Set<string>
  dueIds: Set<string>
  /** Arrivals by delivery. */
  arrivals: Map<string, ReceivedWebhook[]>
  /** How often each delivery was in flight at a kill. */
  interruptions: Map<string, number>
  statuses: Record<string, number>
  entriesLeft: number
}

type Stage = { db: TestDatabase; orgId: Id<'org'>; receiver: WebhookReceiver; endpointIds: Map<string, Id<'wep'>> }

const RESPONSE_MS = 5
const PAGE_EVENTS = 500

export async function killDuringDeliveries(options: KillOptions): Promise<KillReport> {
  const stage = await setStage(options)
  try {
    const eventIds = await recordAll(stage, options)
    const interruptions = new Map<string, number>()
    for (let kill = 1; kill <= options.kills; kill++) {
      const worker = await startWorker(stage.db.url)
      const share = Math.floor((options.deliveries * kill) / (options.kills + 1))
      await until(() => stage.receiver.received.length >= share, options.timeoutMs)
      for (const id of await killWorker(stage.db.database, worker, options))
        interruptions.set(id, (interruptions.get(id) ?? 0) + 1)
    }
    const worker = await startWorker(stage.db.url)
    await until(async () => (await countEntries(stage.db.database)) === 0, options.timeoutMs)
    worker.kill('SIGTERM')
    await once(worker, 'exit')
    return await report(stage, eventIds, interruptions)
  } finally {
    stage.receiver.stop()
    await stage.db.close()
  }
}

async function setStage({ endpoints }: KillOptions): Promise<Stage> {
  const db = await createTestDatabase()
  await prepareWebhookTables(db.database)
  const { id: orgId } = await anOrganization(db.database)
  const receiver = await startWebhookReceiver(() => new Promise((resolve) => setTimeout(resolve, RESPONSE_MS, 204)))
  const { context } = createWebhookWorker({ database: db.database }).webhooks
  const endpointIds = new Map<string, Id<'wep'>>()
  for (let index = 0; index < endpoints; index++) {
    // A custom header names the endpoint of a message to the receiver.
    const headers = { 'x-endpoint': String(index) }
    const input = NewWebhookEndpoint.parse({ url: receiver.url, events: ['key.*'], custom_headers: headers })
    const { endpoint } = await db.database.transaction((tx) => createEndpoint(context, tx, orgId, input))
    endpointIds.set(String(index), endpoint.id)
  }
  return { db, orgId, receiver, endpointIds }
}

async function recordAll({ db, orgId }: Stage, { deliveries, endpoints }: KillOptions): Promise<Set<string>> {
  const type = findEventType('key.created') as EventType
  const ids = new Set<string>()
  const total = Math.ceil(deliveries / endpoints)
  for (let created = 0; created < total; created += PAGE_EVENTS) {
    const page = Array.from({ length: Math.min(PAGE_EVENTS, total - created) }, (_, index) => created + index)
    const events = page.map((number) => ({ type, subject: `key_${number}`, data: type.example }))
    const recorded = await db.database.transaction((tx) => recordEvents(tx, orgId, events, systemClock.now()))
    for (const { id } of recorded) ids.add(id)
  }
  return ids
}

async function startWorker(url: string): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'webhook-worker-process.ts')
  const worker = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(worker.stdout as NodeJS.ReadableStream, 'data')
  return worker
}

/** A commit that was on its way when the worker died may still happen, so its connections have to be gone first. */
async function killWorker(database: Database, worker: ChildProcess, options: KillOptions): Promise<string[]> {
  const ended = once(worker, 'exit')
  worker.kill('SIGKILL')
  await ended
  await until(async () => {
    const row = await database.one<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = ${WORKER_NAME}`
    return row.count === 0
  }, options.timeoutMs)
  const leased = await database.many<Leased>`select id, lane_id, payload from outbox_entries where state = 'leased'`
  if (options.isLeaseCutShort)
    await database.run`update outbox_entries set lease_until = now() - interval '1 s' where state = 'leased'`
  return leased.flatMap(deliveriesOf)
}

type Leased = { id: string; lane_id: string; payload: { events?: Id<'evt'>[] } }

/** A bundle is in flight as a whole: until it is acknowledged, its progress is unknown. */
const deliveriesOf = ({ id, lane_id, payload }: Leased): string[] =>
  payload.events?.map((eventId) => deliveryIdFor(eventId, endpointOfLane(lane_id))) ?? [id]

const countEntries = async (database: Database): Promise<number> =>
  (await database.one<{ count: number }>`select count(*)::int as count from outbox_entries`).count

async function report(stage: Stage, eventIds: Set<string>, interruptions: Map<string, number>): Promise<KillReport> {
  const { db, orgId, receiver, endpointIds } = stage
  const dueIds = new Set<string>()
  for (const eventId of eventIds)
    for (const endpointId of endpointIds.values()) dueIds.add(deliveryIdFor(eventId as Id<'evt'>, endpointId))
  const rows = await db.database.many<{ status: string; count: number }>`
    select status, count(*)::int as count from webhook_deliveries where org_id = ${orgId} and not is_test group by status`
  return {
    eventIds,
    dueIds,
    interruptions,
    arrivals: Map.groupBy(receiver.received.filter(isNoTest), ({ headers }) =>
      deliveryIdFor(headers['webhook-id'] as Id<'evt'>, endpointIds.get(String(headers['x-endpoint'])) as Id<'wep'>),
    ),
    statuses: Object.fromEntries(rows.map((row) => [row.status, row.count])),
    entriesLeft: await countEntries(db.database),
  }
}

/** The pings that try a new URL. */
const isNoTest = ({ body }: ReceivedWebhook) => !body.includes('"test":true')

/** What was promised and is not so; empty when every promise was kept. */
export function findViolations(report: KillReport): string[] {
  const { dueIds, arrivals, interruptions, statuses, entriesLeft } = report
  const missing = [...dueIds].filter((id) => !arrivals.has(id))
  const unexpected = [...arrivals.keys()].filter((id) => !dueIds.has(id))
  const repeated = [...arrivals].filter(([, webhooks]) => webhooks.length > 1)
  const unexplained = repeated.filter(([id, { length }]) => length - 1 > (interruptions.get(id) ?? 0))
  const altered = repeated.filter(([, webhooks]) => new Set(webhooks.map(({ body }) => body.toString())).size > 1)
  const isAllSucceeded = statuses.succeeded === dueIds.size && Object.keys(statuses).length === 1
  return [
    ...missing.map((id) => `${id} never arrived`),
    ...unexpected.map((id) => `${id} was not due`),
    ...unexplained.map(
      ([id, { length }]) => `${id} arrived ${length} times and was interrupted ${interruptions.get(id) ?? 0} times`,
    ),
    ...altered.map(([id]) => `${id} arrived with other bytes`),
    ...(isAllSucceeded ? [] : [`deliveries ended as ${JSON.stringify(statuses)}`]),
    ...(entriesLeft === 0 ? [] : [`${entriesLeft} outbox entries are left`]),
  ]
}

export const countRepeated = ({ arrivals }: KillReport): number =>
  [...arrivals.values()].reduce((sum, { length }) => sum + length - 1, 0)

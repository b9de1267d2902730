import { createFollowers, followOnce } from '../../src/events/followers.ts'
import { recordEvents } from '../../src/events/recording.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../src/kernel/ids.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import type { Route } from '../../src/platform/http/define-route.ts'
import { parseCidr } from '../../src/platform/http/limits/client-address.ts'
import { createEgress } from '../../src/platform/outbound-http/egress.ts'
import { NO_HAND_OVER } from '../../src/platform/outbox/grants.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import { resolveHost } from '../../src/platform/runtime/resolve-host.ts'
import { BUNDLE_JOB, dissolveBundles } from '../../src/webhooks/deliveries/bundles.ts'
import { deliveryIdFor } from '../../src/webhooks/deliveries/delivery-entry.ts'
import { createWebhooks, deliveryTables, webhookRoutes } from '../../src/webhooks/webhooks.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'
import { noCloudApi } from './no-cloud-api.ts'
import { createTestApi } from './public-api.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receivers.ts'
import { movableClock, noteErased, noteWritten, readReply } from './webhooks.ts'

/**
 * Webhooks with recoveries and explanations, where the test decides when something runs: nothing is fanned out or sent
 * until it says so. Requests name their organization instead of a key.
 */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects to find
export type Answer = { status: number; headers: Headers; json: any; text: string }

export const RETENTION_DAYS = 30

function openRecoveryBench(db: TestDatabase) {
  const { database } = db
  const clock = movableClock()
  const wakers = new Set<Outbox>()
  const webhooks = createWebhooks({
    database,
    clock,
    log: quietLog,
    secretBox: createSecretBox(deriveKey('a secret for tests', 'webhooks')),
    egress: createEgress({ allowedRanges: [parseCidr('127.0.0.0/8')], allowHttp: true }, resolveHost),
    userAgent: 'Nexkit/0.0.0-test',
    processId: newId('prc'),
    wake(laneIds) {
      for (const outbox of wakers) outbox.wake(laneIds)
    },
    handOver: NO_HAND_OVER,
    eventsPath: '/api/public/v1/events',
    cloudApi: noCloudApi,
  })
  const call = createCaller(database, clock, webhookRoutes(webhooks.context))
  const { jobs } = webhooks
  return {
    ...db,
    clock,
    call,
    webhooks,
    context: { database, clock },
    async anOrg() {
      return (await anOrganization(database)).id as OrgId
    },
    /** Fans out all events so far, each as a separate delivery, as if no worker had been there to send bundles. */
    async fanOut() {
      let hasMore = true
      while (hasMore) hasMore = (await followOnce(database, webhooks.follower)).hasMore
      const bundled = await database.many<{ org_id: OrgId; lane_id: Id<'wep'> }>`
        select distinct org_id, lane_id from outbox_entries where job = ${BUNDLE_JOB}`
      const now = new Date(clock.now())
      for (const { org_id: orgId, lane_id: endpointId } of bundled)
        await database.transaction((tx) => dissolveBundles(tx, 'waiting', { orgId, endpointId, now }))
    },
    /** A worker; several may run side by side. */
    async startWorker(options: { inFlightMax?: number } = {}) {
      const pace = { scoutEveryMs: 50, drainMs: 2000 }
      const outbox = createOutbox({
        database,
        jobs,
        clock,
        log: quietLog,
        processId: newId('prc'),
        pace,
        caps: options,
      })
      wakers.add(outbox)
      const followers = createFollowers({ database, clock, log: quietLog, follower: webhooks.follower })
      await Promise.all([outbox.start(), followers.start()])
      return {
        outbox,
        async stop() {
          wakers.delete(outbox)
          await Promise.all([outbox.stop(), followers.stop()])
        },
      }
    },
    ...makersFor(database, clock, call),
  }
}

export type RecoveryBench = ReturnType<typeof openRecoveryBench>
type Call = (orgId: OrgId, method: string, path: string, options?: CallOptions) => Promise<Answer>
type CallOptions = { json?: unknown; headers?: Record<string, string>; scopes?: readonly Scope[] }

export const useRecoveries = (): RecoveryBench =>
  duringTests('recoveries', async () => {
    const db = await createTestDatabase()
    const tables = [{ table: 'events', idPrefix: 'evt' as const, retentionDays: RETENTION_DAYS }, ...deliveryTables]
    for (const table of tables) await ensurePartitions(db.database, table, Date.now())
    const value = openRecoveryBench(db)
    await value.webhooks.start()
    return { value, stop: () => value.webhooks.stop().then(value.close) }
  })

function createCaller(database: Database, clock: Clock, routes: Route[]): Call {
  const call = createTestApi({
    database,
    clock,
    routes,
    log: quietLog,
  })
  return async (orgId, method, path, options = {}) => readReply(await call(method, path, { orgId, ...options }))
}

function makersFor(database: Database, clock: Clock, call: Call) {
  /** Every fourth is an erasure, the others are notes; subjects repeat, so that order keys do. */
  const events = async (orgId: OrgId, count: number): Promise<Id<'evt'>[]> => {
    const ids: Id<'evt'>[] = []
    for (let from = 0; from < count; from += 500) {
      const events = Array.from({ length: Math.min(500, count - from) }, (_, index) => {
        const subject = `note_${(from + index) % 50}`
        const data = { object: 'hook_note' as const, id: subject, text: `café ${from + index}`, author_id: 'author_1' }
        return index % 4 === 3
          ? { type: noteErased, subject, data: { id: subject } }
          : { type: noteWritten, subject, data }
      })
      const prepared = await database.transaction((tx) => recordEvents(tx, orgId, events, clock.now()))
      ids.push(...prepared.map(({ id }) => id))
    }
    return ids
  }
  const settle = (orgId: OrgId, endpointId: string, status: string, reason: string | null) => database.run`
    update webhook_deliveries
    set status = ${status}, reason = ${reason}, completed_at = now(), next_attempt_at = null,
        attempts = ${status === 'skipped' ? 0 : 12}, last_response_status = ${status === 'succeeded' ? 200 : 500}
    where org_id = ${orgId} and endpoint_id = ${endpointId} and not is_test`
  return {
    events,
    async anEndpoint(orgId: OrgId, fields: Record<string, unknown> = {}) {
      const json = { url: 'http://127.0.0.1:9/hook', events: ['hook_note.*'], ...fields }
      const reply = await call(orgId, 'POST', '/webhook-endpoints', { json })
      if (reply.status !== 201) throw new Error(`no endpoint: ${JSON.stringify(reply.json)}`)
      return reply.json as { id: Id<'wep'>; secret: string }
    },
    /** Deliveries as they are after their last attempt, and no entry in the outbox. */
    async endDeliveries(orgId: OrgId, endpointId: Id<'wep'>, status = 'failed', reason: string | null = 'exhausted') {
      await database.run`delete from outbox_entries where lane_id = ${endpointId}`
      return settle(orgId, endpointId, status, reason)
    },
    async statuses(orgId: OrgId, endpointId: string): Promise<Record<string, number>> {
      const rows = await database.many<{ status: string; count: number }>`
        select status, count(*)::int as count from webhook_deliveries
        where org_id = ${orgId} and endpoint_id = ${endpointId} and not is_test group by status`
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
    deliveryId: deliveryIdFor,
  }
}

/** Answers pings with 200 and leaves them out; everything else as configured. */
export async function noteReceiver(
  answer: (eventId: string, nth: number) => number | Promise<number> = () => 200,
): Promise<WebhookReceiver & { ids(): string[] }> {
  const ids: string[] = []
  const receiver = await startWebhookReceiver(({ headers, body }) => {
    if (body.includes('"endpoint.pinged"')) return 200
    const id = String(headers['webhook-id'])
    ids.push(id)
    return answer(id, ids.length)
  })
  return { ...receiver, ids: () => ids }
}

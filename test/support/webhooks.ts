import { afterAll } from 'bun:test'
import { z } from 'zod'
import { defineEvent } from '../../src/events/event-catalogue.ts'
import type { PreparedEvent } from '../../src/events/events.sql.ts'
import { createFollowers } from '../../src/events/followers.ts'
import { recordEvents } from '../../src/events/recording.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../src/kernel/ids.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import type { Egress } from '../../src/platform/outbound-http/egress.ts'
import { lateHandOver } from '../../src/platform/outbox/grants.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'
import { createWebhooks, deliveryTables, type Webhooks, webhookRoutes } from '../../src/webhooks/webhooks.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'
import { noCloudApi } from './no-cloud-api.ts'
import { createTestApi } from './public-api.ts'
import { answer, type ReceivedRequest, type ReceiverOptions, startReceiver } from './receiver.ts'
import { until } from './until.ts'

/**
 * Webhooks as they run, without the other parts of the app: the public API with their routes, the follower, the outbox and the
 * delivery client, on a separate database. Requests name their organization instead of a key.
 */
export const noteWritten = defineEvent({
  name: 'hook_note.written',
  description: 'A note was written.',
  data: z.object({ object: z.literal('hook_note'), id: z.string(), text: z.string(), author_id: z.string() }),
  example: { object: 'hook_note' as const, id: 'n1', text: 'café ☕', author_id: 'a1' },
})
export const noteErased = defineEvent({
  name: 'hook_note.erased',
  description: 'A note was erased.',
  data: z.object({ id: z.string() }),
  example: { id: 'n1' },
})

const secretBox = createSecretBox(deriveKey('a secret for tests', 'webhooks'))

/** The machine's time, which can be moved forward. */
export type MovableClock = Clock & { advance(ms: number): void }

export function movableClock(): MovableClock {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    advance(ms) {
      aheadMs += ms
    },
  }
}

/** Whatever the API answered; each test knows what it asked for. */
export type Json = Awaited<ReturnType<Response['json']>>

export type ApiReply = { status: number; headers: Headers; json: Json; text: string }

export type WebhookBench = TestDatabase & {
  webhooks: Webhooks
  outbox: Outbox
  clock: MovableClock
  anOrg(): Promise<OrgId>
  call(orgId: OrgId, method: string, path: string, options?: CallOptions): Promise<ApiReply>
  /** Created through the API. */
  anEndpoint(orgId: OrgId, fields: Record<string, unknown> & { url: string }): Promise<Json>
  note(orgId: OrgId, text: string, subject?: string): Promise<PreparedEvent>
  notes(orgId: OrgId, count: number): Promise<Id<'evt'>[]>
  /** Moves the clock forward and wakes the outbox. */
  advance(ms: number): void
  /** The outbox has looked for work again and again: what it was going to start, it has started. */
  claimsPass(): Promise<void>
}

export type CallOptions = {
  json?: unknown
  body?: string | FormData
  headers?: Record<string, string>
  scopes?: readonly Scope[]
}

export type BenchOptions = {
  log?: Log
  egress?: Egress
  daysAhead?: number
  caps?: Parameters<typeof createOutbox>[0]['caps']
}

export const useWebhooks = (options: BenchOptions = {}): WebhookBench =>
  duringTests('webhooks', async () => {
    const db = await createTestDatabase()
    const { bench, stop } = await startBench(db, options)
    return { value: bench, stop: () => stop().then(db.close) }
  })

const DAY_MS = 24 * 3600 * 1000

async function ensureDays(database: Database, days: number): Promise<void> {
  const tables = [{ table: 'events', idPrefix: 'evt' as const, retentionDays: 30 }, ...deliveryTables]
  for (const table of tables)
    for (let day = 0; day <= days; day += 3) await ensurePartitions(database, table, Date.now() + day * DAY_MS)
}

async function startBench(
  db: TestDatabase,
  { log = quietLog, egress = loopbackEgress, daysAhead = 0, caps }: BenchOptions = {},
) {
  const { database } = db
  await ensureDays(database, daysAhead)
  const clock = movableClock()
  const processId = newId('prc')
  let outbox: Outbox | null = null
  const webhooks = createWebhooks({
    database,
    clock,
    log,
    secretBox,
    egress,
    userAgent: 'Nexkit/0.0.0-test',
    processId,
    wake: (orgIds) => outbox?.wake(orgIds),
    handOver: lateHandOver(processId, () => outbox),
    eventsPath: '/api/public/v1/events',
    cloudApi: noCloudApi,
  })
  outbox = createOutbox({
    database,
    jobs: webhooks.jobs,
    clock,
    log,
    processId,
    pace: { scoutEveryMs: 50, drainMs: 500 },
    ...(caps && { caps }),
  })
  const followers = createFollowers({ database, clock, log, follower: webhooks.follower })
  const api = createApi(database, clock, webhooks, log)
  for (const part of [webhooks, outbox, followers]) await part.start()
  const started = outbox
  return {
    bench: { ...db, webhooks, outbox, clock, ...makers(database, clock, api, outbox) } satisfies WebhookBench,
    async stop() {
      for (const part of [followers, started, webhooks]) await part.stop()
    },
  }
}

type Api = (orgId: OrgId, method: string, path: string, options?: CallOptions) => Promise<ApiReply>

function createApi(database: Database, clock: Clock, webhooks: Webhooks, log: Log): Api {
  const call = createTestApi({ database, clock, routes: webhookRoutes(webhooks.context), log })
  return async (orgId, method, path, options = {}) => readReply(await call(method, path, { orgId, ...options }))
}

export async function readReply(reply: Response): Promise<ApiReply> {
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json') === true
  return { status: reply.status, headers: reply.headers, json: isJson ? JSON.parse(text) : null, text }
}

function makers(database: Database, clock: MovableClock, call: Api, outbox: Outbox) {
  const note = async (orgId: OrgId, text: string, subject = `note_${text.slice(0, 20)}`) => {
    const data = { object: 'hook_note' as const, id: subject, text, author_id: 'author_1' }
    const [event] = await database.transaction((tx) =>
      recordEvents(tx, orgId, [{ type: noteWritten, subject, data }], clock.now()),
    )
    return event as PreparedEvent
  }
  const orgIds: OrgId[] = []
  return {
    call,
    async anOrg() {
      const { id } = await anOrganization(database)
      orgIds.push(id as OrgId)
      return id as OrgId
    },
    async anEndpoint(orgId: OrgId, fields: Record<string, unknown> & { url: string }) {
      const reply = await call(orgId, 'POST', '/webhook-endpoints', { json: { events: ['hook_note.*'], ...fields } })
      if (reply.status !== 201) throw new Error(`no endpoint: ${JSON.stringify(reply.json)}`)
      return reply.json
    },
    note,
    async notes(orgId: OrgId, count: number) {
      const ids: Id<'evt'>[] = []
      for (let index = 0; index < count; index++) ids.push((await note(orgId, `note ${index}`)).id)
      return ids
    },
    advance(ms: number) {
      clock.advance(ms)
      outbox.wake()
    },
    async claimsPass() {
      const claims = async () => (await outbox.stats()).process.claims
      const before = await claims()
      await until(async () => {
        outbox.wake(orgIds)
        return (await claims()) > before + 3
      })
    },
  }
}

export type HookReceiver = { url: string; requests: ReceivedRequest[]; stop(): void }

/** Answers each request as configured. Pings are answered with 200 and not counted. */
async function aHookReceiver(
  reply: (request: ReceivedRequest, nth: number) => string | null | Promise<string> = () => answer(),
  options: Pick<ReceiverOptions, 'tls'> = {},
): Promise<HookReceiver> {
  const requests: ReceivedRequest[] = []
  const receiver = await startReceiver({
    ...options,
    onRequest(socket, request) {
      const isPing = request.body.includes('"type":"endpoint.pinged"')
      if (!isPing) requests.push(request)
      const text = isPing ? answer() : reply(request, requests.length)
      if (typeof text === 'string') socket.write(text)
      else text?.then((late) => socket.write(late))
    },
  })
  return { url: receiver.url, requests, stop: receiver.stop }
}

/** Receivers that end with the file. */
export function useReceivers() {
  const started: HookReceiver[] = []
  afterAll(() => {
    for (const receiver of started) receiver.stop()
  })
  return async (...of: Parameters<typeof aHookReceiver>): Promise<HookReceiver> => {
    const receiver = await aHookReceiver(...of)
    started.push(receiver)
    return receiver
  }
}

export const textsOf = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map((request) => JSON.parse(request.body.toString()).data.text)

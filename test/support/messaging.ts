import type { ChannelConnector } from '../../src/channels/channel-connector.ts'
import { type Channels, channelTables, createChannels } from '../../src/channels/channels.ts'
import { createNumber } from '../../src/channels/numbers/numbers.ts'
import { listEvents } from '../../src/events/event-feed.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../src/kernel/ids.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { createMessaging, type Messaging, messagingRoutes } from '../../src/messaging/messaging.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import { lateHandOver } from '../../src/platform/outbox/grants.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'
import { createMemoryStorage } from './memory-storage.ts'
import { createTestApi } from './public-api.ts'
import { batchOf, createScriptedChannel, type ScriptedChannel } from './scripted-channel.ts'
import { until } from './until.ts'

/** Messaging as it runs: routes behind the real pipeline, the outbox with its jobs, and a network that the test scripts. */
export type ApiReply = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json: any
}

export type CallOptions = { json?: unknown; headers?: Record<string, string>; scopes?: readonly Scope[] }

/** Real time, which a test can move ahead. */
export type MovableClock = Clock & { advance(ms: number): void }

function movableClock(): MovableClock {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms) => {
      aheadMs += ms
    },
  }
}

export type MessagingBench = TestDatabase & {
  channel: ScriptedChannel
  /** The same with a reply window. */
  strictChannel: ScriptedChannel
  channels: Channels
  messaging: Messaging
  outbox: Outbox
  clock: MovableClock
  call(orgId: OrgId, method: string, path: string, options?: CallOptions): Promise<ApiReply>
  anOrg(): Promise<OrgId>
  aNumber(orgId: OrgId, fields?: NumberFields): Promise<Id<'num'>>
  /** An organization with one number. */
  aShop(fields?: NumberFields): Promise<Shop>
  /** As if the network had posted it, and applied. */
  report(shop: Shop, reports: readonly unknown[]): Promise<string | null>
  advance(ms: number): void
  /** The same, unless a job is in flight: its lease would be lost, which no test intends. */
  pass(ms: number): Promise<void>
  eventsOf(orgId: OrgId): Promise<TestEvent[]>
  settle(): Promise<void>
}

export type Shop = { orgId: OrgId; numberId: Id<'num'>; phoneNumberId: string }
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the event holds
export type TestEvent = { type: string; sequence: number; data: any; previous: any; actor: any }
export type NumberFields = {
  connector?: string
  baseUrl?: string
  credentials?: Record<string, string>
  settings?: Record<string, unknown>
  phoneNumberId?: string
}

export type BenchOptions = {
  log?: Log
  leaseMs?: number
  unknownWaitMs?: number
  isOutboxOff?: boolean
  /** Beside the scripted ones. */
  connectors?: ChannelConnector[]
}

async function startMessaging(db: TestDatabase, options: BenchOptions = {}) {
  const { database } = db
  const clock = movableClock()
  const log = options.log ?? quietLog
  for (const table of [{ table: 'events', idPrefix: 'evt' as const, retentionDays: 30 }, ...channelTables])
    await ensurePartitions(database, table, clock.now())
  const channel = createScriptedChannel()
  const strictChannel = createScriptedChannel({ name: 'strict', traits: { hasReplyWindow: true } })
  const processId = newId('prc')
  let outbox: Outbox | null = null
  const wake = (orgIds: readonly OrgId[]) => outbox?.wake(orgIds)
  const channels = createChannels({
    database,
    clock,
    log,
    secretBox: createSecretBox(deriveKey('a secret for tests', 'numbers')),
    storage: createMemoryStorage(),
    connectors: [channel, strictChannel, ...(options.connectors ?? [])],
    egress: loopbackEgress,
    publicUrl: 'http://localhost',
    wake,
    handOver: lateHandOver(processId, () => outbox),
  })
  const { unknownWaitMs } = options
  const messaging = createMessaging({
    database,
    clock,
    log,
    channels,
    wake,
    handOver: lateHandOver(processId, () => outbox),
    ...(unknownWaitMs !== undefined && { unknownWaitMs }),
  })
  const started = createOutbox({
    database,
    jobs: [...channels.jobs, ...messaging.jobs],
    clock,
    log,
    processId,
    pace: { scoutEveryMs: 50, reapEveryMs: 200, drainMs: 500 },
  })
  outbox = started
  const parts = [channels, messaging, ...(options.isOutboxOff ? [] : [started])]
  for (const part of parts) await part.start()
  const makers = makersOf({ database, clock, channels, messaging, outbox: started, log })
  return {
    bench: {
      ...db,
      channel,
      strictChannel,
      channels,
      messaging,
      outbox: started,
      clock,
      ...makers,
    } satisfies MessagingBench,
    async stop() {
      for (const part of parts.toReversed()) await part.stop()
    },
  }
}

type Parts = {
  database: Database
  clock: MovableClock
  channels: Channels
  messaging: Messaging
  outbox: Outbox
  log: Log
}

function makersOf({ database, clock, channels, messaging, outbox, log }: Parts) {
  const request = createTestApi({ database, clock, routes: messagingRoutes(messaging.context), log })
  const anOrg = async () => (await anOrganization(database)).id
  const aNumber = async (orgId: OrgId, fields: NumberFields = {}) => {
    const phoneNumberId = fields.phoneNumberId ?? `${Date.now()}${Math.floor(Math.random() * 1000)}`
    const { number } = await database.transaction((tx) =>
      createNumber(channels.context, tx, orgId, {
        connector: fields.connector ?? 'scripted',
        phone_number_id: phoneNumberId,
        display_phone: '+62 21 5000 1000',
        credentials: fields.credentials ?? {},
        settings: fields.settings ?? {},
        ...(fields.baseUrl !== undefined && { base_url: fields.baseUrl }),
      }),
    )
    return number
  }
  return {
    anOrg,
    aNumber: async (orgId: OrgId, fields?: NumberFields) => (await aNumber(orgId, fields)).id,
    async aShop(fields?: NumberFields): Promise<Shop> {
      const orgId = await anOrg()
      const number = await aNumber(orgId, fields)
      return { orgId, numberId: number.id, phoneNumberId: number.phone_number_id }
    },
    async call(orgId: OrgId, method: string, path: string, options: CallOptions = {}): Promise<ApiReply> {
      const reply = await request(method, path, { orgId, ...options })
      const text = await reply.text()
      return { status: reply.status, headers: reply.headers, json: text === '' ? null : JSON.parse(text) }
    },
    async report({ orgId, numberId }: Shop, reports: readonly unknown[]): Promise<string | null> {
      const before = await database.many<{ id: string }>`select id from channel_journal where org_id = ${orgId}`
      await database.transaction((tx) => channels.appendToJournal(tx, { orgId, id: numberId }, batchOf(reports)))
      const known = before.map(({ id }) => id)
      const find = () => database.maybeOne<{ problem: string | null }>`
        select problem from channel_journal
        where org_id = ${orgId} and id <> all(${known}::text[]) and applied_at is not null`
      await until(async () => (await find()) !== null)
      return (await find())?.problem ?? null
    },
    advance(ms: number) {
      clock.advance(ms)
      outbox.wake()
    },
    async pass(ms: number) {
      const { leased } = await database.one<{ leased: number }>`
        select count(*)::int as leased from outbox_entries where state = 'leased'`
      if (leased > 0) return
      clock.advance(ms)
      outbox.wake()
    },
    async eventsOf(orgId: OrgId): Promise<TestEvent[]> {
      return (await listEvents(database, orgId, { after: 0, limit: 1000 })).map((event) => JSON.parse(event.body))
    },
    /** Until nothing that is due is left to do. */
    settle: () =>
      until(async () => {
        const now = new Date(clock.now())
        const row = await database.one<{ count: number }>`
          select count(*)::int as count from outbox_entries e join outbox_lanes l on l.org_id = e.org_id and l.id = e.lane_id
          where l.state = 'open' and (e.due_at <= greatest(${now}, clock_timestamp()) or e.state = 'leased')`
        return row.count === 0
      }),
  }
}

/** For the top of a test file. */
export const useMessaging = (options: BenchOptions = {}): MessagingBench =>
  duringTests('messaging', async () => {
    const db = await createTestDatabase()
    const { bench, stop } = await startMessaging(db, options)
    return { value: bench, stop: () => stop().then(db.close) }
  })

let wamids = 0
const aWamid = () => {
  wamids += 1
  return `wamid.IN${process.pid}${wamids}`
}

/** A text from a customer, as the connector would read it. */
export function aText(
  fields: Record<string, unknown> & {
    text?: string
    phone?: string | null
    userId?: string | null
    name?: string | null
    username?: string | null
  } = {},
) {
  const { text, phone, userId, name, username, ...rest } = fields
  return {
    kind: 'message',
    phoneNumberId: null,
    raw: null,
    providerId: aWamid(),
    from: {
      phone: phone === undefined ? '6281234567890' : phone,
      userId: userId ?? null,
      parentUserId: null,
      username: username ?? null,
      name: name === undefined ? 'Sari' : name,
    },
    at: new Date().toISOString(),
    content: { type: 'text', body: text ?? 'Halo' },
    providerMediaId: null,
    replyToProviderId: null,
    reactsToProviderId: null,
    isForwarded: false,
    referral: null,
    ...rest,
  }
}

export const aStatus = (fields: Record<string, unknown> & { status: string }) => ({
  kind: 'status',
  phoneNumberId: null,
  raw: null,
  providerId: aWamid(),
  clientToken: null,
  at: new Date().toISOString(),
  recipient: { phone: null, userId: null, parentUserId: null, username: null, name: null },
  failure: null,
  facts: null,
  ...fields,
})

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { ageDatabase } from './aged.ts'
import { phoneOf } from './messaging-bench.ts'
import { startNexkit } from './nexkit-server.ts'
import { processorSeconds } from './process-usage.ts'
import { type Bench, type Finding, type Question, round } from './question.ts'
import { startSlowNetwork } from './slow-network.ts'
import { preciseNow, startWebhookSink, type WebhookSink } from './webhook-sink.ts'

/**
 * Costs of single operations at the rates that shops have, where no two of them share a batch. The whole server runs as
 * `npm start` runs it, on a PostgreSQL that counts statements. Processor time is that of the server and of PostgreSQL together.
 */
export type Shop = {
  /** Sends a request to the public API and answers with its body; a refusal ends the measurement. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  sink: WebhookSink
  meter: Meter
  database: Database
}

export async function openShop(bench: Pick<Bench, 'folder' | 'isAged' | 'say' | 'defer'>): Promise<Shop> {
  const sink = await startWebhookSink()
  bench.defer(() => sink.stop())
  const postgres = await startEmbeddedPostgres({
    dataDir: join(bench.folder, 'postgres'),
    log: createLog('error'),
    settings: { shared_preload_libraries: 'pg_stat_statements' },
  })
  bench.defer(() => postgres.stop())
  const database = openDatabase({ url: postgres.url, connectionsMax: 1 })
  bench.defer(() => database.close())
  await database.script('create extension pg_stat_statements')
  const network = bench.isAged ? await startSlowNetwork(postgres.url) : null
  bench.defer(() => network?.stop())
  const server = await startNexkit({
    dataDir: join(bench.folder, 'data'),
    logFile: join(bench.folder, 'server.log'),
    settings: {
      DATABASE_URL: network?.url ?? postgres.url,
      NEXKIT_SECRET_KEY: randomBytes(32).toString('base64'),
      NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32',
    },
  })
  bench.defer(() => server.stop())
  const headers = { authorization: `Bearer ${await server.createKey()}`, 'content-type': 'application/json' }
  const call: Shop['call'] = async (method, path, body) => {
    const response = await fetch(`${server.origin}/api/public/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  if (bench.isAged) await ageShop(bench, { call, sink, database })
  return { call, sink, database, meter: createMeter(database, { server: server.pid, postmaster: postgres.pid }) }
}

async function ageShop(
  bench: Pick<Bench, 'say'>,
  { call, sink, database }: Pick<Shop, 'call' | 'sink'> & { database: Database },
) {
  bench.say('adding 10,000 organizations and all days that are kept')
  const { id } = await call('POST', '/webhook-endpoints', { url: `${sink.origin}/time`, events: ['order.expired'] })
  const { org_id: orgId } = await database.one<{ org_id: string }>`
    select org_id from webhook_endpoints where id = ${id as string}`
  await ageDatabase(database, { orgId, endpointId: id as string })
}

export type Reading = {
  processorSeconds: number
  serverSeconds: number
  statements: number
  transactions: number
  /** Written to the log of PostgreSQL. */
  walBytes: number
  /** Of all tables and indexes. */
  storedBytes: number
}
type Meter = { read(): Promise<Reading> }

const createMeter = (database: Database, pids: { server: number; postmaster: number }): Meter => ({
  async read() {
    const counted = await database.one<Omit<Reading, 'processorSeconds' | 'serverSeconds'>>`
      select (select sum(calls)::int from pg_stat_statements where query not like '%pg_stat_statements%') as statements,
        (select (xact_commit + xact_rollback)::int from pg_stat_database where datname = current_database()) as transactions,
        (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes", pg_database_size(current_database())::float8 as "storedBytes"`
    const server = processorSeconds(pids.server) ?? Number.NaN
    const postgres = processorSecondsOfPostgres(pids.postmaster)
    return { ...counted, serverSeconds: server, processorSeconds: server + postgres }
  },
})

/** Backends that ended are in the postmaster's own account; those that live are its children. */
function processorSecondsOfPostgres(postmaster: number): number {
  const fields = (pid: number) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  }
  const ended = fields(postmaster).slice(13, 15).map(Number)
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(Number(name)))
  function isChild(pid: number): boolean {
    try {
      return Number(fields(pid)[1]) === postmaster
    } catch {
      return false
    }
  }
  const living = [postmaster, ...children.map(Number)].map((pid) => processorSeconds(pid) ?? 0)
  return living.reduce((sum, seconds) => sum + seconds, 0) + ((ended[0] as number) + (ended[1] as number)) / 100
}

type Steady = { perSecond: number; count: number }

/** Starts one operation at each of the fixed times, no matter when the one before ends, and waits for all of them. */
export async function runSteadily<Result>({ perSecond, count }: Steady, operate: (nth: number) => Promise<Result>) {
  const startedMs = performance.now()
  const running: Promise<Result>[] = []
  for (let nth = 0; nth < count; nth++) {
    const aheadMs = startedMs + (nth * 1000) / perSecond - performance.now()
    if (aheadMs > 0) await Bun.sleep(aheadMs)
    running.push(operate(nth))
  }
  return Promise.all(running)
}

/** What each of `count` operations cost, everything included that the server does in the same time. */
async function measureCost(meter: Meter, count: number, run: () => Promise<void>) {
  const before = await meter.read()
  await run()
  const after = await meter.read()
  const each = (member: keyof Reading) => (after[member] - before[member]) / count
  return {
    processor_ms: round(each('processorSeconds') * 1000),
    statements: round(each('statements'), 1),
    transactions: round(each('transactions'), 1),
  }
}

export const ORDER = {
  billingType: 'qris',
  items: [
    { sku: 'KOPI-1', name: 'Kopi susu gula aren', quantity: 2, unit_price: 18_000 },
    { sku: 'ROTI-2', name: 'Roti bakar cokelat', quantity: 1, unit_price: 24_000 },
  ],
}

/** When each object was accepted, and afterwards how long its event took to arrive. */
function createStopwatch({ call, sink }: Shop, type: string) {
  const acceptedAtMs = new Map<string, number>()
  return {
    accept: (id: unknown) => acceptedAtMs.set(id as string, preciseNow()),
    async delaysMs(): Promise<number[]> {
      const times = await sink.times()
      const delays: number[] = []
      let cursor: unknown = null
      do {
        const page = await call('GET', `/events?types=${type}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`)
        for (const event of page.data as { id: string; data: { id: string } }[]) {
          const [acceptedMs, arrivedMs] = [acceptedAtMs.get(event.data.id), times[event.id]]
          if (acceptedMs !== undefined && arrivedMs !== undefined) delays.push(Math.max(0, arrivedMs - acceptedMs))
        }
        cursor = page.next_cursor
      } while (cursor !== null)
      return delays.sort((one, other) => one - other)
    },
  }
}

const percentile = (sorted: number[], share: number) => round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)

/** The same operation at a steady rate, each with one webhook: its cost, and the time from the answer to the arrival. */
async function measureSteadily(
  bench: Bench,
  { type, path, body, rates }: { type: string; path: string; body: (nth: number) => object; rates: Steady[] },
) {
  const shop = await openShop(bench)
  await shop.call('POST', '/webhook-endpoints', { url: `${shop.sink.origin}/time`, events: [type] })
  const results: { perSecond: number; cost: Awaited<ReturnType<typeof measureCost>>; delaysMs: number[] }[] = []
  let nth = 0
  const run = async (steady: Steady, accept: (id: unknown) => void) => {
    await shop.sink.expectMore(steady.count)
    await runSteadily(steady, async () => accept((await shop.call('POST', path, body(nth++))).id))
    await shop.sink.arrived()
  }
  const warmUp = { perSecond: 200, count: 600 }
  await run(warmUp, () => {})
  for (const rate of rates) {
    bench.say(`${rate.count} times POST ${path}, ${rate.perSecond} a second`)
    const stopwatch = createStopwatch(shop, type)
    const cost = await measureCost(shop.meter, rate.count, () => run(rate, stopwatch.accept))
    results.push({ perSecond: rate.perSecond, cost, delaysMs: await stopwatch.delaysMs() })
  }
  return results
}

type Limits = { processorMs: number; statements: number; p50Ms: number | null; p99Ms: number | null }

/** Bars hold at the first rate; the others help to read it. */
const costFindings = (name: string, results: Awaited<ReturnType<typeof measureSteadily>>, limits: Limits): Finding[] =>
  results.flatMap(({ perSecond, cost, delaysMs }, index) => {
    const bar = (atMost: number | null) => (index === 0 && atMost !== null ? { atMost } : null)
    const figures = { ...cost, events: delaysMs.length }
    const finding = (measure: string, value: number, unit: Finding['unit'], atMost: number | null): Finding => ({
      measure: `${name} at ${perSecond}/s: ${measure}`,
      value,
      unit,
      bar: bar(atMost),
      figures,
    })
    return [
      finding('processor time', cost.processor_ms, 'ms', limits.processorMs),
      finding('statements', cost.statements, 'statements', limits.statements),
      finding('answer to arrival, median', percentile(delaysMs, 0.5), 'ms', limits.p50Ms),
      finding('answer to arrival, 99 %', percentile(delaysMs, 0.99), 'ms', limits.p99Ms),
    ]
  })

export const everydayOrders: Question = {
  name: 'everyday-orders',
  asks: 'What does one order with one webhook cost at 200 and at 20 a second?',
  secondsMax: 60,
  hasAgedForm: true,
  async run(bench) {
    const rates = [
      { perSecond: 200, count: 2_000 },
      { perSecond: 20, count: 200 },
    ]
    const results = await measureSteadily(bench, { type: 'order.created', path: '/orders', body: () => ORDER, rates })
    return costFindings('order with webhook', results, { processorMs: 1.5, statements: 12, p50Ms: 2, p99Ms: 10 })
  },
}

const CUSTOMERS = 1_000
export const messageTo = (nth: number) => ({
  to: phoneOf(nth % CUSTOMERS),
  body: `Pesanan nomor ${nth} sudah kami kirim.`,
})

export const everydayMessages: Question = {
  name: 'everyday-messages',
  asks: 'What does one message cost that the simulator sends and a webhook reports, at 100 a second?',
  secondsMax: 60,
  hasAgedForm: true,
  async run(bench) {
    const rates = [{ perSecond: 100, count: 1_000 }]
    const results = await measureSteadily(bench, { type: 'message.sent', path: '/messages', body: messageTo, rates })
    return costFindings('message sent', results, { processorMs: 4, statements: 20, p50Ms: null, p99Ms: null })
  },
}

const CONNECTIONS = 64

/** All of them, as many at a time as there are connections; how many per second. */
export async function runAtOnce(count: number, operate: (nth: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  let next = 0
  const work = async () => {
    while (next < count) await operate(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return Math.round((count * 1000) / (performance.now() - startedMs))
}

export const markPaid: Question = {
  name: 'mark-paid',
  asks: 'How many orders of one organization can be marked as paid per second?',
  secondsMax: 60,
  hasAgedForm: true,
  async run(bench) {
    const [warmUp, count] = [500, 3_000]
    const { call, meter } = await openShop(bench)
    const ids: string[] = []
    const cash = { billingType: 'cash', amount: 60_000 }
    await runAtOnce(warmUp + count, async () => ids.push((await call('POST', '/orders', cash)).id as string))
    const pay = (nth: number) => call('POST', `/orders/${ids[nth]}/mark-paid`, {})
    await runAtOnce(warmUp, pay)
    let perSecond = 0
    const figures = await measureCost(meter, count, async () => {
      perSecond = await runAtOnce(count, (nth) => pay(warmUp + nth))
    })
    return [
      {
        measure: `mark-paid, ${CONNECTIONS} connections`,
        value: perSecond,
        unit: 'per second',
        bar: { atLeast: 1_200 },
        figures,
      },
      { measure: 'mark-paid: statements', value: figures.statements, unit: 'statements', bar: { atMost: 15 }, figures },
    ]
  },
}

export const messageBurst: Question = {
  name: 'message-burst',
  asks: 'How fast do 10,000 messages leave that are accepted at once, each reported by a webhook?',
  secondsMax: 60,
  hasAgedForm: true,
  async run(bench) {
    const [warmUp, count] = [1_000, 10_000]
    const { call, sink, meter } = await openShop(bench)
    await call('POST', '/webhook-endpoints', { url: `${sink.origin}/count`, events: ['message.sent'] })
    const burst = async (messages: number) => {
      await sink.expectMore(messages)
      const startedMs = performance.now()
      const accepted = await runAtOnce(messages, (nth) => call('POST', '/messages', messageTo(nth)))
      await sink.arrived()
      return { accepted, delivered: Math.round((messages * 1000) / (performance.now() - startedMs)) }
    }
    await burst(warmUp)
    let rates = { accepted: 0, delivered: 0 }
    const cost = await measureCost(meter, count, async () => {
      rates = await burst(count)
    })
    return [
      {
        measure: 'burst of 10,000 messages: message.sent delivered',
        value: rates.delivered,
        unit: 'per second',
        bar: { atLeast: 2_500 },
        figures: { ...cost, accepted_per_second: rates.accepted },
      },
    ]
  },
}

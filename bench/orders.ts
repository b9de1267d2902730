import { join, resolve } from 'node:path'
import { type Database, openDatabase, type Tx } from '../src/platform/database/database.ts'
import { findRunningPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { BARE_ORDER_TABLES } from './bare-seller.ts'
import { fillTable } from './bulk-rows.ts'
import { slowFlushes } from './disk.ts'
import type { LoadRequest } from './load.ts'
import { measureLoad, type Round, refuseFailures } from './measured-load.ts'
import { type BenchServer, startBenchServer } from './messaging-bench.ts'
import { type NexkitServer, startNexkit } from './nexkit-server.ts'
import { BENCH_ROWS, openBaseline } from './postgres-baseline.ts'
import { alternate, type Bench, compareNeighbours, type Finding, median, type Question, round } from './question.ts'

/** Orders through the whole server: made as fast as they come, and listed among few and among very many. */
const ROUNDS = 4
const CONNECTIONS = 64
const ROUND_MS = 2_000
const WARMUP_MS = 500
const WRITING = { connections: CONNECTIONS, durationMs: ROUND_MS }
const PATH = '/api/public/v1/orders'

const ORDER = JSON.stringify({
  billingType: 'qris',
  items: [
    { sku: 'KOPI-1', name: 'Kopi susu gula aren', quantity: 2, unit_price: 18000 },
    { sku: 'ROTI-2', name: 'Roti bakar cokelat', quantity: 1, unit_price: 24000 },
  ],
})

type Running = { server: NexkitServer; database: Database; command: (words: string) => Promise<string> }

async function startServer(bench: Bench): Promise<Running> {
  const dataDir = join(bench.folder, 'data')
  const server = await startNexkit({ dataDir, logFile: join(bench.folder, 'server.log'), role: 'api' })
  bench.defer(() => server.stop())
  const postgres = await findRunningPostgres(dataDir)
  if (postgres === null) throw new Error('the PostgreSQL of the server is not running')
  const database = openDatabase({ url: postgres.url, connectionsMax: 2, statementTimeoutMs: 120_000 })
  bench.defer(() => database.close())
  await slowFlushes(database, bench.flushMs)
  return { server, database, command: (words) => runCommand(dataDir, words) }
}

async function runCommand(dataDir: string, words: string): Promise<string> {
  const { DATABASE_URL: _, ...environment } = process.env
  const child = Bun.spawn([process.execPath, 'src/cli.ts', ...words.split(' '), '--json'], {
    cwd: resolve(import.meta.dir, '..'),
    env: { ...environment, NEXKIT_DATA_DIR: dataDir },
    stderr: 'pipe',
  })
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`nexkit ${words} failed: ${complaints}`)
  return printed
}

type Pressure = { connections: number; durationMs: number }

async function load(server: BenchServer, request: LoadRequest, pressure: Pressure): Promise<Round> {
  const plan = { origin: server.origin, ...pressure, warmupMs: WARMUP_MS, requests: [request] }
  const report = await measureLoad(server.pid, plan)
  refuseFailures([report])
  return report
}

export const orders: Question = {
  name: 'orders',
  asks: 'How many payable orders per second, against one row per transaction?',
  secondsMax: 60,
  async run(bench) {
    const running = await startServer(bench)
    await running.command('payment-account create --org demo-store --provider simulator')
    const headers = {
      authorization: `Bearer ${await running.server.createKey()}`,
      'content-type': 'application/json',
    }
    const request = { method: 'POST', path: PATH, headers, body: ORDER }
    const { baseline, bare } = await openOrderBaselines(running, bench)
    bench.say(`baseline: ${baseline.label}; ${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`)
    for (const server of [running.server, bare]) await load(server, request, WRITING)
    const bareRounds: Round[] = []
    const { ones, others } = await alternate(
      ROUNDS,
      () => load(running.server, request, WRITING),
      async () => {
        const perSecond = await baseline.run(ROUND_MS)
        bareRounds.push(await load(bare, request, WRITING))
        return perSecond
      },
    )
    await refuseDoubles(running.database)
    return [
      creationFinding(ones, others, baseline.label),
      againstBareFinding(ones, bareRounds),
      bareFinding(bareRounds, others),
    ]
  },
}

async function openOrderBaselines({ database }: Running, bench: Bench) {
  await database.script(BARE_ORDER_TABLES)
  await database.script(BENCH_ROWS)
  const url = (await findRunningPostgres(join(bench.folder, 'data')))?.url ?? ''
  const baseline = openBaseline(url, bench.folder)
  bench.defer(() => baseline.close())
  return { baseline, bare: await startBenchServer(bench, url, 'bare-seller.ts') }
}

/** Every order has its number, its attempt and its events, or the figure says nothing. */
async function refuseDoubles(database: Database): Promise<void> {
  const counts = await database.one<{ orders: number; numbers: number; payable: number; events: number }>`
    select count(*)::int as orders, max(number)::int - 1000 as numbers,
      (select count(*)::int from payments where status = 'pending') as payable,
      (select count(*)::int from events where type = 'order.created') as events
    from orders`
  const { orders: made } = counts
  if (Object.values(counts).some((count) => count !== made) || made === 0)
    throw new Error(`orders are incomplete: ${JSON.stringify(counts)}`)
}

function creationFinding(ones: Round[], others: number[], label: string): Finding {
  const perSecond = ones.map(({ requestsPerSecond }) => requestsPerSecond)
  return {
    measure: 'POST /orders (QRIS, simulator, two items), against one row per transaction',
    value: round(median(perSecond) / median(others)),
    unit: 'ratio',
    bar: null,
    figures: {
      orders_per_second: perSecond,
      p99_ms: ones.map(({ p99Ms }) => p99Ms),
      server_microseconds_per_order: ones.map(({ processorMicroseconds }) => processorMicroseconds),
      baseline_per_second: others.map(Math.round),
      baseline: label,
    },
    ...(!label.startsWith('pgbench') && { note: `baseline: ${label}` }),
  }
}

const againstBareFinding = (ones: Round[], bareRounds: Round[]): Finding => ({
  measure: 'POST /orders against a bare server storing an order in five small tables',
  value: compareNeighbours(
    ones.map(({ requestsPerSecond }) => requestsPerSecond),
    bareRounds.map(({ requestsPerSecond }) => requestsPerSecond),
  ),
  unit: 'ratio',
  bar: { atLeast: 0.5 },
  figures: {},
})

const bareFinding = (rounds: Round[], others: number[]): Finding => ({
  measure: 'a bare server storing an order in five small tables, against one row per transaction',
  value: round(median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)) / median(others)),
  unit: 'ratio',
  bar: null,
  figures: {
    orders_per_second: rounds.map(({ requestsPerSecond }) => requestsPerSecond),
    server_microseconds_per_order: rounds.map(({ processorMicroseconds }) => processorMicroseconds),
  },
})

const FEW = 10_000
const MANY = 1_000_000
const READERS = 16
const ORDERS_PER_CUSTOMER = 200
const PAGE_ROUNDS = 6
const READING = { connections: READERS, durationMs: 500 }

/** Each answered with as many orders in both shops. */
const PAGES = ['', '?status=completed', '?phone=%2B6281200000007', '?payment_status=pending']

export const orderPages: Question = {
  name: 'order-pages',
  asks: 'Is a page of orders as fast among a million as among ten thousand?',
  secondsMax: 100,
  async run(bench) {
    const running = await startServer(bench)
    const few = await openShop(running, 'bench-few')
    const many = await openShop(running, 'bench-many')
    bench.say(`writing ${MANY} orders`)
    await fillShops(running.database, [
      { slug: 'bench-few', count: FEW },
      { slug: 'bench-many', count: MANY },
    ])
    const findings: Finding[] = []
    for (const query of PAGES) {
      const page = (headers: Record<string, string>) =>
        load(running.server, { method: 'GET', path: `${PATH}${query}`, headers }, READING)
      const { ones, others } = await alternate(
        PAGE_ROUNDS,
        () => page(many),
        () => page(few),
      )
      findings.push(pageFinding(query, ones, others))
    }
    return findings
  },
}

const fillShops = (database: Database, shops: readonly Shop[]): Promise<void> =>
  fillTable(database, 'orders', async (tx) => {
    for (const shop of shops) await insertOrders(tx, shop)
  })

type Shop = { slug: string; count: number }

/** Spread over states and customers as a shop's would be. Without names: no query asks by name, and that index takes long. */
function insertOrders(tx: Tx, { slug, count }: Shop): Promise<unknown> {
  // As many orders of each customer here as there: a page of one is a whole page in both.
  const customers = count / ORDERS_PER_CUSTOMER
  return tx.run`
    insert into orders (org_id, id, number, status, billing_type, customer_phone, items, subtotal, total, payment_status,
      created_at, updated_at)
    select organizations.id, 'ord_01' || lpad(n::text, 24, '0'), 1000 + n,
      case when n % 50 = 0 then 'expired' when n % 20 = 0 then 'pending_payment' else 'completed' end, 'qris',
      '+628120000' || lpad((n % ${customers}::int)::text, 4, '0'),
      '[{"sku": "A", "name": "Kopi", "quantity": 1, "unit_price": 18000, "subtotal": 18000}]', 18000, 18000,
      case when n % 50 = 0 then 'unpaid' when n % 20 = 0 then 'pending' else 'paid' end,
      now() - interval '1 year' + n * interval '30 seconds', now() - interval '1 year' + n * interval '31 seconds'
    from organizations, generate_series(1, ${count}::int) as n
    where organizations.slug = ${slug}`
}

async function openShop({ command }: Running, slug: string): Promise<Record<string, string>> {
  await command(`org create --name ${slug} --slug ${slug}`)
  const printed = await command(`key create --org ${slug} --name bench --scopes all --rate-limit none`)
  return { authorization: `Bearer ${(JSON.parse(printed) as { token: string }).token}` }
}

function pageFinding(query: string, ones: Round[], others: Round[]): Finding {
  const perSecond = (rounds: Round[]) => rounds.map(({ requestsPerSecond }) => requestsPerSecond)
  return {
    measure: `GET /orders${query} at 1,000,000 orders against 10,000`,
    value: compareNeighbours(perSecond(ones), perSecond(others)),
    unit: 'ratio',
    bar: { atLeast: 0.9 },
    figures: { many_per_second: perSecond(ones), few_per_second: perSecond(others), readers: READERS },
  }
}

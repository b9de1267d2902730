import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { phoneOf } from './messaging-bench.ts'
import { type NexkitServer, startNexkit } from './nexkit-server.ts'
import { measureTreeMemory, treeProcessorSeconds } from './process-tree.ts'
import { type Bench, type Finding, type Question, round } from './question.ts'
import { startWebhookSink } from './webhook-sink.ts'

/**
 * Memory and processor time of the whole server with its embedded PostgreSQL, started as `npm start` does: first with nothing
 * to do, then minute by minute under a steady mix of calls whose events all go to a webhook.
 */
/** Longer than connections without work stay open. */
const SETTLE_MS = 45_000
const IDLE_MS = 20_000
const MINUTE_MS = 60_000
const PER_SECOND = 80
const CUSTOMERS = 1_000

export const memory: Question = {
  name: 'memory',
  asks: 'How much memory and processor time does the server take with its PostgreSQL, idle and under mixed calls?',
  secondsMax: 115,
  async run(bench) {
    const server = await startMeasured(bench)
    const idle = await measureIdle(server)
    bench.say(`idle: ${memoryText(idle.memory)}, ${idle.processorPercent} % of a core`)
    const minutes = await loadByMinute(bench, server)
    return [...idleFindings(idle), loadFinding(minutes)]
  },
}

type MeasuredServer = NexkitServer & { heapFile: string }

/** An empty folder: the first start is the one that loads most. */
async function startMeasured(bench: Bench): Promise<MeasuredServer> {
  // In a folder that only root may enter, PostgreSQL runs with a capability that hides its memory from others.
  await chmod(bench.folder, 0o755)
  const heapFile = join(bench.folder, 'heap.json')
  const server = await startNexkit({
    dataDir: join(bench.folder, 'data'),
    logFile: join(bench.folder, 'server.log'),
    preload: join(import.meta.dir, 'heap-probe.ts'),
    settings: { BENCH_HEAP_FILE: heapFile, NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' },
  })
  bench.defer(() => server.stop())
  return { ...server, heapFile }
}

type MemoryReading = ReturnType<typeof readMemory>

function readMemory(pid: number) {
  const { serverMegabytes, serverShareMegabytes, postgresMegabytes, postgresProcesses } = measureTreeMemory(pid)
  return {
    server_mb: round(serverMegabytes, 1),
    server_pss_mb: round(serverShareMegabytes, 1),
    postgres_pss_mb: round(postgresMegabytes, 1),
    postgres_processes: postgresProcesses,
  }
}

const memoryText = ({ server_mb, postgres_pss_mb, postgres_processes }: MemoryReading) =>
  `server ${server_mb} MB, PostgreSQL ${postgres_pss_mb} MB in ${postgres_processes} processes`

async function measureIdle({ pid }: MeasuredServer) {
  await Bun.sleep(SETTLE_MS)
  const before = treeProcessorSeconds(pid)
  const startedMs = performance.now()
  await Bun.sleep(IDLE_MS)
  const seconds = treeProcessorSeconds(pid) - before
  const processorPercent = round((seconds * 100_000) / (performance.now() - startedMs))
  return { memory: readMemory(pid), processorPercent }
}

type HeapReading = { heap_mb: number; heap_capacity_mb: number; objects: number }

/** The probe answers between two turns of the server's loop, so the file is there within moments. */
async function readHeap({ pid, heapFile }: MeasuredServer): Promise<HeapReading | null> {
  rmSync(heapFile, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let waits = 0; waits < 100 && !existsSync(heapFile); waits++) await Bun.sleep(20)
  if (!existsSync(heapFile)) return null
  await Bun.sleep(20)
  const { heapSize, heapCapacity, objectCount } = JSON.parse(readFileSync(heapFile, 'utf8'))
  return { heap_mb: round(heapSize / 1e6, 1), heap_capacity_mb: round(heapCapacity / 1e6, 1), objects: objectCount }
}

type Minute = MemoryReading & { minute: number; heap: HeapReading | null; failed: number; processor_percent: number }

async function loadByMinute(bench: Bench, server: MeasuredServer): Promise<Minute[]> {
  const sink = await startWebhookSink()
  bench.defer(() => sink.stop())
  const shop = await openShop(server, `${sink.origin}/count`)
  const minutes: Minute[] = []
  const minuteMs = MINUTE_MS * Math.min(1, bench.minutes)
  for (let minute = 1; minute <= Math.max(1, Math.round(bench.minutes)); minute++) {
    const usedBefore = treeProcessorSeconds(server.pid)
    const failed = await runMixedCalls(shop, minuteMs)
    const used = ((treeProcessorSeconds(server.pid) - usedBefore) * 100_000) / minuteMs
    const reading = { ...readMemory(server.pid), heap: await readHeap(server) }
    minutes.push({ minute, ...reading, failed, processor_percent: round(used, 1) })
    const heap = reading.heap === null ? '' : `, heap ${reading.heap.heap_mb} of ${reading.heap.heap_capacity_mb} MB`
    bench.say(`minute ${minute}: ${memoryText(reading)}${heap}, ${round(used, 1)} % of a core, ${failed} calls failed`)
  }
  return minutes
}

type Shop = { origin: string; headers: Record<string, string>; calls: number }

async function openShop(server: NexkitServer, webhookUrl: string): Promise<Shop> {
  const headers = { authorization: `Bearer ${await server.createKey()}`, 'content-type': 'application/json' }
  const shop = { origin: server.origin, headers, calls: 0 }
  if (!(await call(shop, 'POST', '/webhook-endpoints', { url: webhookUrl, events: ['*'] })))
    throw new Error('the webhook endpoint was refused')
  return shop
}

async function call({ origin, headers }: Shop, method: string, path: string, body?: object): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/api/public/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

const ORDER = {
  billingType: 'qris',
  items: [
    { sku: 'KOPI-1', name: 'Kopi susu gula aren', quantity: 2, unit_price: 18_000 },
    { sku: 'ROTI-2', name: 'Roti bakar cokelat', quantity: 1, unit_price: 24_000 },
  ],
}

const customerOf = (nth: number) => phoneOf(nth % CUSTOMERS)

/** Of each ten calls three send a message, two create an order and five read. */
const MIX: ((shop: Shop, nth: number) => Promise<boolean>)[] = [
  (shop, nth) =>
    call(shop, 'POST', '/messages', { to: customerOf(nth), body: `Pesanan nomor ${nth} sudah kami kirim.` }),
  (shop) => call(shop, 'GET', '/orders?limit=50'),
  (shop, nth) => call(shop, 'POST', '/orders', { ...ORDER, customer: { phone: customerOf(nth) } }),
  (shop) => call(shop, 'GET', '/chats?limit=50'),
  (shop, nth) =>
    call(shop, 'POST', '/messages', { to: customerOf(nth), body: `Terima kasih sudah berbelanja, ${nth}.` }),
  (shop) => call(shop, 'GET', '/events?limit=50'),
  (shop) => call(shop, 'POST', '/orders', ORDER),
  (shop, nth) => call(shop, 'GET', `/orders?limit=20&phone=${encodeURIComponent(customerOf(nth))}`),
  (shop, nth) =>
    call(shop, 'POST', '/messages', { to: customerOf(nth * 7), body: `Kami buka sampai jam ${nth % 24}.` }),
  (shop) => call(shop, 'GET', '/me'),
]

/** Calls start at fixed times, no matter when those before end; answers with how many failed. */
async function runMixedCalls(shop: Shop, durationMs: number): Promise<number> {
  const startedMs = performance.now()
  const running = new Set<Promise<void>>()
  let failed = 0
  for (let nth = 0; nth * 1000 < durationMs * PER_SECOND; nth++) {
    const aheadMs = startedMs + (nth * 1000) / PER_SECOND - performance.now()
    if (aheadMs > 0) await Bun.sleep(aheadMs)
    const index = shop.calls++
    const ended = (MIX[index % MIX.length] as (typeof MIX)[number])(shop, index).then((isOk) => {
      if (!isOk) failed += 1
      running.delete(ended)
    })
    running.add(ended)
  }
  await Promise.all(running)
  return failed
}

const idleFindings = ({ memory: reading, processorPercent }: Awaited<ReturnType<typeof measureIdle>>): Finding[] => [
  {
    measure: 'idle server and embedded PostgreSQL',
    value: round(reading.server_mb + reading.postgres_pss_mb, 1),
    unit: 'MB',
    bar: { atMost: 150 },
    figures: reading,
  },
  {
    measure: 'idle processor time of both',
    value: processorPercent,
    unit: '% of a core',
    bar: { atMost: 0.3 },
    figures: {},
  },
]

const loadFinding = (minutes: Minute[]): Finding => ({
  measure: `server under ${PER_SECOND} mixed calls a second for ${minutes.length} min`,
  value: Math.max(...minutes.map(({ server_mb }) => server_mb)),
  unit: 'MB',
  bar: { atMost: 200 },
  figures: { minutes },
  isInvalid: minutes.some(({ failed }) => failed > 0),
})

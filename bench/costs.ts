import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureFlushMs } from './disk.ts'
import { messageTo, ORDER, openShop, type Reading, runAtOnce, runSteadily, type Shop } from './everyday.ts'
import { buildSites } from './nexkit-server.ts'

/**
 * What one message, one order and one delivery cost in processor time, log of PostgreSQL (WAL) and disk: the figures of
 * docs/guides/scaling.md. The whole server runs as `npm start` runs it. A cost is what both counted while many were done, divided by
 * how many, everything included that the server does in the same time. A message is accepted, sent by the simulator and reported as
 * sent, delivered and read; an order is accepted and gets its QRIS code. Nothing of either is delivered. A delivery is the difference
 * between orders whose event goes to several endpoints and orders whose event goes to none.
 *
 * Run: node bin/bun.mjs bench/costs.ts [COUNT]. Takes a few minutes, because each step runs at a steady rate and then at once.
 */
const COUNT = Number(process.argv[2] ?? 3_000)
const WARM_UP = 500
const PER_SECOND = 50
const ENDPOINTS = 4

type Cost = { serverMs: number; postgresMs: number; statements: number; walBytes: number; storedBytes: number }

/** Everything that was accepted is done: nothing is left to send, to number or to report. */
async function untilDone({ database }: Shop): Promise<void> {
  for (;;) {
    const { left } = await database.one<{ left: number }>`
      select (select count(*) from outbox_entries where due_at < now() + interval '1 minute')::int
        + (select count(*) from event_backlog)::int as left`
    if (left === 0) return
    await Bun.sleep(500)
  }
}

async function measure(shop: Shop, run: () => Promise<unknown>): Promise<Cost> {
  await untilDone(shop)
  const before = await shop.meter.read()
  await run()
  await untilDone(shop)
  const after = await shop.meter.read()
  const each = (member: keyof Reading) => (after[member] - before[member]) / COUNT
  const serverMs = each('serverSeconds') * 1000
  return {
    ...{ serverMs, postgresMs: each('processorSeconds') * 1000 - serverMs, statements: each('statements') },
    ...{ walBytes: each('walBytes'), storedBytes: each('storedBytes') },
  }
}

const deliveryOf = (withEndpoints: Cost, without: Cost): Cost =>
  Object.fromEntries(
    Object.entries(withEndpoints).map(([name, value]) => [name, (value - without[name as keyof Cost]) / ENDPOINTS]),
  ) as Cost

const show = (name: string, pace: string, cost: Cost) =>
  console.log(
    `${name.padEnd(9)} ${pace.padEnd(14)} server ${cost.serverMs.toFixed(2)} ms, PostgreSQL ${cost.postgresMs.toFixed(2)} ms, ` +
      `${cost.statements.toFixed(1)} statements, WAL ${(cost.walBytes / 1000).toFixed(1)} kB, disk ${(cost.storedBytes / 1000).toFixed(1)} kB`,
  )

await buildSites()
const folder = await mkdtemp(join(tmpdir(), 'nexkit-costs-'))
const undo: (() => unknown)[] = []
try {
  const shop = await openShop({ folder, isAged: false, say: console.log, defer: (step) => undo.push(step) })
  const { call, sink, database } = shop
  const operations = {
    message: (nth: number) => call('POST', '/messages', messageTo(nth)),
    order: () => call('POST', '/orders', ORDER),
  }
  const paces = {
    [`${PER_SECOND} a second`]: (operate: (nth: number) => Promise<unknown>) =>
      runSteadily({ perSecond: PER_SECOND, count: COUNT }, operate),
    'all at once': (operate: (nth: number) => Promise<unknown>) => runAtOnce(COUNT, operate),
  }
  const { version } = await database.one<{ version: string }>`select current_setting('server_version') as version`
  console.log(`${COUNT} of each, PostgreSQL ${version}, a flush takes ${measureFlushMs()} ms`)
  for (const operate of Object.values(operations)) await runAtOnce(WARM_UP, operate)
  // Pages that are changed for the first time after a checkpoint go to the log as a whole; none falls into a step by chance.
  const measureStep = async (run: () => Promise<unknown>) => {
    await database.script('checkpoint')
    return measure(shop, run)
  }
  const plain = new Map<string, Cost>()
  for (const [name, operate] of Object.entries(operations))
    for (const [pace, run] of Object.entries(paces)) {
      const cost = await measureStep(() => run(operate))
      if (name === 'order') plain.set(pace, cost)
      show(name, pace, cost)
    }
  for (let nth = 0; nth < ENDPOINTS; nth++)
    await call('POST', '/webhook-endpoints', { url: `${sink.origin}/count`, events: ['order.created'] })
  for (const [pace, run] of Object.entries(paces)) {
    const cost = await measureStep(async () => {
      await sink.expectMore(COUNT * ENDPOINTS)
      await run(operations.order)
      await sink.arrived()
    })
    show('delivery', pace, deliveryOf(cost, plain.get(pace) as Cost))
  }
} finally {
  for (const step of undo.reverse()) await step()
  await rm(folder, { recursive: true, force: true })
}

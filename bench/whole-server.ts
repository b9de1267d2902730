import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/database/database.ts'
import { findRunningPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import type { LoadRequest } from './load.ts'
import { measureLoad } from './measured-load.ts'
import { phoneOf } from './messaging-bench.ts'
import { buildSites, startNexkit } from './nexkit-server.ts'
import { ROW_BODY } from './postgres-baseline.ts'
import { watchResidentMemory } from './process-usage.ts'

/**
 * The server as `npm start` runs it, which sends, hears back and fans out while it accepts: round by round from its first
 * request on, and the most memory it had in each. The questions of the bench measure accepting alone.
 *
 * Run: node bin/bun.mjs bench/whole-server.ts [messages|orders]. Takes half a minute and has no bar.
 */
const ROUNDS = 6
const ROUND_MS = 3_000
const CONNECTIONS = 64
const CUSTOMERS = 1_000

const what = process.argv[2] === 'orders' ? 'orders' : 'messages'

const bodyOf = (nth: number): object =>
  what === 'messages'
    ? { to: phoneOf(nth), body: ROW_BODY }
    : {
        billingType: 'qris',
        payment: { method: 'qris' },
        items: [
          { name: 'Kopi susu', quantity: 2, unit_price: 18_000 },
          { name: 'Roti bakar', quantity: 1, unit_price: 22_000 },
        ],
      }

async function measure(origin: string, pid: number, requests: LoadRequest[]): Promise<void> {
  const memory = watchResidentMemory(pid)
  const plan = { origin, connections: CONNECTIONS, durationMs: ROUND_MS, warmupMs: 200, requests }
  const { processorMicroseconds: used, ...report } = await measureLoad(pid, plan)
  const each = used === null ? '' : `, ${Math.round(used)} us of the server's processor time each`
  const megabytes = Math.round(memory.stop())
  const refused = report.non2xx === 0 ? '' : `, ${report.non2xx} REFUSED`
  console.log(
    `${report.requestsPerSecond} ${what}/s accepted, median ${report.p50Ms} ms, ${report.p99Ms} ms at 99 %, ${megabytes} MB at most${each}${refused}`,
  )
}

/** How far the sending came meanwhile. */
async function tellOfSending(dataDir: string): Promise<void> {
  const postgres = await findRunningPostgres(dataDir)
  if (postgres === null) throw new Error('the PostgreSQL of the server is not running')
  const database = openDatabase({ url: postgres.url, connectionsMax: 1 })
  const rows = await database.many<{ status: string; count: number }>`
    select coalesce(state.status, 'queued') as status, count(*)::int as count
    from messages message left join message_states state on state.org_id = message.org_id and state.message_id = message.id
    where direction = 'outbound' group by 1 order by 1`
  console.log(`messages by status: ${rows.map(({ status, count }) => `${status} ${count}`).join(', ')}`)
  await database.close()
}

await buildSites()
const folder = await mkdtemp(join(tmpdir(), 'nexkit-whole-server-'))
const dataDir = join(folder, 'data')
const server = await startNexkit({ dataDir, logFile: join(folder, 'server.log') })
try {
  const headers = { authorization: `Bearer ${await server.createKey()}`, 'content-type': 'application/json' }
  const requests = Array.from({ length: CUSTOMERS }, (_, nth) => ({
    method: 'POST',
    path: `/api/public/v1/${what}`,
    headers,
    body: JSON.stringify(bodyOf(nth)),
  }))
  for (let round = 0; round < ROUNDS; round++) await measure(server.origin, server.pid, requests)
  await tellOfSending(dataDir)
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

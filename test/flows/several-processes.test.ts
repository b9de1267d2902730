import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { openDatabase } from '../../src/platform/database/database.ts'
import { findRunningPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import {
  aFreePort,
  anInstallation,
  type Installation,
  type Running,
  runCommand,
  startServer,
  tokenIn,
  untilSaid,
} from '../support/server.ts'
import { until } from '../support/until.ts'

/** Two serving processes on one port over one PostgreSQL. */
let installation: Installation
let server: Running
let token: string
let metricsPort: number

beforeAll(async () => {
  // Hundreds of calls are sent, to see them spread.
  metricsPort = await aFreePort()
  installation = await anInstallation({
    NEXKIT_RATE_LIMIT_PER_SECOND: '10000',
    NEXKIT_RATE_LIMIT_BURST: '10000',
    METRICS_PORT: String(metricsPort),
  })
  server = startServer(installation, ['--processes', '2'])
  await untilSaid(server, 'curl')
  token = tokenIn(server.stdout())
})

afterAll(async () => {
  await server.stop()
  await installation.remove()
})

async function createKey(name: string) {
  const args = ['--org', 'demo-store', '--name', name, '--scopes', 'all', '--json']
  const created = await runCommand(installation, 'key', 'create', ...args)
  return JSON.parse(created.stdout) as { token: string; id: string }
}

/** A new connection each time, so that the kernel spreads them over the processes. */
const statusOf = (bearer: string) =>
  fetch(`${installation.url}/public/v1/me`, {
    headers: { authorization: `Bearer ${bearer}`, connection: 'close' },
  }).then(
    (response) => response.status,
    () => 0,
  )

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function livePids(): Promise<number[]> {
  const postgres = await findRunningPostgres(installation.dataDir)
  if (postgres === null) return []
  const database = openDatabase({ url: postgres.url, connectionsMax: 1 })
  const rows = await database.many<{
    pid: number
  }>`select pid from processes where seen_at > now() - interval '15 s' order by pid`
  await database.close()
  return rows.map((row) => row.pid).filter(isAlive)
}

/** When those that answer were started. They sign for life before they serve, and what is still starting ends without PostgreSQL. */
async function startsOfServing(): Promise<string[]> {
  const ask = () =>
    fetch(`${installation.url}/metrics`, { headers: { connection: 'close' } }).then(
      (response) => response.text(),
      () => '',
    )
  const answers = await Promise.all(Array.from({ length: 20 }, ask))
  return [...new Set(answers.flatMap((text) => /^process_start_time_seconds (\S+)/m.exec(text)?.[1] ?? []))]
}

async function countOf(list: 'orders' | 'chats'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${installation.url}/api/public/v1/${list}`, { headers })
  return ((await response.json()) as { data: unknown[] }).data.length
}

test('a first start is announced when it answers', async () => {
  expect((await fetch(`${installation.url}/healthz`)).status).toBe(200)
})

test('a first start of several processes creates the same example chats and orders as one process', async () => {
  await until(async () => (await countOf('chats')) === 3 && (await countOf('orders')) === 2)
})

test('both serve, and a revoked key is refused by both within a second', async () => {
  await until(async () => (await livePids()).length === 2)
  const key = await createKey('Shared')
  const before = await Promise.all(Array.from({ length: 40 }, () => statusOf(key.token)))
  expect(new Set(before)).toEqual(new Set([200]))
  await runCommand(installation, 'key', 'revoke', key.id, '--org', 'demo-store')
  const revokedAt = performance.now()
  await until(async () =>
    (await Promise.all(Array.from({ length: 20 }, () => statusOf(key.token)))).every((status) => status === 401),
  )
  expect(performance.now() - revokedAt).toBeLessThan(1000)
  const after = await Promise.all(Array.from({ length: 40 }, () => statusOf(key.token)))
  expect(new Set(after)).toEqual(new Set([401]))
})

/** When the processes behind the ports of metrics were started. */
const scrapedStarts = () =>
  Promise.all(
    [metricsPort, metricsPort + 1].map(async (port) => {
      const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
        (response) => response.text(),
        () => '',
      )
      return /^process_start_time_seconds (\S+)/m.exec(text)?.[1]
    }),
  )

test('each is scraped on a port of its own, and so is the one that replaces it', async () => {
  const before = await scrapedStarts()
  expect(new Set(before).size).toBe(2)
  expect(before).not.toContain(undefined)
  const [victim] = await livePids()
  process.kill(victim as number, 'SIGKILL')
  await until(async () => {
    const now = await scrapedStarts()
    return !now.includes(undefined) && now.filter((start) => before.includes(start)).length === 1
  })
})

test('a webhook to this machine is as welcome as with one process', async () => {
  const url = 'http://127.0.0.1:9/hook'
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' }
      const body = JSON.stringify({ url })
      return (await fetch(`${installation.url}/public/v1/webhook-endpoints`, { method: 'POST', headers, body })).status
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([201]))
})

test('one that is killed is replaced, and meanwhile the other serves', async () => {
  const [victim] = await livePids()
  process.kill(victim as number, 'SIGKILL')
  await until(async () => (await statusOf(token)) === 200)
  await until(async () => {
    const pids = await livePids()
    return pids.filter((pid) => pid !== victim).length === 2
  })
  expect(new Set(await Promise.all(Array.from({ length: 30 }, () => statusOf(token))))).toEqual(new Set([200]))
})

test('PostgreSQL killed under load comes back, and so do both processes, without a restart of theirs', async () => {
  await until(async () => (await livePids()).length === 2 && (await startsOfServing()).length === 2)
  const pidsBefore = await livePids()
  const postgres = await findRunningPostgres(installation.dataDir)
  process.kill(postgres?.pid ?? 0, 'SIGKILL')
  const during = await Promise.all(Array.from({ length: 50 }, () => statusOf(token)))
  expect(during.filter((status) => status !== 200 && status !== 503)).toEqual([])
  await until(async () =>
    (await Promise.all(Array.from({ length: 20 }, () => statusOf(token)))).every((status) => status === 200),
  )
  // They say so themselves, each in its own time. Keys they remember: they may answer before PostgreSQL does.
  await until(async () => (await livePids().catch(() => [])).join() === pidsBefore.join())
  expect(pidsBefore).toHaveLength(2)
})

test('several more of another installation do not join them on their port', async () => {
  const other = await anInstallation({ PORT: String(installation.port) })
  const refused = startServer(other, ['--processes', '2'])
  expect((await refused.exited).code).toBe(1)
  expect(refused.stderr()).toContain(`Port ${installation.port} on 127.0.0.1 is already in use.`)
  await other.remove()
})

test('the next start works and creates no examples again when all processes were killed with their supervisor', async () => {
  // At once, while the children still hold the port: what is waited for is the supervisor alone.
  const died = once(server.child, 'exit')
  server.child.kill('SIGKILL')
  await died
  server = startServer(installation, ['--processes', '2'])
  await untilSaid(server, 'is ready')
  expect([await countOf('chats'), await countOf('orders')]).toEqual([3, 2])
})

test('SIGTERM lets all of them finish and ends with 0', async () => {
  expect(await server.stop()).toBe(0)
})

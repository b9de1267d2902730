import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { descendantsOf, measureMemory } from '../../bench/process-tree.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { createRandom } from '../support/random.ts'
import { anInstallation } from '../support/server.ts'
import { type Act, type History, newHistory, startLoad } from './load.ts'
import { type PostgresNode, type ServingNode, startNodes, startPostgresNode } from './nodes.ts'
import { openShop } from './shop.ts'
import { environmentOf, settle } from './torture.ts'
import { judgeTrends, type Sample, type Trend } from './trends.ts'

/**
 * Mixed load for an hour against one real server, in which nothing may grow: memory, open files, tables that are emptied as fast as they
 * are filled, and the age of the work that waits. Everything is accounted for at the end, as after a round of torture.
 */
export type SoakOptions = {
  minutes: number
  /** About as many, with the calls of the network and the provider that follow from those of clients. */
  requestsPerSecond: number
  say: (line: string) => void
  signal: AbortSignal
}

export type SoakReport = { samples: Sample[]; trends: Trend[]; violations: string[] }

/** Measured for this mix. The reader of the feed has its own pace. */
const REQUESTS_PER_ACT = 1.75
const CLIENTS = 8
const MIX: readonly Act[] = [
  ...(['message', 'message', 'message', 'message', 'inbound', 'inbound'] as const),
  ...(['order', 'order', 'cash', 'pay', 'pay', 'refund'] as const),
  ...(['list', 'list', 'list', 'list', 'list', 'list', 'list', 'list'] as const),
]
const SAMPLES_MIN = 12

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const installation = await anInstallation()
  const postgres = await startPostgresNode(installation.dataDir)
  const database = openDatabase({ url: postgres.url, connectionsMax: 2 })
  const nodes: ServingNode[] = []
  try {
    const environment = environmentOf(installation, postgres.url)
    Object.assign(installation.environment, environment)
    const [node] = await startNodes(
      [{ name: 'node', role: 'all' }],
      { folder: installation.dataDir, environment },
      nodes,
    )
    const random = createRandom(1)
    const shop = await openShop(installation, { slug: 'soak', random, url: (node as ServingNode).url })
    shop.xendit.isRefundListOfOne = true
    const history = newHistory()
    const urls = [(node as ServingNode).url]
    const actsPerSecond = options.requestsPerSecond / REQUESTS_PER_ACT
    const load = startLoad({ shop, history, random, clients: CLIENTS, urls, mix: MIX, actsPerSecond })
    const watched = { node: node as ServingNode, postgres, database, history }
    const samples = await takeSamples(watched, options)
    await load.endClients()
    const { violations } = await settle(database, shop, history)
    await load.stop()
    await shop.stop()
    return { samples, trends: judgeTrends(samples), violations: [...violations, ...judgeSteadiness(samples)] }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await database.close()
    await postgres.stop()
    await installation.remove()
  }
}

type Watched = { node: ServingNode; postgres: PostgresNode; database: Database; history: History }

async function takeSamples(watched: Watched, { minutes, say, signal }: SoakOptions): Promise<Sample[]> {
  const everyMs = Math.min(60_000, (minutes * 60_000) / SAMPLES_MIN)
  const samples: Sample[] = []
  const startedMs = performance.now()
  let calls = 0
  for (let nth = 1; nth <= Math.round((minutes * 60_000) / everyMs); nth++) {
    await pause(Math.max(0, startedMs + nth * everyMs - performance.now()), undefined, { signal })
    const minute = (performance.now() - startedMs) / 60_000
    const requestsPerSecond = (watched.history.calls - calls) / (everyMs / 1000)
    calls = watched.history.calls
    const sample = { minute, requestsPerSecond, ...(await measure(watched)) }
    samples.push(sample)
    say(lineOf(sample))
  }
  return samples
}

async function measure({ node, postgres, database }: Watched): Promise<Omit<Sample, 'minute' | 'requestsPerSecond'>> {
  const bloat = await database.one<{ work_megabytes: number; dead_share: number }>`
    select coalesce(sum(pg_total_relation_size(relid)) filter (where relname ~ '^(outbox_|event_backlog|event_counters)'), 0)
        ::float8 / 1e6 as work_megabytes,
      100 * sum(n_dead_tup)::float8 / greatest(1, sum(n_live_tup + n_dead_tup)) as dead_share
    from pg_stat_user_tables`
  const waiting = await database.one<{ entries: number; lag: number }>`
    select count(*)::int as entries, coalesce(max(extract(epoch from clock_timestamp() - due_at)), 0)::float8 as lag
    from outbox_entries where state = 'waiting' and due_at < clock_timestamp()`
  const pid = node.pid()
  return {
    pid,
    serverMegabytes: measureMemory([pid]),
    serverFiles: readdirSync(`/proc/${pid}/fd`).length,
    postgresMegabytes: measureMemory([postgres.pid(), ...descendantsOf(postgres.pid())]),
    workMegabytes: bloat.work_megabytes,
    deadShare: bloat.dead_share,
    waiting: waiting.entries,
    lagSeconds: waiting.lag,
  }
}

/** A server that was replaced has forgotten what it grew to. */
const judgeSteadiness = (samples: Sample[]): string[] =>
  new Set(samples.map(({ pid }) => pid)).size > 1 ? ['the server ended and was started again'] : []

const lineOf = (sample: Sample) =>
  [
    `minute ${sample.minute.toFixed(1)}: ${sample.requestsPerSecond.toFixed(0)} requests/s`,
    `server ${sample.serverMegabytes.toFixed(0)} MB, ${sample.serverFiles} files`,
    `PostgreSQL ${sample.postgresMegabytes.toFixed(0)} MB`,
    `work tables ${sample.workMegabytes.toFixed(1)} MB`,
    `dead rows ${sample.deadShare.toFixed(1)} %`,
    `${sample.waiting} waiting, oldest ${sample.lagSeconds.toFixed(1)} s`,
  ].join('; ')

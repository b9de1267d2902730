import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { createRandom, type Random } from '../support/random.ts'
import { anInstallation, type Installation } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openCitus } from './citus-nodes.ts'
import { countAnswered, type History, newHistory, startLoad } from './load.ts'
import { type Roster, type ServingNode, type Storage, startNodes, startPostgresNode, type Victim } from './nodes.ts'
import { openShop, type Shop } from './shop.ts'
import { type Account, judgeBooks, listPendingWork, readLastProbe, verify } from './verify.ts'

/**
 * Kills and freezes nodes and PostgreSQL, or the nodes of a Citus cluster, under mixed load, at moments that the seed decides, and accounts for everything afterwards. The
 * schedule of a round depends on the seed and the number of the round alone, so `--seed 7 --from 31 --rounds 1` repeats round 31.
 */
export type TortureOptions = {
  seed: number
  rounds: number
  from?: number
  /** How long faults are injected in each round. */
  faultsMs?: number
  clients?: number
  roster?: Roster
  settings?: Record<string, string>
  /** On the cluster of NEXKIT_TEST_CITUS_URL instead of a PostgreSQL of its own. */
  isOnCitus?: boolean
  say?: (line: string) => void
  /** Ends everything that was started. */
  signal?: AbortSignal
}

export type RoundReport = {
  round: number
  faults: string[]
  violations: string[]
  counts: Account['counts']
  /** From the end of the faults until nothing was missing. */
  settledMs: number
  slowestMs: number
  slowest: string
  unanswered: number
}

type Fault = { atMs: number; victim: string; kind: 'kill' | 'freeze'; forMs: number; isLeaseCut: boolean }

const ROSTER: Roster = [
  { name: 'node', role: 'all' },
  { name: 'api', role: 'api' },
  { name: 'worker', role: 'worker' },
]
const FAULTS_MS = 7_000
const SETTLE_MS_MAX = 180_000
const BREAKER_MS_MAX = 900_000
const CLIENTS = 16
/** An organization is used for this many rounds: the account is always of its whole history. */
const ROUNDS_PER_SHOP = 20

type Stage = { installation: Installation; database: Database; nodes: ServingNode[]; victims: Victim[]; random: Random }

export async function torture(options: TortureOptions): Promise<RoundReport[]> {
  const installation = await anInstallation()
  const storage = options.isOnCitus ? await openCitus() : await openPostgres(installation, options)
  const database = openDatabase({ url: storage.url, connectionsMax: 2 })
  const nodes: ServingNode[] = []
  try {
    const environment = environmentOf(installation, storage.url)
    Object.assign(installation.environment, environment)
    await startNodes(options.roster ?? ROSTER, { folder: installation.dataDir, environment }, nodes)
    const victims = [...nodes, ...storage.victims]
    const stage = { installation, database, nodes, victims, random: createRandom(options.seed) }
    return await Promise.race([runRounds(stage, options), untilAborted(options.signal)])
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await database.close()
    await storage.stop()
    await installation.remove()
  }
}

async function openPostgres({ dataDir }: Installation, { settings }: TortureOptions): Promise<Storage> {
  const postgres = await startPostgresNode(dataDir, settings)
  return { url: postgres.url, victims: [postgres], stop: postgres.stop }
}

async function runRounds(stage: Stage, options: TortureOptions): Promise<RoundReport[]> {
  const { seed, rounds, from = 1, say = () => {} } = options
  const reports: RoundReport[] = []
  let stand: { shop: Shop; history: History } | null = null
  for (let round = from; round < from + rounds; round++) {
    if (stand === null || (round - from) % ROUNDS_PER_SHOP === 0) {
      await stand?.shop.stop()
      stand = { shop: await openShop(stage.installation, shopOf(stage, seed, round)), history: newHistory() }
    }
    const report = await runRound(stage, { ...stand, ...options, round })
    reports.push(report)
    say(lineOf(report))
    for (const violation of report.violations.slice(0, 30)) say(`  ${violation}`)
  }
  await stand?.shop.stop()
  return reports
}

const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, fail) => signal?.addEventListener('abort', () => fail(new Error('stopped by a signal'))))

export const environmentOf = ({ dataDir }: Installation, databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  NEXKIT_SECRET_KEY: 'a secret key of the torture alone',
  NEXKIT_DATA_DIR: dataDir,
  NEXKIT_DEMO: '0',
  NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8',
  NEXKIT_LOG_LEVEL: 'warn',
})

const shopOf = ({ nodes, random }: Stage, seed: number, round: number) => ({
  slug: `shop-${seed}-${round}`,
  random,
  url: (nodes[0] as ServingNode).url,
})

type Round = TortureOptions & { round: number; shop: Shop; history: History }

async function runRound(stage: Stage, options: Round): Promise<RoundReport> {
  const { shop, history, seed, round } = options
  const random = createRandom(seed * 100_003 + round)
  const faults = scheduleFaults(
    random,
    stage.victims.map(({ name }) => name),
    options.faultsMs ?? FAULTS_MS,
  )
  const urls = stage.nodes.filter(({ role }) => role !== 'worker').map(({ url }) => url)
  history.slowestMs = 0
  history.unanswered = 0
  const clients = options.clients ?? CLIENTS
  const load = startLoad({ shop, history, random, clients, urls })
  const startedMs = performance.now()
  const stalls = watchTransactions(stage.database)
  await Promise.all(
    faults.map(async (fault) => {
      await pause(Math.max(0, fault.atMs - (performance.now() - startedMs)))
      await inject(stage, fault)
    }),
  )
  for (const victim of stage.victims) victim.thaw()
  const healedMs = performance.now()
  await Promise.all(stage.nodes.map((node) => node.untilReady()))
  // It works again for those who waited.
  const target = countAnswered(history) + clients
  await until(() => countAnswered(history) >= target, SETTLE_MS_MAX)
  await load.endClients()
  const account = await settle(stage.database, shop, history)
  await load.stop()
  for (const line of stalls.stop()) options.say?.(`  ${line}`)
  const { slowestMs, slowest, unanswered } = history
  const settledMs = performance.now() - healedMs
  return { round, faults: faults.map(textOf), ...account, settledMs, slowestMs, slowest, unanswered }
}

/** Two to five faults. They may overlap, also on one victim. */
function scheduleFaults(random: Random, victims: string[], lengthMs: number): Fault[] {
  const count = 2 + random.below(4)
  const faults = Array.from({ length: count }, () => ({
    atMs: 500 + random.below(lengthMs - 500),
    victim: random.pick(victims),
    kind: random.pick(['kill', 'freeze'] as const),
    forMs: 200 + random.below(3_000),
    isLeaseCut: random.isLucky(0.5),
  }))
  return faults.sort((one, other) => one.atMs - other.atMs)
}

async function inject(
  { victims, nodes, database }: Stage,
  { victim: name, kind, forMs, isLeaseCut }: Fault,
): Promise<void> {
  const victim = victims.find((one) => one.name === name) as Victim
  if (kind === 'kill') return victim.kill()
  victim.freeze()
  await pause(forMs / 2)
  const pid = nodes.find((node) => node.name === name)?.pid()
  if (isLeaseCut && pid !== undefined) await endLeasesOf(database, pid)
  await pause(forMs / 2)
  victim.thaw()
}

/** Transactions that stay open for seconds: whom they keep waiting, and what they did last. */
function watchTransactions(database: Database): { stop(): string[] } {
  const longest = new Map<string, number>()
  const look = async () => {
    const rows = await database.many<{ says: string; seconds: number }>`
      select state || ' ' || coalesce(wait_event, '') || ' pid ' || pid || ' blocks '
          || (select count(*) from pg_stat_activity other where activity.pid = any(pg_blocking_pids(other.pid)))
          || ': ' || left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 160) as says,
        extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
      from pg_stat_activity activity
      where xact_start < clock_timestamp() - interval '4 s' and pid <> pg_backend_pid() and datname is not null`
    for (const { says, seconds } of rows) longest.set(says, seconds)
  }
  const timer = setInterval(() => void look().catch(() => {}), 1_000)
  return {
    stop() {
      clearInterval(timer)
      return [...longest].map(([says, seconds]) => `open for ${seconds.toFixed(1)} s: ${says}`)
    },
  }
}

/** As if the process had been frozen for longer than its leases last. */
const endLeasesOf = (database: Database, pid: number) =>
  database.run`
    update outbox_entries set lease_until = now() - interval '1 s'
    where state = 'leased' and leased_by in (select id from processes where pid = ${pid})`.catch(() => 0)

/**
 * Until nothing is missing, or it has taken too long. On a busy machine the receivers answer too late, and the breaker of an endpoint
 * opens: what it keeps waiting is not missing before it was probed.
 */
export async function settle(database: Database, shop: Shop, history: History): Promise<Account> {
  const startedMs = Date.now()
  for (;;) {
    const account = await verify(database, shop, history)
    const violations = account.violations.length > 0 ? account.violations : await judgeBooks(database)
    const probeMs = (await readLastProbe(database, shop))?.getTime() ?? startedMs
    const deadlineMs = Math.min(Math.max(startedMs, probeMs) + SETTLE_MS_MAX, startedMs + BREAKER_MS_MAX)
    if (violations.length === 0) return { ...account, violations }
    if (Date.now() > deadlineMs)
      return { ...account, violations: [...violations, ...(await listPendingWork(database, shop))] }
    await pause(500)
  }
}

const textOf = ({ atMs, victim, kind, forMs, isLeaseCut }: Fault) =>
  kind === 'kill'
    ? `${atMs} ms kill ${victim}`
    : `${atMs} ms freeze ${victim} for ${forMs} ms${isLeaseCut ? ', leases over' : ''}`

const lineOf = ({ round, faults, violations, counts, settledMs, slowestMs, slowest, unanswered }: RoundReport) =>
  `round ${round}: ${violations.length} violations; ${JSON.stringify(counts)}; settled in ${Math.round(settledMs / 1000)} s, slowest call ${Math.round(slowestMs)} ms (${slowest}), ${unanswered} unanswered; ${faults.join(', ')}`

import { join } from 'node:path'
import { openDatabase } from '../src/platform/database/database.ts'
import { findRunningPostgres } from '../src/platform/database/embedded-postgres.ts'
import { type LoadReport, startLoad } from './load.ts'
import { findFreePort, startNexkit } from './nexkit-server.ts'
import { processorSeconds, watchResidentMemory } from './process-usage.ts'
import { alternate, type Bench, type Finding, median, type Question, round } from './question.ts'

const ROUNDS = 4
const CONNECTIONS = 64
const ROUND_MS = 2_000
const WARMUP_MS = 400

export const me: Question = {
  name: 'me',
  asks: 'How much of a bare server is left when every request is authenticated, limited and logged?',
  secondsMax: 50,
  async run(bench) {
    const bare = await startBareServer(bench)
    const dataDir = join(bench.folder, 'data')
    const server = await startNexkit({ dataDir, logFile: join(bench.folder, 'server.log') })
    bench.defer(() => server.stop())
    const headers = { authorization: `Bearer ${await server.createKey()}` }
    const path = '/api/public/v1/me'
    // Code is compiled for speed only after it has run for a while, and servers run for long.
    const warmUp = await load(server, path, headers)
    await load(bare, path, headers)
    const memory = watchResidentMemory(server.pid)
    bench.defer(() => memory.stop())
    bench.say(`${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`)
    const { ones, others } = await alternate(
      ROUNDS,
      () => load(server, path, headers),
      () => load(bare, path, headers),
    )
    const residentMegabytes = memory.stop()
    refuseFailures([...ones, ...others])
    const logged = await compareLoggedRows(dataDir, [warmUp, ...ones])
    return [ratioFinding(ones, others, logged), memoryFinding(residentMegabytes)]
  },
}

type Target = { origin: string; pid: number }
type Round = LoadReport & { processorMicroseconds: number | null }

async function load({ origin, pid }: Target, path: string, headers: Record<string, string>): Promise<Round> {
  const secondsBefore = processorSeconds(pid)
  const report = await startLoad({
    origin,
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
    warmupMs: WARMUP_MS,
    requests: [{ method: 'GET', path, headers }],
  })
  const secondsUsed = secondsBefore === null ? null : (processorSeconds(pid) as number) - secondsBefore
  const microseconds = secondsUsed === null ? null : round((secondsUsed * 1e6) / report.answered, 1)
  return { ...report, processorMicroseconds: microseconds }
}

async function startBareServer(bench: Bench): Promise<Target> {
  const port = await findFreePort()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-server.ts')], {
    env: { ...process.env, PORT: String(port) },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  bench.defer(() => {
    child.kill('SIGTERM')
    return child.exited
  })
  // Its first line says that it listens.
  await child.stdout.getReader().read()
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid }
}

function refuseFailures(reports: LoadReport[]): void {
  const failed = reports.find((report) => report.non2xx > 0 || report.connectionsBroken > 0)
  if (failed !== undefined) throw new Error(`requests failed, so nothing was measured: ${JSON.stringify(failed)}`)
}

const LOGGING_SECONDS_MAX = 5

/** The bar is for requests that are logged; rows are written behind the answers, so their number is awaited for a while. */
async function compareLoggedRows(dataDir: string, reports: LoadReport[]) {
  const postgres = await findRunningPostgres(dataDir)
  if (postgres === null) throw new Error('the PostgreSQL of the server is not running')
  const database = openDatabase({ url: postgres.url, connectionsMax: 1 })
  const answered = reports.reduce((sum, report) => sum + report.answered, 0)
  const deadlineMs = performance.now() + LOGGING_SECONDS_MAX * 1000
  try {
    while (true) {
      const { rows } = await database.one<{ rows: number }>`select count(*) as rows from request_logs`
      if (rows >= answered || performance.now() > deadlineMs) return { answered, rows }
      await Bun.sleep(100)
    }
  } finally {
    await database.close()
  }
}

function ratioFinding(nexkit: Round[], bare: Round[], logged: { answered: number; rows: number }): Finding {
  const perSecond = (rounds: Round[]) => rounds.map((report) => report.requestsPerSecond)
  const isAllLogged = logged.rows >= logged.answered
  return {
    measure: 'GET /me against a bare server',
    value: round(median(perSecond(nexkit)) / median(perSecond(bare))),
    unit: 'ratio',
    bar: { atLeast: 0.5 },
    figures: {
      nexkit: summarize(nexkit),
      bare: summarize(bare),
      requests_answered: logged.answered,
      requests_logged: logged.rows,
    },
    ...(!isAllLogged && {
      isInvalid: true,
      note: `only ${logged.rows} of ${logged.answered} requests are in the request log`,
    }),
  }
}

const summarize = (rounds: Round[]) => ({
  per_second: rounds.map((report) => report.requestsPerSecond),
  p50_ms: round(median(rounds.map((report) => report.p50Ms)), 3),
  p99_ms: round(median(rounds.map((report) => report.p99Ms)), 3),
  processor_us_per_request: rounds.map((report) => report.processorMicroseconds),
})

const memoryFinding = (megabytes: number): Finding => ({
  measure: 'resident memory of the server under load',
  value: round(megabytes, 0),
  unit: 'MB',
  bar: { atMost: 200 },
  figures: { connections: CONNECTIONS },
})

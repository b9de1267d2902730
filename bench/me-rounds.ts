import { openDatabase } from '../src/platform/database/database.ts'
import { findRunningPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import type { LoadReport } from './load.ts'
import { measureLoad, type Round } from './measured-load.ts'
import { compareNeighbours, median, round } from './question.ts'

/**
 * Rounds of `GET /me`: what the questions about the serving path have in common. Many and short: the machine changes its
 * speed within seconds, and neighbouring rounds are compared.
 */
export const ROUNDS = 12
export const ROUND_MS = 500
export const CONNECTIONS = 64
const WARMUP_MS = 200
const PATH = '/api/public/v1/me'

export type Target = { origin: string; pid: number; token: string }

export const loadMe = ({ origin, pid, token }: Target): Promise<Round> =>
  measureLoad(pid, {
    origin,
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
    warmupMs: WARMUP_MS,
    requests: [{ method: 'GET', path: PATH, headers: { authorization: `Bearer ${token}` } }],
  })

const LOGGING_SECONDS_MAX = 5

/** The bars are for requests that are logged; rows are written behind the answers, so their number is awaited for a while. */
export async function compareLogged(dataDir: string, reports: LoadReport[]) {
  const postgres = await findRunningPostgres(dataDir)
  if (postgres === null) throw new Error('the PostgreSQL of the server is not running')
  const database = openDatabase({ url: postgres.url, connectionsMax: 1 })
  const answered = reports.reduce((sum, report) => sum + report.answered, 0)
  const deadlineMs = performance.now() + LOGGING_SECONDS_MAX * 1000
  try {
    while (true) {
      const { logged } = await database.one<{ logged: number }>`
        select coalesce(sum(call_count), 0) as logged from request_logs`
      if (logged >= answered || performance.now() > deadlineMs) return { answered, logged }
      await Bun.sleep(100)
    }
  } finally {
    await database.close()
  }
}

export type Logged = Awaited<ReturnType<typeof compareLogged>>

/** A server that drops its log would be fast for the wrong reason. */
export const doubtAbout = ({ answered, logged }: Logged) =>
  logged >= answered ? {} : { isInvalid: true, note: `only ${logged} of ${answered} requests are in the request log` }

export const compareRates = (ones: Round[], others: Round[]) =>
  compareNeighbours(
    ones.map((one) => one.requestsPerSecond),
    others.map((other) => other.requestsPerSecond),
  )

export const summarize = (rounds: Round[]) => ({
  per_second: rounds.map((report) => report.requestsPerSecond),
  p50_ms: round(median(rounds.map((report) => report.p50Ms)), 3),
  p99_ms: round(median(rounds.map((report) => report.p99Ms)), 3),
  processor_us_per_request: rounds.map((report) => report.processorMicroseconds),
})

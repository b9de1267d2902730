import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'
import { analyzeTable, type GrownTable, listGrownTables, tryAnalyzeLock } from './table-statistics.sql.ts'

/**
 * Analyzes a table when it passes 1,000, 10,000, 100,000 rows and so on.
 *
 * A connection keeps the plan of a statement until PostgreSQL learns something new about one of its tables, and a plan from
 * a time when the table was empty reads all of it. ANALYZE corrects the statistics and has every connection plan anew the
 * statements over this table, and no others. PostgreSQL's own comes once a minute at most, and never to the parent of
 * partitions.
 */
export type TableStatistics = {
  /** Once, now. Answers with the tables that were analyzed. */
  analyzeGrown(): Promise<string[]>
  start(): Promise<void>
  stop(): Promise<void>
}

const EVERY_MS = 2_000
/** Between two looks of a server in which nothing grows. */
const QUIET_MS_MAX = 10_000
const ROWS_MIN = 1_000
/** A table that fills and empties all day is not analyzed all day. */
const PAUSE_MS = 10_000

export function createTableStatistics(options: {
  database: Database
  log: Log
  everyMs?: number
  pauseMs?: number
}): TableStatistics {
  const { database, log, everyMs = EVERY_MS, pauseMs = PAUSE_MS } = options
  let timer: ReturnType<typeof setTimeout> | null = null
  let isStopped = false
  let round: Promise<unknown> = Promise.resolve()

  /** Another process may have been faster, so it is looked at again under the lock. */
  const analyzeIfGrown = ({ name }: GrownTable) =>
    database.transaction(async (tx) => {
      if (!(await tryAnalyzeLock(tx))) return false
      const grown = await listGrownTables(tx, { rowsMin: ROWS_MIN, pauseMs })
      if (!grown.some((table) => table.name === name)) return false
      await analyzeTable(tx, name)
      return true
    })

  const analyzeGrown = async () => {
    const analyzed: string[] = []
    for (const table of await listGrownTables(database, { rowsMin: ROWS_MIN, pauseMs })) {
      if (isStopped) break
      if (await analyzeIfGrown(table)) analyzed.push(table.name)
    }
    return analyzed
  }

  /** Answers with how long to wait for the next look: longer while nothing grows. */
  const look = async (waitedMs: number): Promise<number> => {
    try {
      const tables = await analyzeGrown()
      if (tables.length === 0) return Math.min(waitedMs * 1.5, Math.max(everyMs, QUIET_MS_MAX))
      log.debug({ tables }, 'tables that grew were analyzed')
    } catch (error) {
      log.warn({ err: error }, 'tables that grew could not be analyzed; will try again')
    }
    return everyMs
  }

  const schedule = (waitMs: number) => {
    if (isStopped) return
    timer = setTimeout(() => {
      round = look(waitMs).then(schedule)
    }, waitMs)
    timer.unref()
  }

  return {
    analyzeGrown,
    async start() {
      schedule(everyMs)
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await round
    },
  }
}

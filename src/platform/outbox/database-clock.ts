import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'

/**
 * The database's time, read without asking it. Leases and due times are compared by several processes whose own clocks
 * differ; all of them go by this one. It is this process's monotonic timer plus an offset that is measured now and then
 * (half the round trip is the error, a millisecond or so), so setting the machine's clock does not move it. Until it was
 * measured for the first time, it is the machine's clock.
 */
export type DatabaseClock = Clock & { start(): Promise<void>; stop(): Promise<void> }

const SYNC_EVERY_MS = 30_000

export function createDatabaseClock(database: Database, syncEveryMs = SYNC_EVERY_MS): DatabaseClock {
  let offsetMs = performance.timeOrigin
  let timer: ReturnType<typeof setInterval> | null = null
  const sync = async () => {
    const sentMs = performance.now()
    const row = await database.one<{
      now_ms: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`
    offsetMs = row.now_ms - (sentMs + performance.now()) / 2
  }
  return {
    // Upwards: what the database has just stamped as due now must not seem to lie ahead.
    now: () => Math.ceil(performance.now() + offsetMs),
    async start() {
      await sync()
      // The old offset stays good when the database is away for a while.
      timer = setInterval(() => sync().catch(() => {}), syncEveryMs)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

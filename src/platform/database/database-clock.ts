import type { Clock } from '../../kernel/clock.ts'
import type { Database } from './database.ts'

/**
 * The database's time, read without asking it. Leases and due times are compared by several processes whose own clocks
 * differ; all of them go by this one. It is this process's monotonic timer plus an offset that is measured now and then, so
 * setting the machine's clock does not move it. Until it was measured for the first time, it is the machine's clock.
 *
 * Half the round trip of a measurement is its error, so of several the one with the shortest round trip counts (see
 * `betterSample`). It never goes back: where a better measurement says that it is ahead, it waits.
 */
export type DatabaseClock = Clock & { start(): Promise<void>; stop(): Promise<void> }

export type ClockSample = { offsetMs: number; errorMs: number; takenMs: number }

const SYNC_EVERY_MS = 30_000
/** How far two ordinary clocks drift apart: 50 parts in a million. */
const DRIFT = 50e-6

/**
 * The known sample gets less certain with its age. It is replaced by one that is more certain, and by one that it
 * contradicts: then the database's clock was set.
 */
export function betterSample(known: ClockSample, fresh: ClockSample): ClockSample {
  const agedMs = known.errorMs + (fresh.takenMs - known.takenMs) * DRIFT
  const isContradicted = Math.abs(fresh.offsetMs - known.offsetMs) > agedMs + fresh.errorMs
  return fresh.errorMs <= agedMs || isContradicted ? fresh : known
}

export function createDatabaseClock(database: Database, syncEveryMs = SYNC_EVERY_MS): DatabaseClock {
  let sample: ClockSample | null = null
  let latestMs = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | null = null
  const sync = async () => {
    const sentMs = performance.now()
    const row = await database.one<{
      now_ms: number
    }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`
    const takenMs = performance.now()
    const fresh = { offsetMs: row.now_ms - (sentMs + takenMs) / 2, errorMs: (takenMs - sentMs) / 2, takenMs }
    // Times before the first measurement came from another clock.
    if (sample === null) latestMs = Number.NEGATIVE_INFINITY
    sample = sample === null ? fresh : betterSample(sample, fresh)
  }
  return {
    now() {
      // Upwards: what the database has just stamped as due now must not seem to lie ahead.
      latestMs = Math.max(latestMs, Math.ceil(performance.now() + (sample?.offsetMs ?? performance.timeOrigin)))
      return latestMs
    },
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

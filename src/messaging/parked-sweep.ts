import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { listOrganizationsWithParked, sweepParked } from './messages.sql.ts'

/**
 * Forgets statuses whose message never came: of messages that another program sent through the same number, mostly. They
 * stay in the journal for as long as that is kept.
 */
const EVERY_MS = 3_600_000
const KEPT_MS = 2 * 24 * 3_600_000
const ROWS_PER_BITE = 5_000

export function createParkedSweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }) {
  let timer: ReturnType<typeof setInterval> | null = null
  const sweep = async () => {
    const before = new Date(clock.now() - KEPT_MS)
    for (const { org_id } of await listOrganizationsWithParked(database))
      while ((await sweepParked(database, org_id, { before, limit: ROWS_PER_BITE })) === ROWS_PER_BITE);
  }
  return {
    sweep,
    async start() {
      timer = setInterval(() => {
        sweep().catch((error) => log.warn({ err: error }, 'parked statuses could not be swept'))
      }, EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

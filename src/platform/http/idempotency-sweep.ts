import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { deleteOldReplies, listOrganizationsWithReplies } from './idempotency.sql.ts'

/**
 * Forgets stored answers after their guaranteed day, organization by organization, in small bites so that no statement
 * holds locks for long. Several processes may sweep at once; they merely share the work.
 */
const KEEP_MS = 25 * 3600 * 1000
const EVERY_MS = 10 * 60 * 1000
const BITE_ROWS = 2000

export function createIdempotencySweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }) {
  let timer: ReturnType<typeof setInterval> | null = null
  const run = () =>
    sweepIdempotencyKeys(database, clock).catch((error) =>
      log.warn({ err: error }, 'old answers could not be forgotten; will try again'),
    )
  return {
    async start() {
      timer = setInterval(run, EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

export async function sweepIdempotencyKeys(database: Database, clock: Clock): Promise<number> {
  const before = new Date(clock.now() - KEEP_MS)
  const organizations = await listOrganizationsWithReplies(database)
  let deleted = 0
  for (const { org_id } of organizations) {
    let bite = 0
    do {
      bite = await deleteOldReplies(database, org_id, { before, rowsMax: BITE_ROWS })
      deleted += bite
    } while (bite === BITE_ROWS)
  }
  return deleted
}

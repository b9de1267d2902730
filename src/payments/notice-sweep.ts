import type { Clock } from '../kernel/clock.ts'
import { firstIdAt } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { deleteOldNotices, listOrganizationsWithNotices } from './notices.sql.ts'

/**
 * Forgets what providers told us once it is of no more use: what came of it stands in the books, which are kept for ever.
 * The journal cannot be partitioned by day, because the same fact told again on another day must find its row. So it is
 * swept, organization by organization, in small bites; several processes may do so at once.
 *
 * A fact that is told again after its row is gone is taken for new, and changes nothing: the books know it.
 */
export const NOTICE_RETENTION_DAYS = 90
const DAY_MS = 86_400_000
const EVERY_MS = 3600 * 1000
const BITE_ROWS = 1000

export function createNoticeSweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }) {
  let timer: ReturnType<typeof setInterval> | null = null
  const run = () =>
    sweepNotices(database, clock).catch((error) =>
      log.warn({ err: error }, 'old payment notices could not be forgotten; will try again'),
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

export async function sweepNotices(database: Database, clock: Clock): Promise<number> {
  const beforeId = firstIdAt('ntc', new Date(clock.now() - NOTICE_RETENTION_DAYS * DAY_MS))
  let deleted = 0
  for (const { org_id } of await listOrganizationsWithNotices(database)) {
    let bite = 0
    do {
      bite = await deleteOldNotices(database, org_id, { beforeId, rowsMax: BITE_ROWS })
      deleted += bite
    } while (bite === BITE_ROWS)
  }
  return deleted
}

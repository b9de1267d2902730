import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { createSweep, type Sweep } from '../platform/database/sweep.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { deleteOldNotices } from './notices.sql.ts'

/**
 * Forgets what providers told us once it is of no more use: what came of it stands in the books, which are kept for ever.
 * The journal cannot be partitioned by day, because the same fact told again on another day must find its row.
 *
 * A fact that is told again after its row is gone is taken for new, and changes nothing: the books know it.
 */
export const NOTICE_RETENTION_DAYS = 90
const DAY_MS = 86_400_000

export const createNoticeSweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    database: parts.database,
    what: 'old payment notices',
    everyMs: 3600 * 1000,
    biteRows: 1000,
    deleteBites: [(tx, rowsMax) => deleteOldNotices(tx, { before: oldestKept(parts.clock), rowsMax })],
    log: parts.log,
  })

const oldestKept = (clock: Clock) => new Date(clock.now() - NOTICE_RETENTION_DAYS * DAY_MS)

import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { createSweep, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deleteOldNotices } from './notices.sql.ts'

/**
 * Deletes old notices of providers. Their results stay in the ledger, which is kept for ever. The journal cannot be
 * partitioned by day, because a repeated notice must find its row on another day.
 *
 * A notice that is repeated after its row was deleted counts as new and changes nothing, because the ledger has its result.
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

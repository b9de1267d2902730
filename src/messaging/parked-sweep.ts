import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { createSweep, type Sweep } from '../platform/database/sweep.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { deleteOldParked } from './messages.sql.ts'

/**
 * Forgets statuses whose message never came: of messages that another program sent through the same number, mostly. They
 * stay in the journal for as long as that is kept.
 */
const KEPT_MS = 2 * 24 * 3_600_000

export const createParkedSweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    database: parts.database,
    what: 'parked statuses',
    everyMs: 3_600_000,
    biteRows: 5_000,
    deleteBites: [(tx, rowsMax) => deleteOldParked(tx, { before: new Date(parts.clock.now() - KEPT_MS), rowsMax })],
    log: parts.log,
  })

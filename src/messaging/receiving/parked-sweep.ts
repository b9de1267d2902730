import type { Clock } from '../../kernel/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { createSweep, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deleteOldParked, listParkedKnown } from '../messages/messages.sql.ts'
import { applyParked } from './parked-watch.ts'

/**
 * Forgets statuses whose message never came: of messages that another program sent through the same number, mostly. They
 * stay in the journal for as long as that is kept. What a process parked and did not look at again, because it died, is
 * applied first.
 */
const KEPT_MS = 2 * 24 * 3_600_000

export const createParkedSweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    database: parts.database,
    what: 'parked statuses',
    everyMs: 3_600_000,
    biteRows: 5_000,
    deleteBites: [
      (tx, rowsMax) => applyKnown(parts, tx, rowsMax),
      (tx, rowsMax) => deleteOldParked(tx, { before: new Date(parts.clock.now() - KEPT_MS), rowsMax }),
    ],
    log: parts.log,
  })

/** Each organization's in its transaction. */
async function applyKnown(parts: { database: Database; clock: Clock }, tx: Tx, rowsMax: number): Promise<number> {
  const known = await listParkedKnown(tx, rowsMax)
  for (const [orgId, ofOrg] of Map.groupBy(known, (one) => one.orgId)) await applyParked(parts, orgId, ofOrg)
  return known.length
}

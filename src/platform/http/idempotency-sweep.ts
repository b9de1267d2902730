import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'
import { createSweep, type Sweep } from '../database/sweep.ts'
import type { Log } from '../telemetry/log.ts'
import { deleteOldReplies, listOrganizationsWithReplies } from './idempotency.sql.ts'

/** Forgets stored answers after their guaranteed day. */
const KEPT_MS = 25 * 3600 * 1000

export const createIdempotencySweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    what: 'old answers',
    everyMs: 10 * 60 * 1000,
    biteRows: 2000,
    listOrganizations: () => listOrganizationsWithReplies(parts.database),
    deleteBite: (orgId, rowsMax) =>
      deleteOldReplies(parts.database, orgId, { before: new Date(parts.clock.now() - KEPT_MS), rowsMax }),
    log: parts.log,
  })

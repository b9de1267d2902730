import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { createSweep, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deleteUnauthorizedClients } from './oauth-clients.sql.ts'
import { deleteExpiredAccessTokens, deleteExpiredRefreshTokens, forgetReplays } from './oauth-tokens.sql.ts'

const UNUSED_MS = 24 * 3600 * 1000

/** Deletes programs that no one connected within a day, expired tokens, and answers that are not replayed any more. */
export function createOAuthSweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }): Sweep {
  const now = () => new Date(clock.now())
  return createSweep({
    database,
    what: 'old connections',
    everyMs: 600_000,
    biteRows: 1000,
    deleteBites: [
      (tx) => forgetReplays(tx, now()).then(() => 0),
      (tx, rowsMax) => deleteUnauthorizedClients(tx, { before: new Date(clock.now() - UNUSED_MS), rowsMax }),
      (tx, rowsMax) => deleteExpiredAccessTokens(tx, { before: now(), rowsMax }),
      (tx, rowsMax) => deleteExpiredRefreshTokens(tx, { before: now(), rowsMax }),
    ],
    log,
  })
}

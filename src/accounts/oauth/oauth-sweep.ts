import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { deleteInBites, repeatSweep, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deleteStrangers } from './oauth-clients.sql.ts'
import { deleteExpiredAccessTokens, deleteExpiredRefreshTokens, forgetReplays } from './oauth-tokens.sql.ts'

const EVERY_MS = 600_000
const STRANGER_MS = 24 * 3600 * 1000
const BITE_ROWS = 1000

/** Forgets programs that nobody let in within a day, tokens that are over, and answers that are not given again. */
export function createOAuthSweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }): Sweep {
  const sweep = async () => {
    const now = new Date(clock.now())
    const dayBefore = new Date(now.getTime() - STRANGER_MS)
    await forgetReplays(database, now)
    return (
      (await deleteInBites(BITE_ROWS, (rowsMax) => deleteStrangers(database, { before: dayBefore, rowsMax }))) +
      (await deleteInBites(BITE_ROWS, (rowsMax) => deleteExpiredAccessTokens(database, { before: now, rowsMax }))) +
      (await deleteInBites(BITE_ROWS, (rowsMax) => deleteExpiredRefreshTokens(database, { before: now, rowsMax })))
    )
  }
  return repeatSweep(sweep, { what: 'old connections', everyMs: EVERY_MS, log })
}

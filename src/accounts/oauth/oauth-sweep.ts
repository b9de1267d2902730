import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deleteStrangers } from './oauth-clients.sql.ts'
import { deleteExpiredAccessTokens, deleteExpiredRefreshTokens, forgetReplays } from './oauth-tokens.sql.ts'

/** Forgets programs that nobody let in within a day, tokens that are over, and answers that are not given again. */
export type OAuthSweep = { sweep(): Promise<number>; start(): Promise<void>; stop(): Promise<void> }

const EVERY_MS = 600_000
const STRANGER_MS = 24 * 3600 * 1000
const BITE_ROWS = 1000

export function createOAuthSweep({ database, clock, log }: { database: Database; clock: Clock; log: Log }): OAuthSweep {
  let timer: ReturnType<typeof setInterval> | null = null
  const sweep = async () => {
    const now = clock.now()
    const over = { before: new Date(now), rowsMax: BITE_ROWS }
    await forgetReplays(database, over.before)
    const strangers = await inBites(() =>
      deleteStrangers(database, { before: new Date(now - STRANGER_MS), rowsMax: BITE_ROWS }),
    )
    const accesses = await inBites(() => deleteExpiredAccessTokens(database, over))
    const renewals = await inBites(() => deleteExpiredRefreshTokens(database, over))
    return strangers + accesses + renewals
  }
  return {
    sweep,
    async start() {
      timer = setInterval(() => {
        sweep().catch((error) => log.warn({ err: error }, 'old connections could not be forgotten; will try again'))
      }, EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

async function inBites(deleteBite: () => Promise<number>): Promise<number> {
  let [deleted, bite] = [0, 0]
  do {
    bite = await deleteBite()
    deleted += bite
  } while (bite === BITE_ROWS)
  return deleted
}

import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { createSweep, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  deleteExpiredAccessTokens,
  deleteExpiredRefreshTokens,
  deleteUnauthorizedClients,
  forgetReplays,
} from './oauth.sql.ts'

/**
 * Programs that connect through OAuth 2.1: who they are, what a person grants them, and the tokens that they call with. A connected
 * program is an agent; the console asks the person, the OAuth site speaks the protocol.
 */
export {
  type Asking,
  type AuthorizationContext,
  clientIdIn,
  concludeAuthorization,
  exchangeTokens,
  type ProtocolAnswer,
  prepareAuthorization,
  redirectUriIn,
  revokeToken,
} from './authorization.ts'
export { type ClientRefusal, findOAuthClient, hostOfClient, registerClient } from './oauth-clients.ts'
export {
  createTokenAuthenticator,
  endTokensOf,
  isForgotten,
  isJustRenewed,
  judgeRenewal,
  referenceOf,
} from './oauth-tokens.ts'

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

import type { Clock } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { listPublicKeys } from './secrets.sql.ts'
import { type PublicJwk, publicJwkSet } from './signature.ts'

/**
 * The public keys of `v1a` as a JWK set, for `/.well-known/webhook-keys.json`. Keys are per endpoint, and a receiver must
 * trust its own only: a set of all of them would let one customer's events pass for another's. Hence `?endpoint=wep_…`,
 * which is what a receiver should ask for; without it the newest of all are listed, for looking up a key by its `kid`.
 */
const KEYS_LISTED_MAX = 1000

export type WellKnownKeys = (endpointId: string | null) => Promise<{ keys: PublicJwk[] }>

export const createWellKnownKeys =
  ({ database, clock }: { database: Database; clock: Clock }): WellKnownKeys =>
  async (endpointId) => {
    if (endpointId !== null && !isId('wep', endpointId)) return { keys: [] }
    const rows = await listPublicKeys(database, { endpointId, now: new Date(clock.now()), limit: KEYS_LISTED_MAX })
    return publicJwkSet(rows.map((row) => row.public_key))
  }

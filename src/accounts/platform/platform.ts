import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import { allScopes, type Scope } from '../../kernel/scopes.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Access } from '../../platform/http/define-route.ts'
import type {
  Authenticate,
  Authentication,
  AuthenticationFailure,
  Caller,
} from '../../platform/http/pipeline/caller.ts'
import { splitUrl } from '../../platform/http/pipeline/exchange.ts'
import {
  organizationHeaderMissing,
  organizationNotFound,
  platformKeyNotFound,
  platformKeyRequired,
} from '../accounts.errors.ts'
import {
  createToken,
  credentialIn,
  type DefaultRateLimit,
  hashBytes,
  isChecksumRight,
  type KeyCaller,
  platformTokenHash,
} from '../keys/keys.ts'
import {
  type ActingRow,
  findPlatformKeyByHash,
  insertPlatformKey,
  listPlatformKeys as listRows,
  lockPlatformKey,
  markPlatformKeyRevoked,
  markPlatformKeyUsed,
  type PlatformKeyRow,
  replaceToken,
} from './platform.sql.ts'

export { isOrganizationOf, listOrganizationIds } from './platform.sql.ts'

/**
 * Platform keys. A platform sets up its shops with one: it creates organizations, and acts for each by naming it in a header.
 *
 *   without the header    /organizations only
 *   with the header       every route, as that organization, if the key created it (or may act for all)
 *
 * No process caches them: every request of a platform reads its key, so a revocation applies to the next request everywhere.
 */
export type PlatformKey = PlatformKeyRow

/** The header that names the organization, as `Stripe-Account` does. */
const ORGANIZATION_HEADER = 'Nexkit-Organization'

export type PlatformCaller = KeyCaller & { platform: PlatformKey }

/** Any valid key; the handler asks for a platform key with `platformOf`. */
export const platformKey: Access<KeyCaller | PlatformCaller> = { type: 'key', scope: null }

export function platformOf(caller: Caller): PlatformKey {
  if (!('platform' in caller)) throw platformKeyRequired()
  return (caller as PlatformCaller).platform
}

export type NewPlatformKey = {
  name: string
  scopes: readonly Scope[]
  isForAll: boolean
  expiresAt: Date | null
  rateLimit: number | null
}

type PlatformContext = { database: Database; clock: Clock }

export function createPlatformKey(
  { database, clock }: PlatformContext,
  input: NewPlatformKey,
): Promise<{ key: PlatformKey; token: string }> {
  const { token, hash, prefix } = createToken('platform')
  const now = clock.now()
  const row = {
    id: newId('pky', now),
    name: input.name,
    key_prefix: prefix,
    scopes: allScopes.filter((scope) => input.scopes.includes(scope)),
    is_for_all: input.isForAll,
    rate_limit: input.rateLimit,
    created_at: new Date(now),
    expires_at: input.expiresAt,
  }
  return database.transaction(async (tx) => {
    await insertPlatformKey(tx, { ...row, token_hash: hash })
    return { key: { ...row, revoked_at: null, last_used_at: null }, token }
  })
}

export const listPlatformKeys = (database: Database): Promise<PlatformKey[]> => listRows(database)

async function getLocked(tx: Tx, id: string): Promise<PlatformKey> {
  const row = isId('pky', id) ? await lockPlatformKey(tx, id) : null
  if (row === null) throw platformKeyNotFound({ params: { id } })
  return row
}

/** The id stays; the token before works on for the overlap. */
export function rotatePlatformKey(
  { database, clock }: PlatformContext,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<{ key: PlatformKey; token: string }> {
  const { token, hash, prefix } = createToken('platform')
  return database.transaction(async (tx) => {
    const key = await getLocked(tx, id)
    if (failureOf(key, clock.now()) !== null)
      throw platformKeyNotFound({ says: 'This platform key was revoked or has expired. Create a new one.' })
    await replaceToken(tx, { id, hash, prefix, oldExpiresAt: new Date(clock.now() + overlapSeconds * 1000) })
    return { key: { ...key, key_prefix: prefix }, token }
  })
}

export const revokePlatformKey = ({ database, clock }: PlatformContext, id: string): Promise<PlatformKey> =>
  database.transaction(async (tx) => {
    const key = await getLocked(tx, id)
    const at = new Date(clock.now())
    await markPlatformKeyRevoked(tx, { id, at })
    return { ...key, revoked_at: key.revoked_at ?? at }
  })

const failureOf = (
  { revoked_at, expires_at }: Pick<PlatformKey, 'revoked_at' | 'expires_at'>,
  nowMs: number,
): AuthenticationFailure | null => {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at.getTime() <= nowMs ? 'expired' : null
}

/** Paths on which a platform acts for itself and not for an organization. A query or a longer path may contain the same words. */
const OWN_PATH = /^(?:\/api)?\/public\/v1\/organizations(?:\/[^/]*(?:\/(?:suspend|resume))?)?$/

const USED_EVERY_MS = 60_000

/** Recognises the tokens of platforms and hands all others on. Throws where the organization is missing or not the platform's. */
export function createPlatformAuthenticator(
  options: PlatformContext & { defaultRateLimit: DefaultRateLimit; otherwise: Authenticate },
): Authenticate {
  const { database, clock } = options
  const find = async (request: Request, token: string): Promise<Authentication> => {
    const hashText = platformTokenHash(token)
    if (hashText === null || !isChecksumRight(token)) return { ok: false, failure: 'malformed', credentialSent: true }
    const named = request.headers.get(ORGANIZATION_HEADER)
    const now = new Date(clock.now())
    const row = await findPlatformKeyByHash(database, { tokenHash: hashBytes(hashText), orgId: named, now })
    const failure = row === null ? 'unknown' : failureOf(row, now.getTime())
    if (row === null || failure !== null) return { ok: false, failure: failure ?? 'unknown', credentialSent: true }
    if (row.last_used_at === null || now.getTime() - row.last_used_at.getTime() > USED_EVERY_MS)
      await markPlatformKeyUsed(database, { id: row.id, at: now })
    if (OWN_PATH.test(splitUrl(request.url).fullPath))
      return { ok: true, caller: callerOf(row, row.id as string as OrgId, options) }
    if (named === null) throw organizationHeaderMissing()
    if (row.org_id === null)
      throw organizationNotFound({
        says: `There is no organization ${named} that this platform key may act for.`,
        params: { id: named },
      })
    return { ok: true, caller: callerOf(row, row.org_id, options) }
  }
  return (request, address) => {
    const token = credentialIn(request.headers.get('authorization') ?? '')
    return token.startsWith(PLATFORM_LEAD) ? find(request, token) : options.otherwise(request, address)
  }
}

const PLATFORM_LEAD = 'nxp_live_'

/** Without an organization, the id of the key is where its stored answers and request logs are kept. */
function callerOf(
  row: ActingRow,
  orgId: OrgId,
  { defaultRateLimit }: { defaultRateLimit: DefaultRateLimit },
): PlatformCaller {
  const { rate_limit: rate } = row
  return {
    type: 'key',
    id: row.id,
    name: row.name,
    orgId,
    scopes: row.scopes,
    // The first owner of an organization is invited by the platform that created it.
    powers: ['owners:manage'],
    rateLimit: rate === null ? defaultRateLimit : { perSecond: rate, burst: rate * 2 },
    rateLimitId: `${row.id} ${orgId}`,
    expiresAt: row.expires_at,
    platform: row,
    key: {
      ...row,
      id: row.id as string as Id<'key'>,
      org_id: orgId,
      allowed_ips: [],
      is_rate_limited: true,
      created_by: 'cli',
      rotated_to: null,
      agent_id: null,
    },
  }
}

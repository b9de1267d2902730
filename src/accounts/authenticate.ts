import type { Clock } from '../kernel/clock.ts'
import type { Authentication, Caller } from '../platform/http/caller.ts'
import { addressInCidrs, parseCidr } from '../platform/http/client-address.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import { parseToken } from './api-key-token.ts'
import type { ApiKeyWithOrganizationRow } from './api-keys.sql.ts'
import type { LastUsed } from './last-used.ts'

/** A caller who came with an API key. */
export type KeyCaller = Caller & { type: 'key'; key: ApiKeyWithOrganizationRow }

export type DefaultRateLimit = { perSecond: number; burst: number }

const BEARER = /^bearer +([^ ]+) *$/i

/**
 * Bearer token → key → caller. The format and checksum are looked at first, so junk never reaches the database; a
 * well-formed token is hashed before it is looked up, for hit and miss alike. Every failure becomes the same 401; only
 * the request log of the owner tells them apart.
 */
export function createKeyAuthenticator(options: {
  cache: ApiKeyCache
  lastUsed: LastUsed
  clock: Clock
  defaultRateLimit: DefaultRateLimit
}): (request: Request, address: string) => Authentication<KeyCaller> | Promise<Authentication<KeyCaller>> {
  const judge = (row: ApiKeyWithOrganizationRow | null, address: string): Authentication<KeyCaller> => {
    if (row === null) return { ok: false, failure: 'unknown', credentialSent: true }
    const refused = { ok: false, orgId: row.org_id, keyId: row.id, credentialSent: true } as const
    if (row.revoked_at !== null) return { ...refused, failure: 'revoked' }
    if (row.expires_at !== null && row.expires_at.getTime() <= options.clock.now())
      return { ...refused, failure: 'expired' }
    if (row.allowed_ips.length > 0 && !addressInCidrs(address, row.allowed_ips.map(parseCidr)))
      return { ...refused, failure: 'address_not_allowed' }
    options.lastUsed.note(row.org_id, row.id, address)
    return { ok: true, caller: callerOf(row, options.defaultRateLimit) }
  }
  return (request, address) => {
    const header = request.headers.get('authorization')
    if (header === null) return { ok: false, failure: 'missing', credentialSent: false }
    const bearer = BEARER.exec(header)
    const token = bearer === null ? null : parseToken(bearer[1] as string)
    if (token === null || !token.ok) return { ok: false, failure: 'malformed', credentialSent: true }
    const found = options.cache.find(token.hashText, token.hash)
    return found instanceof Promise ? found.then((row) => judge(row, address)) : judge(found, address)
  }
}

function callerOf(row: ApiKeyWithOrganizationRow, defaultRateLimit: DefaultRateLimit): KeyCaller {
  return {
    type: 'key',
    id: row.id,
    orgId: row.org_id,
    scopes: row.scopes,
    rateLimit: rateLimitOf(row, defaultRateLimit),
    expiresAt: row.expires_at,
    key: row,
  }
}

/** A key's own rate comes with a burst of two seconds' worth, like the default. */
export function rateLimitOf(
  row: Pick<ApiKeyWithOrganizationRow, 'rate_limit' | 'is_rate_limited'>,
  defaultRateLimit: DefaultRateLimit,
): DefaultRateLimit | null {
  if (!row.is_rate_limited) return null
  if (row.rate_limit === null) return defaultRateLimit
  return { perSecond: row.rate_limit, burst: row.rate_limit * 2 }
}

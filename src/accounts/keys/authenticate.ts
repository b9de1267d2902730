import type { Clock } from '../../kernel/clock.ts'
import { addressInCidrs, type Cidr, parseCidr } from '../../platform/http/limits/client-address.ts'
import type { Authentication, AuthenticationFailure, Caller } from '../../platform/http/pipeline/caller.ts'
import { organizationSuspended } from '../accounts.errors.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import { isChecksumRight, tokenHash } from './api-key-token.ts'
import type { ApiKeyWithOrganizationRow } from './api-keys.sql.ts'
import type { LastUsed } from './last-used.ts'

/** A caller with an API key: the holder of the key, or the agent that owns it. */
export type KeyCaller = Caller & { type: 'key' | 'agent'; key: ApiKeyWithOrganizationRow }

export type DefaultRateLimit = { perSecond: number; burst: number }

type Admission = { allowedRanges: Cidr[]; accepted: Authentication<KeyCaller> }

const MALFORMED = { ok: false, failure: 'malformed', credentialSent: true } as const

const BEARER = /^bearer +([^ ]+) *$/i
const USUAL_SCHEME = 'Bearer '

/** Nearly every client writes the header the same way, and then no pattern is needed. The token is checked later. */
export const credentialIn = (header: string): string =>
  header.startsWith(USUAL_SCHEME) && !header.includes(' ', USUAL_SCHEME.length)
    ? header.slice(USUAL_SCHEME.length)
    : (BEARER.exec(header)?.[1] ?? '')

/**
 * Bearer token → key → caller. A token is hashed before it is looked up, for hit and miss alike; one that is not known
 * here must have the right checksum before the database is asked, so junk never reaches it. Every failure becomes the
 * same 401; only the owner's request log distinguishes them.
 */
export function createKeyAuthenticator(options: {
  cache: ApiKeyCache
  lastUsed: LastUsed
  clock: Clock
  defaultRateLimit: DefaultRateLimit
  /** Other texts that count as the token of a key. */
  aliases?: ReadonlyMap<string, string>
}): (request: Request, address: string) => Authentication<KeyCaller> | Promise<Authentication<KeyCaller>> {
  // Computed once per cached row.
  const admissions = new WeakMap<ApiKeyWithOrganizationRow, Admission>()
  const admissionOf = (row: ApiKeyWithOrganizationRow): Admission => {
    let admission = admissions.get(row)
    if (admission === undefined) {
      const caller = callerOf(row, options.defaultRateLimit)
      admission = { allowedRanges: row.allowed_ips.map(parseCidr), accepted: { ok: true, caller } }
      admissions.set(row, admission)
    }
    return admission
  }
  const judge = (row: ApiKeyWithOrganizationRow | null, address: string): Authentication<KeyCaller> => {
    if (row === null) return { ok: false, failure: 'unknown', credentialSent: true }
    const refused = (failure: AuthenticationFailure) =>
      ({ ok: false, failure, failedKey: { orgId: row.org_id, caller: holderOf(row) }, credentialSent: true }) as const
    if (row.revoked_at !== null) return refused('revoked')
    if (row.expires_at !== null && row.expires_at.getTime() <= options.clock.now()) return refused('expired')
    const { allowedRanges, accepted } = admissionOf(row)
    if (allowedRanges.length > 0 && !addressInCidrs(address, allowedRanges)) return refused('address_not_allowed')
    assertActive(row)
    options.lastUsed.note(row.org_id, row.id, address)
    return accepted
  }
  const tokenIn = (header: string): string => {
    const credential = credentialIn(header)
    return options.aliases?.get(credential) ?? credential
  }
  // A busy caller sends the same header again and again, and hashing it is a good part of what a request costs.
  let latest = { header: '', hashText: '' }
  const hashIn = (header: string): string | null => {
    if (header === latest.header) return latest.hashText
    const hashText = tokenHash(tokenIn(header))
    if (hashText !== null) latest = { header, hashText }
    return hashText
  }
  return (request, address) => {
    const header = request.headers.get('authorization')
    if (header === null) return { ok: false, failure: 'missing', credentialSent: false }
    const hashText = hashIn(header)
    if (hashText === null) return MALFORMED
    const known = options.cache.peek(hashText)
    if (known !== undefined) return judge(known, address)
    if (!isChecksumRight(tokenIn(header))) return MALFORMED
    return options.cache.load(hashText).then((row) => judge(row, address))
  }
}

/** The holder of a valid key learns why it is refused. */
export function assertActive({ org_suspended_at: since }: ApiKeyWithOrganizationRow): void {
  if (since !== null) throw organizationSuspended({ params: { since: since.toISOString() } })
}

export const holderOf = ({ id, agent_id }: ApiKeyWithOrganizationRow): Pick<KeyCaller, 'type' | 'id'> =>
  agent_id === null ? { type: 'key', id } : { type: 'agent', id: agent_id }

export function callerOf(row: ApiKeyWithOrganizationRow, defaultRateLimit: DefaultRateLimit): KeyCaller {
  return {
    ...holderOf(row),
    name: row.name,
    orgId: row.org_id,
    scopes: row.scopes,
    rateLimit: rateLimitOf(row, defaultRateLimit),
    expiresAt: row.expires_at,
    key: row,
  }
}

/** A key's own rate comes with a burst of two seconds' worth, like the default. */
function rateLimitOf(
  row: Pick<ApiKeyWithOrganizationRow, 'rate_limit' | 'is_rate_limited'>,
  defaultRateLimit: DefaultRateLimit,
): DefaultRateLimit | null {
  if (!row.is_rate_limited) return null
  if (row.rate_limit === null) return defaultRateLimit
  return { perSecond: row.rate_limit, burst: row.rate_limit * 2 }
}

import type { Clock } from '../../kernel/clock.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { rateLimited, scopeMissing, unauthenticated } from '../../platform/http/http.errors.ts'
import { networkOf } from '../../platform/http/limits/client-address.ts'
import { type RateLimiter, rateLimitHeaders } from '../../platform/http/limits/rate-limit.ts'
import { FAILED_AUTHENTICATION, keyPolicy } from '../../platform/http/pipeline/admission.ts'
import type { Authenticate, Authentication, Caller } from '../../platform/http/pipeline/caller.ts'
import type { Exchange } from '../../platform/http/pipeline/exchange.ts'
import type { HeaderList } from '../../platform/http/pipeline/reply.ts'

/**
 * Key, rate, scope, in the order of the public API and against the same counters: a key that is used on both is one key.
 */
export type Admission = { authenticate: Authenticate; rateLimiter: RateLimiter; clock: Clock }

/** The public API counts failures under the same name, so that trying here does not give a second set of tries. */
export async function admitCaller(
  admission: Admission,
  request: Request,
  { exchange, headers, scope }: { exchange: Exchange; headers: HeaderList; scope: Scope | null },
): Promise<Caller> {
  const authentication = await admission.authenticate(request, exchange.address)
  if (!authentication.ok) throw refuseCredential(admission, exchange, authentication)
  const { caller } = authentication
  exchange.caller = caller
  if (caller.rateLimit !== null) spendRate(admission, caller, caller.rateLimit, headers)
  // The rules of agents are not checked here; agents use the public API or MCP.
  if (caller.type === 'agent')
    throw scopeMissing({ says: 'Agents cannot use this API. Use the public API or MCP.', params: { required: scope } })
  if (scope !== null && !caller.scopes.includes(scope))
    throw scopeMissing({
      says: `This key does not have the scope "${scope}" that this call needs. Use a key with that scope.`,
      params: { required: scope, granted: caller.scopes },
    })
  return caller
}

type Refused = Extract<Authentication, { ok: false }>

function refuseCredential(admission: Admission, exchange: Exchange, refused: Refused) {
  exchange.authenticationFailure = refused.failure
  exchange.failedKey = refused.failedKey ?? null
  const refusal = unauthenticated({ headers: { 'WWW-Authenticate': 'Bearer realm="public-api"' } })
  return credentialRefused(admission, exchange, refusal)
}

/** The refusal of a wrong credential, which counts as a try; after too many of them, that there were too many. */
export function credentialRefused({ rateLimiter }: Admission, exchange: Exchange, refusal: Error): Error {
  const result = rateLimiter.check(`address ${networkOf(exchange.address)}`, FAILED_AUTHENTICATION)
  if (result.allowed) return refusal
  return rateLimited({
    says: 'This IP address sent too many requests without a valid key. Wait for the number of seconds in Retry-After.',
    headers: { 'Retry-After': String(result.retryAfterSeconds) },
  })
}

function spendRate(
  { rateLimiter }: Admission,
  caller: Caller,
  rateLimit: NonNullable<Caller['rateLimit']>,
  headers: HeaderList,
): void {
  const policy = keyPolicy(rateLimit)
  const result = rateLimiter.check(caller.id, policy)
  for (const [name, value] of Object.entries(rateLimitHeaders(policy, result))) headers.push(name, value)
  if (!result.allowed) throw rateLimited({ headers: { 'Retry-After': String(result.retryAfterSeconds) } })
}

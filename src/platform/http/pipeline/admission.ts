import type { ProblemError } from '../../../kernel/errors.ts'
import { agentScopes } from '../../../kernel/scopes.ts'
import type { Route } from '../define-route.ts'
import { powerMissing, rateLimited, scopeMissing, unauthenticated } from '../http.errors.ts'
import { networkOf } from '../limits/client-address.ts'
import { type RateLimiter, type RateLimitPolicy, rateLimitHeaders } from '../limits/rate-limit.ts'
import type { Authentication, Caller } from './caller.ts'
import type { Exchange } from './exchange.ts'
import type { HeaderList } from './reply.ts'

/** Who is let in, how often, and to what: the refusals with which a request begins. */
export type Admission = {
  rateLimiter: RateLimiter
  /** What a missing or bad credential is answered with where it is not an API key. */
  credentialRefusal?: () => ProblemError
}

export const FAILED_AUTHENTICATION: RateLimitPolicy = {
  name: 'failed-authentication',
  quota: 1200,
  windowSeconds: 60,
  burst: 1200,
}

export function assertAllowed({ access }: Route, caller: Caller): void {
  const scope = access.type === 'key' ? access.scope : null
  if (scope !== null && !caller.scopes.includes(scope)) throw refuseScope(scope, caller)
  const power = access.type === 'session' ? access.power : null
  if (power !== null && !caller.powers?.includes(power)) throw powerMissing({ params: { required: power } })
}

/**
 * A signed-in user has no key but a role, which an owner or admin can change. An agent cannot get another token, and some scopes
 * are given to no agent.
 */
function refuseScope(scope: string, caller: Caller): ProblemError {
  const params = { required: scope, granted: caller.scopes }
  if (caller.type === 'user')
    return scopeMissing({
      says: `Your role in this organization does not allow this ("${scope}"). Ask an owner or admin.`,
      params,
    })
  return scopeMissing({
    says:
      caller.type === 'agent'
        ? sayToAgent(scope)
        : `This key does not have the scope "${scope}" that this endpoint needs. Use a key with that scope.`,
    params,
    headers: { 'WWW-Authenticate': `Bearer realm="public-api", error="insufficient_scope", scope="${scope}"` },
  })
}

const sayToAgent = (scope: string) =>
  agentScopes.some((one) => one === scope)
    ? `This agent does not have the scope "${scope}" that this endpoint needs. A person can add it in the console.`
    : `No agent has the scope "${scope}" that this endpoint needs. Do not retry; inform the person you work for.`

type Refused = Extract<Authentication, { ok: false }>

/** Failures are counted per address, never against a key: else an outsider could infer a key's traffic from its counters. */
export function refuseCredential(admission: Admission, exchange: Exchange, refused: Refused): ProblemError {
  exchange.authenticationFailure = refused.failure
  exchange.failedKey = refused.failedKey ?? null
  const result = admission.rateLimiter.check(`address ${networkOf(exchange.address)}`, FAILED_AUTHENTICATION)
  if (!result.allowed) {
    return rateLimited({
      says: 'This IP address sent too many requests without a valid key. Wait for the number of seconds in Retry-After, then send a valid key.',
      params: { policy: FAILED_AUTHENTICATION.name, retry_after_seconds: result.retryAfterSeconds },
      headers: { 'Retry-After': String(result.retryAfterSeconds) },
    })
  }
  if (admission.credentialRefusal !== undefined) return admission.credentialRefusal()
  const challenge = refused.credentialSent
    ? 'Bearer realm="public-api", error="invalid_token"'
    : 'Bearer realm="public-api"'
  return unauthenticated({ headers: { 'WWW-Authenticate': challenge } })
}

export const keyPolicy = ({ perSecond, burst }: NonNullable<Caller['rateLimit']>): RateLimitPolicy => ({
  name: 'key',
  quota: perSecond,
  windowSeconds: 1,
  burst,
})

export function spendRate(
  admission: Admission,
  caller: Caller,
  rateLimit: { perSecond: number; burst: number },
  headers: HeaderList,
): void {
  const policy = keyPolicy(rateLimit)
  const result = admission.rateLimiter.check(caller.rateLimitId ?? caller.id, policy)
  const rateHeaders: Record<string, string> = rateLimitHeaders(policy, result)
  for (const name in rateHeaders) headers.push(name, rateHeaders[name] as string)
  if (result.allowed) return
  throw rateLimited({
    params: { policy: policy.name, retry_after_seconds: result.retryAfterSeconds },
    headers: { 'Retry-After': String(result.retryAfterSeconds) },
  })
}

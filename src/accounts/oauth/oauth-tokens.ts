import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Authenticate, Authentication, AuthenticationFailure } from '../../platform/http/pipeline/caller.ts'
import { sha256Text } from '../../platform/runtime/hash.ts'
import {
  assertActive,
  type ConnectedKeyRow,
  callerOf,
  credentialIn,
  type DefaultRateLimit,
  findKeyByAccessToken,
  findKeyByRefreshToken,
  holderOf,
  type KeyCaller,
  type LastUsed,
} from '../keys/keys.ts'
import { ACCESS_TOKEN_LEAD, REFRESH_TOKEN_LEAD, roles } from '../people/people.ts'
import { deleteTokensOf } from './oauth.sql.ts'

/**
 * Resolves the token of a connected program to the key of its agent and to a caller, as if the key had been sent; the
 * scopes are those that the agent has now and that the person granted. Nothing is cached: it is one query by a hash,
 * and the end of a connection affects the next call.
 *
 * A connection works while the person who granted it is a member who may manage agents, and is paused while they are
 * not.
 */
export const referenceOf = (orgId: OrgId, agentId: Id<'agt'>): string => `${orgId}/${agentId}`

/** Runs in the transaction that ends the agent. */
export const endTokensOf = (tx: Tx, orgId: OrgId, agentId: Id<'agt'>): Promise<void> =>
  deleteTokensOf(tx, referenceOf(orgId, agentId))

export type TokenAuthenticatorOptions = {
  database: Database
  clock: Clock
  lastUsed: LastUsed
  defaultRateLimit: DefaultRateLimit
  /** The resource that a token must be valid for. */
  resource: string
  /** Authenticates every other credential. */
  otherwise: Authenticate
}

export function createTokenAuthenticator(options: TokenAuthenticatorOptions): Authenticate {
  const { database, clock, lastUsed, defaultRateLimit, resource, otherwise } = options
  const judge = (row: ConnectedKeyRow | null, address: string): Authentication<KeyCaller> => {
    if (row === null) return { ok: false, failure: 'unknown', credentialSent: true }
    const refused = (failure: AuthenticationFailure) =>
      ({ ok: false, failure, failedKey: { orgId: row.org_id, caller: holderOf(row) }, credentialSent: true }) as const
    const failure = tokenFailure(row, clock.now()) ?? failureOf(row, clock.now())
    if (failure !== null) return refused(failure)
    if (!listOf(row.token_resources).includes(resource)) return refused('unknown')
    assertActive(row)
    lastUsed.note(row.org_id, row.id, address)
    return { ok: true, caller: callerOf(withAgreedScopes(row), defaultRateLimit) }
  }
  return async (request, address) => {
    const token = credentialIn(request.headers.get('authorization') ?? '')
    if (!token.startsWith(ACCESS_TOKEN_LEAD)) return otherwise(request, address)
    // Other tokens cannot exist, so they are not looked up.
    if (!TOKEN_FORM.test(token)) return { ok: false, failure: 'malformed', credentialSent: true }
    return judge(await findKeyByAccessToken(database, hashOf(token, ACCESS_TOKEN_LEAD)), address)
  }
}

const TOKEN_FORM = /^nx[or]_[A-Za-z]{32}$/

/** The hash that the library stores, which covers the token without its prefix. */
const hashOf = (token: string, lead: string) => sha256Text(token.slice(lead.length))

const listOf = (json: string | null): string[] => (json === null ? [] : JSON.parse(json))

/** Reading the state of its approval requests needs no consent. */
function withAgreedScopes(row: ConnectedKeyRow): ConnectedKeyRow {
  const agreed = [...listOf(row.token_scopes), 'approvals:read']
  return { ...row, scopes: row.scopes.filter((scope) => agreed.includes(scope)) }
}

const tokenFailure = (row: ConnectedKeyRow, nowMs: number): AuthenticationFailure | null => {
  if (row.token_revoked_at !== null) return 'revoked'
  return row.token_expires_at.getTime() <= nowMs ? 'expired' : null
}

/** Why the connection as a whole does not work, whatever token is shown for it. */
function failureOf(row: ConnectedKeyRow, nowMs: number): AuthenticationFailure | null {
  if (row.revoked_at !== null) return 'revoked'
  if (row.expires_at !== null && row.expires_at.getTime() <= nowMs) return 'expired'
  const isManager = row.person_role !== null && roles[row.person_role].powers.includes('agents:manage')
  return isManager ? null : 'revoked'
}

export type Renewal = {
  /** A connection that does not work gets no new tokens: its program is to ask the person again. */
  isRefused: boolean
  /** The agent whose token was used again after it was exchanged: one of its two holders stole it. */
  reusedOf: { orgId: OrgId; agentId: Id<'agt'>; name: string } | null
}

type RenewalContext = { database: Database; clock: Clock; resource: string }

const findRenewable = async ({ database }: RenewalContext, token: string): Promise<ConnectedKeyRow | null> =>
  token.startsWith(REFRESH_TOKEN_LEAD) && TOKEN_FORM.test(token)
    ? findKeyByRefreshToken(database, hashOf(token, REFRESH_TOKEN_LEAD))
    : null

/** Judges a token that a program wants to renew, before the library is asked. */
export async function judgeRenewal(context: RenewalContext, token: string): Promise<Renewal> {
  const { clock, resource } = context
  const row = await findRenewable(context, token)
  if (row === null) return { isRefused: false, reusedOf: null }
  const now = clock.now()
  const isReused = row.token_replay_expires_at !== null && row.token_replay_expires_at.getTime() < now
  const reusedOf = isReused ? { orgId: row.org_id, agentId: row.agent_id as Id<'agt'>, name: row.name } : null
  // A token from an earlier address of this server would be renewed for that address, and open nothing.
  const isForElsewhere = !listOf(row.token_resources).includes(resource)
  return { isRefused: isForElsewhere || failureOf(row, now) !== null, reusedOf }
}

/**
 * Whether the library has revoked the whole token family. It refuses a request with another fault before it does that.
 */
export const isForgotten = async (context: RenewalContext, token: string): Promise<boolean> =>
  (await findRenewable(context, token)) === null

/**
 * Whether the token was exchanged just now, so that a simultaneous second request gets the same answer as the first.
 */
export async function isJustRenewed(context: RenewalContext, token: string): Promise<boolean> {
  const until = (await findRenewable(context, token))?.token_replay_expires_at ?? null
  return until !== null && until.getTime() >= context.clock.now()
}

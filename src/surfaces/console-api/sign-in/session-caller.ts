import { sameOriginRequired } from '../../../accounts/people/people.errors.ts'
import {
  type AuthAnswer,
  type DashboardAuth,
  listMembershipsOf,
  type MembershipRow,
  markSessionSeen,
  powersIn,
  type Role,
  roles,
} from '../../../accounts/people/people.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Access } from '../../../platform/http/define-route.ts'
import { sessionRequired } from '../../../platform/http/http.errors.ts'
import type { Authentication, Caller } from '../../../platform/http/pipeline/caller.ts'

/**
 * Cookie → session → person → member of the organization that is active in this session → caller. Nothing is kept in memory: a
 * session that was revoked, or a role that was taken away, is felt by the very next call.
 */
export type PersonCaller = Caller & {
  type: 'user'
  person: { id: string; name: string; email: string; isTwoFactorOn: boolean }
  role: Role
  memberships: MembershipRow[]
  sessionId: string
  sessionToken: string
  /** Cookies the library wants renewed. */
  setCookies: string[]
}

/** A signed-in person who has this power in the active organization; null for any. */
export const session = (power: string | null): Access<PersonCaller> => ({ type: 'session', power })

export type SessionParts = { auth: DashboardAuth; database: Database; clock: Clock; publicOrigin: string }

/** People click; scripts use keys. */
const PERSON_RATE_LIMIT = { perSecond: 50, burst: 200 }

export type SessionAuthenticator = (request: Request, address: string) => Promise<Authentication<PersonCaller>>

export const refuseSession = () => sessionRequired({ headers: { 'WWW-Authenticate': 'Session realm="dashboard"' } })

/** `isNoted` false for what an open page does without its reader: that is not counted as being seen. */
export const createSessionAuthenticator =
  (parts: SessionParts, { isNoted = true } = {}): SessionAuthenticator =>
  async (request, address) => {
    assertSameOrigin(request, parts.publicOrigin)
    const cookie = request.headers.get('cookie')
    if (cookie === null || !cookie.includes('session_token=')) {
      const isKeySent = request.headers.has('authorization')
      return { ok: false, failure: isKeySent ? 'malformed' : 'missing', credentialSent: isKeySent }
    }
    const userAgent = request.headers.get('user-agent')
    const answer = await parts.auth.ask({ method: 'GET', path: '/get-session', cookie, address, userAgent })
    const caller = await callerOf(parts.database, answer)
    const session = answer.body?.session
    if (caller !== null && session !== undefined && isNoted) await noteSeen(parts, session)
    return caller === null ? { ok: false, failure: 'unknown', credentialSent: true } : { ok: true, caller }
  }

const SEEN_EVERY_MS = 60_000

/** Written at most once a minute per session; between, a call costs nothing more. */
async function noteSeen({ database, clock }: SessionParts, session: { id: string; updatedAt: string }): Promise<void> {
  const seenAt = new Date(clock.now())
  const before = new Date(clock.now() - SEEN_EVERY_MS)
  if (new Date(session.updatedAt) <= before) await markSessionSeen(database, session.id, { seenAt, before })
}

async function callerOf(database: Database, answer: AuthAnswer): Promise<PersonCaller | null> {
  const { session, user } = answer.body ?? {}
  if (answer.status !== 200 || session === undefined || user === undefined) return null
  const memberships = await listMembershipsOf(database, user.id)
  // A person who lost the chosen organization continues in another of theirs.
  const active = memberships.find(({ org_id }) => org_id === session.activeOrganizationId) ?? memberships[0]
  if (active === undefined) return null
  const { scopes } = roles[active.role]
  return {
    type: 'user',
    id: user.id,
    name: user.email,
    displayName: user.name,
    orgId: active.org_id,
    scopes,
    powers: powersIn(active.role, { isSandbox: active.sandbox_of !== null }),
    rateLimit: PERSON_RATE_LIMIT,
    expiresAt: null,
    person: { id: user.id, name: user.name, email: user.email, isTwoFactorOn: user.twoFactorEnabled === true },
    role: active.role,
    memberships,
    sessionId: session.id,
    sessionToken: session.token,
    setCookies: answer.setCookies,
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * A changing call must not come from the pages of other sites. Every browser says where such a call comes from, in one
 * of two headers. A call without both was not sent by a page on behalf of its visitor: the sender held the cookie.
 */
export function assertSameOrigin(request: Request, publicOrigin: string): void {
  if (SAFE_METHODS.includes(request.method)) return
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw sameOriginRequired()
  const origin = request.headers.get('origin')
  if (origin === null) return
  if (origin !== publicOrigin && origin !== new URL(request.url).origin) throw sameOriginRequired()
}

import type { AuthAnswer, AuthPerson, AuthQuestion, DashboardAuth } from '../../accounts/people/dashboard-auth.ts'
import { signInThrottled } from '../../accounts/people/people.errors.ts'
import type { PeopleContext } from '../../accounts/people/people.ts'
import type { ProblemError } from '../../kernel/errors.ts'
import type { RequestContext } from '../../platform/http/define-route.ts'
import type { RateLimiter, RateLimitPolicy } from '../../platform/http/rate-limit.ts'
import { assertSameOrigin, type PersonCaller } from './session-caller.ts'

/** How the routes below /api/auth ask the library, and what they are handed. */
export type AuthRouteParts = {
  auth: DashboardAuth
  people: PeopleContext
  publicOrigin: string
  version: string
  isSimulated: (orgId: PersonCaller['orgId']) => Promise<boolean>
}

type Asked = Pick<RequestContext, 'request' | 'address' | 'headers'>

/** `cookie` where the library is to see less than the browser sent. */
type Asking = Pick<AuthQuestion, 'method' | 'path' | 'body'> & Partial<Pick<AuthQuestion, 'cookie'>>

export type Asker = (asked: Asked, question: Asking) => Promise<AuthAnswer>

/** Asks the library as the browser that is calling, and hands on the cookies it sets. */
export const createAsker =
  ({ auth, publicOrigin }: AuthRouteParts): Asker =>
  async ({ request, address, headers }, question) => {
    assertSameOrigin(request, publicOrigin)
    const answer = await auth.ask({
      cookie: request.headers.get('cookie'),
      ...question,
      address,
      userAgent: request.headers.get('user-agent'),
    })
    for (const cookie of answer.setCookies) headers.push('Set-Cookie', cookie)
    if (answer.status === 429) throw throttled(answer.retryAfterSeconds ?? 60)
    return answer
  }

/** Whose session the browser holds; nothing of the answer is handed on. */
export async function findSignedIn({ auth }: AuthRouteParts, { request, address }: Asked): Promise<AuthPerson | null> {
  const cookie = request.headers.get('cookie')
  if (cookie === null) return null
  const userAgent = request.headers.get('user-agent')
  const answer = await auth.ask({ method: 'GET', path: '/get-session', cookie, address, userAgent })
  return (answer.body?.user as AuthPerson | undefined) ?? null
}

function throttled(retryAfterSeconds: number): ProblemError {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds))
  return signInThrottled({ params: { retry_after_seconds: seconds }, headers: { 'Retry-After': String(seconds) } })
}

/**
 * The library counts per address, in the database. Somebody who guesses from many addresses is stopped by these, whether the
 * e-mail is known or not: after a burst, one try in a while. Who got in has proved who they are and is not counted.
 */
const SIGN_INS: RateLimitPolicy = { name: 'sign-in-email', quota: 20, windowSeconds: 600, burst: 10 }
const RESETS: RateLimitPolicy = { name: 'password-reset-email', quota: 5, windowSeconds: 3600, burst: 3 }

export type EmailThrottle = {
  countSignIn(email: string): void
  forgiveSignIn(email: string): void
  countReset(email: string): void
}

export function createEmailThrottle(rateLimiter: RateLimiter): EmailThrottle {
  const count = (policy: RateLimitPolicy) => (email: string) => {
    const { allowed, retryAfterSeconds } = rateLimiter.check(email, policy)
    if (!allowed) throw throttled(retryAfterSeconds)
  }
  return {
    countSignIn: count(SIGN_INS),
    forgiveSignIn: (email) => rateLimiter.refund(email, SIGN_INS),
    countReset: count(RESETS),
  }
}

export const authShared = { tag: 'Session', description: 'Of the console.' } as const
export const noReply = { status: 204, body: null } as const

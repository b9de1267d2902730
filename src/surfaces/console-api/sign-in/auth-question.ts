import { signInThrottled } from '../../../accounts/people/people.errors.ts'
import type {
  AuthAnswer,
  AuthPerson,
  AuthQuestion,
  DashboardAuth,
  PeopleContext,
} from '../../../accounts/people/people.ts'
import type { ProblemError } from '../../../kernel/errors.ts'
import type { RequestContext } from '../../../platform/http/define-route.ts'
import { assertSameOrigin, type PersonCaller } from './session-caller.ts'

/** How the routes below /api/auth ask the library, and what they are handed. */
export type AuthRouteParts = {
  auth: DashboardAuth
  people: PeopleContext
  publicOrigin: string
  version: string
  /** Whether this server sends mail. */
  isMailOn: boolean
  /** The name of the provider of single sign-on; null for none. */
  ssoName: string | null
  isSimulated: (orgId: PersonCaller['orgId']) => Promise<boolean>
}

export type Asked = Pick<RequestContext, 'request' | 'address' | 'headers'>

/** `cookie` where the library is to see less than the browser sent. */
type Asking = Pick<AuthQuestion, 'method' | 'path' | 'body'> &
  Partial<Pick<AuthQuestion, 'cookie' | 'isAdmitted' | 'query' | 'admit'>>

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

/** Finds the person of the browser's session; the answer is not passed on. */
export async function findSignedIn({ auth }: AuthRouteParts, { request, address }: Asked): Promise<AuthPerson | null> {
  const cookie = request.headers.get('cookie')
  if (cookie === null) return null
  const userAgent = request.headers.get('user-agent')
  const answer = await auth.ask({ method: 'GET', path: '/get-session', cookie, address, userAgent })
  return answer.body?.user ?? null
}

/** The person whom the library has just let in. */
export function admittedPerson({ body }: AuthAnswer): AuthPerson {
  if (body?.user === undefined) throw new Error('the library let a person in and did not say whom')
  return body.user
}

export function throttled(retryAfterSeconds: number): ProblemError {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds))
  return signInThrottled({ params: { retry_after_seconds: seconds }, headers: { 'Retry-After': String(seconds) } })
}

export const authShared = { tag: 'Session', description: 'Of the console.' } as const
export const noReply = { status: 204, body: null } as const

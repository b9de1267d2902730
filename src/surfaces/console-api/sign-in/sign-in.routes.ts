import { secondFactorRefused, signInRefused, signInThrottled } from '../../../accounts/people/people.errors.ts'
import { claimCode, releaseCode } from '../../../accounts/people/people.ts'
import { ProblemError } from '../../../kernel/errors.ts'
import { defineRoute, open, type Route } from '../../../platform/http/define-route.ts'
import type { AccountRecord } from './account-record.ts'
import { Credentials, SecondFactor, SignInResult } from './auth.schemas.ts'
import { type Asker, type AuthRouteParts, admittedPerson, authShared, findSignedIn, noReply } from './auth-question.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export type SignInParts = { parts: AuthRouteParts; ask: Asker; guard: SignInGuard; record: AccountRecord }

export const signInRoutes = ({ parts, ask, guard, record }: SignInParts): Route[] => [
  defineRoute({
    ...authShared,
    id: 'signIn',
    method: 'POST',
    path: '/login',
    summary: 'Sign in with email and password',
    access: open,
    body: Credentials,
    reply: { status: 200, body: SignInResult },
    errors: [signInRefused, signInThrottled],
    showsSecret: true,
    example: { body: { email: 'owner@example.com', password: 'correct horse battery' }, reply: { needs: null } },
    async handle({ body, ...asked }) {
      const email = body.email.toLowerCase()
      const { admitted, answer } = await trying(
        async () => {
          const admitted = await guard.admit(asked, 'password', email)
          const question = { method: 'POST', path: '/sign-in/email', body: { ...body, email } } as const
          return { admitted, answer: await ask(asked, { ...question, isAdmitted: admitted.isKnownDevice }) }
        },
        () => record.refused(asked, 'signInThrottled', { email }),
      )
      if (answer.status !== 200) {
        record.refused(asked, 'signInRefused', { email })
        throw signInRefused()
      }
      await admitted.refund()
      if (answer.body?.twoFactorRedirect === true) return { needs: 'second_factor' as const }
      guard.remember(asked, email)
      await record.done(asked, 'signIn', admittedPerson(answer))
      return { needs: null }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'confirmSecondFactor',
    method: 'POST',
    path: '/second-factor',
    summary: 'Finish a sign-in with a code',
    access: open,
    body: SecondFactor,
    reply: { status: 200, body: SignInResult },
    errors: [secondFactorRefused, signInThrottled],
    showsSecret: true,
    example: { body: { code: '123456' }, reply: { needs: null } },
    async handle({ body, ...asked }) {
      const [path, code] =
        body.backup_code === undefined
          ? ['/two-factor/verify-totp', body.code]
          : ['/two-factor/verify-backup-code', body.backup_code]
      // The person is looked up first, because a challenge ends after the last wrong code. Without a person the code is
      // refused, because neither the record of used codes nor the audit log could name one.
      const half = await parts.auth.findHalfSignedIn(asked.request.headers.get('cookie'))
      if (half === null) throw secondFactorRefused()
      const { person, cookie } = half
      const admitted = await trying(
        () => guard.admit(asked, 'code', person.email),
        () => record.refused(asked, 'signInThrottled', person),
      )
      const used = body.code === undefined ? null : { personId: person.id, code: body.code }
      const isFresh = used === null || (await claimCode(parts.people, used))
      const question = { method: 'POST', path, body: { code: code ?? '' }, cookie, isAdmitted: true } as const
      const answer = isFresh ? await ask(asked, question) : null
      if (answer?.status !== 200) {
        if (used !== null && isFresh) await releaseCode(parts.people, used)
        // The caller has the password, so this refusal matters most.
        record.refused(asked, 'secondFactorRefused', person)
        throw secondFactorRefused()
      }
      await admitted.refund()
      guard.remember(asked, person.email)
      await record.done(asked, 'signIn', person)
      return { needs: null }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'signOut',
    method: 'POST',
    path: '/logout',
    summary: 'Sign out',
    access: open,
    reply: noReply,
    example: { reply: null },
    async handle(asked) {
      const person = await findSignedIn(parts, asked)
      await ask(asked, { method: 'POST', path: '/sign-out', body: {} })
      if (person !== null) await record.done(asked, 'signOut', person)
      return undefined
    },
  }),
]

/** Records an attempt that was refused unread because there were too many. */
async function trying<Answer>(attempt: () => Promise<Answer>, onThrottled: () => unknown): Promise<Answer> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof ProblemError && error.code === signInThrottled.code) await onThrottled()
    throw error
  }
}

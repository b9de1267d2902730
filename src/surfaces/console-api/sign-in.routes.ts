import { secondFactorRefused, signInRefused, signInThrottled } from '../../accounts/people/people.errors.ts'
import { defineRoute, open, type Route } from '../../platform/http/define-route.ts'
import { Credentials, SecondFactor, SignInResult } from './auth.schemas.ts'
import { type Asker, authShared, type EmailThrottle, noReply } from './auth-question.ts'

export const signInRoutes = (ask: Asker, throttle: EmailThrottle): Route[] => [
  defineRoute({
    ...authShared,
    id: 'signIn',
    method: 'POST',
    path: '/login',
    summary: 'Sign in with e-mail and password',
    access: open,
    body: Credentials,
    reply: { status: 200, body: SignInResult },
    errors: [signInRefused, signInThrottled],
    showsSecret: true,
    example: { body: { email: 'owner@example.com', password: 'correct horse battery' }, reply: { needs: null } },
    async handle({ body, ...asked }) {
      const email = body.email.toLowerCase()
      throttle.countSignIn(email)
      const answer = await ask(asked, { method: 'POST', path: '/sign-in/email', body: { ...body, email } })
      if (answer.status !== 200) throw signInRefused()
      throttle.forgiveSignIn(email)
      return { needs: answer.body?.twoFactorRedirect === true ? ('second_factor' as const) : null }
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
      const answer = await ask(asked, { method: 'POST', path, body: { code: code ?? '' } })
      if (answer.status !== 200) throw secondFactorRefused()
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
      await ask(asked, { method: 'POST', path: '/sign-out', body: {} })
      return undefined
    },
  }),
]

import {
  passwordTooShort,
  passwordWrong,
  resetLinkInvalid,
  signInThrottled,
} from '../../../accounts/people/people.errors.ts'
import { defineRoute, open, type Route } from '../../../platform/http/define-route.ts'
import type { AccountRecord } from './account-record.ts'
import { PasswordChange, ResetConfirmation, ResetRequest } from './auth.schemas.ts'
import { type Asker, authShared, noReply } from './auth-question.ts'
import { passwordProblem } from './password-problem.ts'
import { session } from './session-caller.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export type PasswordParts = { ask: Asker; guard: SignInGuard; record: AccountRecord }

export const passwordRoutes = ({ ask, guard, record }: PasswordParts): Route[] => [
  defineRoute({
    ...authShared,
    id: 'changePassword',
    method: 'POST',
    path: '/password',
    summary: 'Change your password',
    access: session(null),
    body: PasswordChange,
    reply: noReply,
    errors: [passwordWrong, passwordTooShort],
    showsSecret: true,
    example: {
      body: { current_password: 'correct horse battery', new_password: 'staple battery correct' },
      reply: null,
    },
    async handle({ body, ...asked }) {
      const answer = await ask(asked, {
        method: 'POST',
        path: '/change-password',
        body: { currentPassword: body.current_password, newPassword: body.new_password, revokeOtherSessions: true },
      })
      if (answer.status !== 200) throw passwordProblem(answer, 'current_password')
      return undefined
    },
  }),
  defineRoute({
    ...authShared,
    id: 'requestPasswordReset',
    method: 'POST',
    path: '/password-reset',
    summary: 'Ask for a link to set a new password',
    access: open,
    body: ResetRequest,
    reply: { status: 202, body: null },
    errors: [signInThrottled],
    example: { body: { email: 'owner@example.com' }, reply: null },
    async handle({ body, ...asked }) {
      const email = body.email.toLowerCase()
      const admitted = await guard.admitReset(asked, email)
      if (admitted === null) return undefined
      const isAdmitted = admitted.isKnownDevice
      await ask(asked, { method: 'POST', path: '/request-password-reset', body: { email }, isAdmitted })
      record.asked(asked, 'requestPasswordReset', email)
      return undefined
    },
  }),
  defineRoute({
    ...authShared,
    id: 'resetPassword',
    method: 'POST',
    path: '/password-reset/confirm',
    summary: 'Set a new password with a link',
    access: open,
    body: ResetConfirmation,
    reply: noReply,
    errors: [resetLinkInvalid, passwordTooShort],
    showsSecret: true,
    example: { body: { token: 'a-token', new_password: 'staple battery correct' }, reply: null },
    async handle({ body, ...asked }) {
      const question = { token: body.token, newPassword: body.new_password }
      const answer = await ask(asked, { method: 'POST', path: '/reset-password', body: question })
      if (answer.body?.code === 'PASSWORD_TOO_SHORT') throw passwordProblem(answer, 'new_password')
      if (answer.status !== 200) throw resetLinkInvalid()
      if (answer.resetPerson !== null) {
        guard.remember(asked, answer.resetPerson.email)
        await record.done(asked, 'resetPassword', answer.resetPerson)
      }
      return undefined
    },
  }),
]

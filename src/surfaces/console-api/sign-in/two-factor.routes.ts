import { passwordWrong, secondFactorAlreadyOn, secondFactorRefused } from '../../../accounts/people/people.errors.ts'
import { defineRoute, type Route } from '../../../platform/http/define-route.ts'
import { PasswordProof, TwoFactorCode, TwoFactorSetup } from './auth.schemas.ts'
import { type Asker, authShared, noReply } from './auth-question.ts'
import { passwordProblem } from './password-problem.ts'
import { session } from './session-caller.ts'

export const twoFactorRoutes = (ask: Asker): Route[] => [
  defineRoute({
    ...authShared,
    id: 'startTwoFactor',
    method: 'POST',
    path: '/two-factor',
    summary: 'Begin to set up a second factor',
    access: session(null),
    body: PasswordProof,
    reply: { status: 200, body: TwoFactorSetup },
    errors: [passwordWrong, secondFactorAlreadyOn],
    showsSecret: true,
    example: { body: { password: 'correct horse battery' }, reply: { uri: 'otpauth://totp/Nexkit', backup_codes: [] } },
    async handle({ body, ...asked }) {
      const answer = await ask(asked, { method: 'POST', path: '/two-factor/enable', body })
      // The library checks the password first, so only the owner learns this.
      if (answer.body?.code === 'TOTP_ALREADY_ENABLED') throw secondFactorAlreadyOn()
      if (answer.status !== 200) throw passwordProblem(answer, 'password')
      const { totpURI = '', backupCodes = [] } = answer.body ?? {}
      return { uri: totpURI, backup_codes: backupCodes }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'confirmTwoFactor',
    method: 'POST',
    path: '/two-factor/confirm',
    summary: 'Switch the second factor on',
    access: session(null),
    body: TwoFactorCode,
    reply: noReply,
    errors: [secondFactorRefused],
    example: { body: { code: '123456' }, reply: null },
    async handle({ body, ...asked }) {
      const answer = await ask(asked, { method: 'POST', path: '/two-factor/verify-totp', body })
      if (answer.status !== 200)
        throw secondFactorRefused({
          errors: [{ pointer: '#/code', code: 'code_wrong', detail: secondFactorRefused.says }],
        })
      return undefined
    },
  }),
  defineRoute({
    ...authShared,
    id: 'endTwoFactor',
    method: 'POST',
    path: '/two-factor/off',
    summary: 'Switch the second factor off',
    access: session(null),
    body: PasswordProof,
    reply: noReply,
    errors: [passwordWrong],
    showsSecret: true,
    example: { body: { password: 'correct horse battery' }, reply: null },
    async handle({ body, ...asked }) {
      const answer = await ask(asked, { method: 'POST', path: '/two-factor/disable', body })
      if (answer.status !== 200) throw passwordProblem(answer, 'password')
      return undefined
    },
  }),
]

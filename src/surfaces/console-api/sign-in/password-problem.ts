import { passwordTooShort, passwordWrong } from '../../../accounts/people/people.errors.ts'
import { type AuthAnswer, tooShort } from '../../../accounts/people/people.ts'
import type { ProblemError } from '../../../kernel/errors.ts'

/** The library refuses a short password and a wrong one with different codes; so do we, at the field. */
export function passwordProblem(answer: AuthAnswer, field: string): ProblemError {
  if (answer.body?.code === 'PASSWORD_TOO_SHORT') return passwordTooShort({ errors: [tooShort('#/new_password')] })
  return passwordWrong({ errors: [{ pointer: `#/${field}`, code: 'password_wrong', detail: passwordWrong.says }] })
}

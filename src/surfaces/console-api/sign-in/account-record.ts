import type { AuditContext } from '../../../accounts/audit/audit.ts'
import { type AccountAct, findPersonByEmail, recordAccountAct, recordRefusal } from '../../../accounts/people/people.ts'
import type { RequestContext } from '../../../platform/http/define-route.ts'
import type { Log } from '../../../platform/telemetry/log.ts'

/**
 * Records sign-ins, and acts that need no session, in the audit log. Successes are recorded before the answer. Refusals
 * and requests that anyone can send are recorded after the answer, because the response time would otherwise reveal
 * whether the email is known. An unknown email belongs to no organization and is not recorded.
 */
type Asked = Pick<RequestContext, 'requestId' | 'address'>
type Person = AccountAct['person']

export type AccountRecord = {
  done(asked: Asked, act: string, person: Person): Promise<void>
  /** An act by a caller who knows the email, which need not be the person. */
  asked(asked: Asked, act: string, email: string): void
  refused(asked: Asked, act: string, person: Person | { email: string }): void
}

export function createAccountRecord(audit: AuditContext, log: Log): AccountRecord {
  const behind = (work: Promise<void>) =>
    void work.catch((error) => log.error({ err: error }, 'an entry of the audit log could not be written'))
  const actOf = ({ requestId, address }: Asked, act: string, person: Person) => ({ person, act, requestId, address })
  const personOf = async (person: Person | { email: string }) =>
    'id' in person ? person : findPersonByEmail(audit.database, person.email)
  return {
    done: (asked, act, person) => recordAccountAct(audit, actOf(asked, act, person)),
    asked(asked, act, email) {
      const enter = async () => {
        const person = await personOf({ email })
        if (person !== null) await recordAccountAct(audit, actOf(asked, act, person))
      }
      behind(enter())
    },
    refused(asked, act, refused) {
      const enter = async () => {
        const person = await personOf(refused)
        if (person !== null) await recordRefusal(audit, actOf(asked, act, person))
      }
      behind(enter())
    },
  }
}

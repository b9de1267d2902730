import type { AuditContext } from '../../accounts/audit.ts'
import { findPersonByEmail } from '../../accounts/people/people.ts'
import { type AccountAct, recordAccountAct, recordRefusal } from '../../accounts/people/person-audit.ts'
import type { RequestContext } from '../../platform/http/define-route.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/**
 * Signing in, and what is done without being signed in, for the audit log. What succeeded is entered before it is answered.
 * Refusals and what anybody can ask for are entered after the answer: an answer that waited for the entry would tell a stranger,
 * by its time, whether the e-mail is known. An e-mail that nobody has belongs to no organization and is entered nowhere.
 */
type Asked = Pick<RequestContext, 'requestId' | 'address'>
type Person = AccountAct['person']

export type AccountRecord = {
  done(asked: Asked, act: string, person: Person): Promise<void>
  /** By whoever knows the e-mail, which need not be the person. */
  asked(asked: Asked, act: string, email: string): void
  refused(asked: Asked, act: string, person: Person | { email: string }): void
}

export function createAccountRecord(audit: AuditContext, log: Log): AccountRecord {
  const behind = (work: Promise<void>) =>
    void work.catch((error) => log.error({ err: error }, 'an entry of the audit log could not be made'))
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

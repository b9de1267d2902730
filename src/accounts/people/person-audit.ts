import type { OrgId } from '../../kernel/ids.ts'
import { type AuditContext, listAuditEntries, recordAuditAlone } from '../audit.ts'
import { listMembershipsOf } from './people.sql.ts'

/**
 * What happens to somebody's account: who signed in, whose password was changed. An account opens every organization it is a
 * member of, so each of them has the entry.
 *
 * Refusals are summed up. Of one kind, for one account and from one address, an hour has one entry however many tries it had:
 * somebody who guesses must not be able to fill the log, and somebody who mistypes is one line in it.
 */
export type AccountAct = {
  person: { id: string; email: string }
  act: string
  /** The account itself unless something of it is meant, such as a session. */
  subject?: string
  requestId: string
  address: string
}

const REFUSALS_SUMMED_MS = 3_600_000
/** Addresses from which one account is tried within an hour; whoever has more of them is entered again. */
const REFUSALS_LOOKED_AT = 50

export async function recordAccountAct(audit: AuditContext, act: AccountAct): Promise<void> {
  for (const { org_id: orgId } of await listMembershipsOf(audit.database, act.person.id))
    await record(audit, orgId, act)
}

export async function recordRefusal(audit: AuditContext, refusal: AccountAct): Promise<void> {
  for (const { org_id: orgId } of await listMembershipsOf(audit.database, refusal.person.id))
    if (!(await isSummedUp(audit, orgId, refusal))) await record(audit, orgId, refusal)
}

const record = (audit: AuditContext, orgId: OrgId, { person, act, subject, requestId, address }: AccountAct) =>
  recordAuditAlone(audit, orgId, {
    actor: { type: 'user', id: person.id, name: person.email },
    act,
    subject: subject ?? person.id,
    requestId,
    address,
  })

async function isSummedUp({ database, clock }: AuditContext, orgId: OrgId, refusal: AccountAct): Promise<boolean> {
  const since = new Date(clock.now() - REFUSALS_SUMMED_MS)
  const filter = { act: refusal.act, subject: refusal.person.id, since, limit: REFUSALS_LOOKED_AT }
  const entered = await listAuditEntries(database, orgId, filter)
  return entered.some(({ address }) => address === refusal.address)
}

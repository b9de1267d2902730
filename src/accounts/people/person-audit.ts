import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import {
  type AuditContext,
  listAuditEntries,
  type NewAuditEntry,
  recordAuditAlone,
  recordAuditUnless,
} from '../audit/audit.ts'
import { listMembershipsOf } from './people.sql.ts'

/**
 * Audit entries about a person's account: sign-ins, password changes. An account opens every organization that the
 * person is a member of, so each of them gets the entry.
 *
 * Refusals of one kind, for one account and from one address, create one entry an hour however many attempts there are,
 * so that guessing cannot fill the log.
 */
export type AccountAct = {
  person: { id: string; email: string }
  act: string
  /** A part of the account, such as a session; defaults to the account. */
  subject?: string
  requestId: string
  address: string
}

const REFUSALS_SUMMED_MS = 3_600_000
/** Upper bound on addresses per account and hour; with more of them an address is recorded again. */
const REFUSALS_LOOKED_AT = 50

export async function recordAccountAct(audit: AuditContext, act: AccountAct): Promise<void> {
  for (const { org_id: orgId } of await listMembershipsOf(audit.database, act.person.id))
    await recordAuditAlone(audit, orgId, entryOf(act))
}

export async function recordRefusal(audit: AuditContext, refusal: AccountAct): Promise<void> {
  for (const { org_id: orgId } of await listMembershipsOf(audit.database, refusal.person.id))
    await enterOnce(audit, orgId, refusal)
}

const entryOf = ({ person, act, subject, requestId, address }: AccountAct): NewAuditEntry => ({
  actor: { type: 'user', id: person.id, name: person.email },
  act,
  subject: subject ?? person.id,
  requestId,
  address,
})

async function enterOnce(audit: AuditContext, orgId: OrgId, refusal: AccountAct): Promise<void> {
  const isEntered = async (queries: Queries) => {
    const since = new Date(audit.clock.now() - REFUSALS_SUMMED_MS)
    const filter = { act: refusal.act, subject: refusal.person.id, since, limit: REFUSALS_LOOKED_AT }
    const entered = await listAuditEntries(queries, orgId, filter)
    return entered.some(({ address }) => address === refusal.address)
  }
  // This check needs no lock, so continued guessing blocks no one.
  if (await isEntered(audit.database)) return
  await recordAuditUnless(audit, orgId, { entry: entryOf(refusal), isEntered })
}

import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import {
  type AuditContext,
  listAuditEntries,
  type NewAuditEntry,
  recordAuditAlone,
  recordAuditUnless,
} from '../audit.ts'
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
  // Whoever guesses on and on holds nobody up.
  if (await isEntered(audit.database)) return
  await recordAuditUnless(audit, orgId, { entry: entryOf(refusal), isEntered })
}

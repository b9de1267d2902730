import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { listAuditEntriesAfter, saveMacs, unlinkLog } from './audit.sql.ts'
import { type AuditContext, newMacOf } from './audit-log.ts'

/**
 * The log of an organization that comes from an installation with another key. Its entries are authenticated with the key of this one, and
 * the linker links them anew. From here on this installation vouches for them; whether they were intact was verified over there.
 */
const STEP = 1000

export async function adoptAuditLog({ key }: AuditContext, tx: Tx, orgId: OrgId): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await listAuditEntriesAfter(tx, orgId, { after, limit: STEP })
    await saveMacs(
      tx,
      orgId,
      rows.map((row) => ({ sequence: row.sequence, mac: newMacOf(key, row) })),
    )
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) break
    after = last.sequence
  }
  await unlinkLog(tx, orgId)
}

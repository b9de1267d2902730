import { createHmac } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import type { Storage } from '../platform/storage/storage.ts'
import {
  type AuditActorType,
  type AuditFilter,
  type AuditRow,
  insertAuditEntries,
  listAuditEntries as listRows,
  lockAuditHead,
  moveAuditHead,
} from './audit.sql.ts'

/**
 * The audit log: who did what, in a chain per organization.
 *
 *   entry 1 ── hash 1 ──▶ entry 2 ── hash 2 ──▶ … ──▶ entry n ── hash n = head
 *
 * A hash covers the entry and the hash before it, under a key derived from the installation's secret. An entry that was
 * changed, taken out or put in between breaks the chain at that place (audit-verification.ts); one cut off at the end disagrees with
 * the checkpoints (audit-checkpoints.ts).
 * Recorded where the act is done: in its transaction where it has one, so that one is not there without the other.
 */
export type AuditContext = {
  database: Database
  clock: Clock
  key: Uint8Array
  checkpointKey: Uint8Array
  /** Where checkpoints are kept outside of the database; null for nowhere. */
  checkpointStore: Storage | null
}

export type AuditGround = { database: Database; clock: Clock; secretKey: string; checkpointStore?: Storage | null }

export const auditContext = ({ database, clock, secretKey, checkpointStore = null }: AuditGround): AuditContext => ({
  database,
  clock,
  key: deriveKey(secretKey, 'audit'),
  checkpointKey: deriveKey(secretKey, 'audit checkpoints'),
  checkpointStore,
})

export type NewAuditEntry = {
  actor: { type: AuditActorType; id: string; name: string | null }
  /** The operation id. */
  act: string
  subject: string | null
  requestId: string | null
  address: string | null
}

export type AuditEntry = AuditRow

/** Last in its transaction: other acts in the organization wait for the commit. */
export const recordAudit = (context: AuditContext, tx: Tx, orgId: OrgId, entry: NewAuditEntry): Promise<void> =>
  recordAudits(context, tx, orgId, [entry])

/** As `recordAudit`, for the acts of several requests that share a transaction. */
export async function recordAudits(
  context: AuditContext,
  tx: Tx,
  orgId: OrgId,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  const head = await lockAuditHead(tx, orgId)
  const at = new Date(context.clock.now())
  const rows: AuditRow[] = []
  for (const entry of entries) {
    const before = rows.at(-1) ?? { sequence: head.last_sequence, hash: head.last_hash }
    rows.push(chained(context.key, entry, { orgId, at, before }))
  }
  const last = rows.at(-1)
  if (last === undefined) return
  await Promise.all([
    insertAuditEntries(tx, orgId, rows),
    moveAuditHead(tx, orgId, { last_sequence: last.sequence, last_hash: last.hash }),
  ])
}

function chained(
  key: Uint8Array,
  entry: NewAuditEntry,
  { orgId, at, before }: { orgId: OrgId; at: Date; before: Pick<AuditRow, 'sequence' | 'hash'> },
): AuditRow {
  const unsigned = {
    org_id: orgId,
    sequence: before.sequence + 1,
    at,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    actor_name: entry.actor.name,
    act: entry.act,
    subject: entry.subject,
    request_id: entry.requestId,
    address: entry.address,
    previous_hash: before.hash,
  }
  return { ...unsigned, hash: hashOf(key, unsigned) }
}

/** For what has no transaction of its own, or is over already. */
export const recordAuditAlone = (context: AuditContext, orgId: OrgId, entry: NewAuditEntry): Promise<void> =>
  context.database.transaction((tx) => recordAudit(context, tx, orgId, entry))

/** Looked at behind the lock, so that of several who come at once the first makes the entry and the others find it. */
export const recordAuditUnless = (
  context: AuditContext,
  orgId: OrgId,
  { entry, isEntered }: { entry: NewAuditEntry; isEntered: (tx: Tx) => Promise<boolean> },
): Promise<void> =>
  context.database.transaction(async (tx) => {
    await lockAuditHead(tx, orgId)
    if (!(await isEntered(tx))) await recordAudit(context, tx, orgId, entry)
  })

/** As an array, so that no two entries are written alike. */
export const hashOf = (key: Uint8Array, row: Omit<AuditRow, 'hash'>): string =>
  createHmac('sha256', key)
    .update(
      JSON.stringify([
        row.previous_hash,
        row.org_id,
        row.sequence,
        row.at.toISOString(),
        row.actor_type,
        row.actor_id,
        row.actor_name,
        row.act,
        row.subject,
        row.request_id,
        row.address,
      ]),
    )
    .digest('base64url')

export const listAuditEntries = (queries: Queries, orgId: OrgId, filter: AuditFilter): Promise<AuditEntry[]> =>
  listRows(queries, orgId, filter)

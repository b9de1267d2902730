import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { deriveKey } from '../../platform/database/secret-box.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import {
  type AuditActorType,
  type AuditFilter,
  type AuditRow,
  type AuthenticatedEntry,
  insertAuditEntries,
  listAuditEntries as listRows,
  lockEnteringOnce,
} from './audit.sql.ts'

/**
 * The audit log: who did what, in a chain per organization.
 *
 *   entry 1 ── hash 1 ──▶ entry 2 ── hash 2 ──▶ … ──▶ entry n ── hash n = linked head      entry n+1 … entry m = head
 *                                                                                         numbered, mac each, not linked yet
 *
 * An entry is recorded where the act is done: in its transaction where it has one, so that one is not there without the other. Its
 * number and its mac, a keyed hash over the entry alone, travel with the commit. The linker (audit-linker.ts) writes the hashes of the
 * chain right afterwards, so acts do not wait for each other. A hash covers the entry, its mac and the hash before it.
 *
 * An entry that was changed, removed, moved or inserted breaks the chain at that place; one that is not linked yet does not fit its mac
 * or leaves a gap (audit-verification.ts). Entries cut off at the end disagree with the checkpoints (audit-checkpoints.ts).
 * All keys are derived from the installation's secret.
 */
export type AuditContext = {
  database: Database
  clock: Clock
  key: Uint8Array
  checkpointKey: Uint8Array
  /** Where checkpoints are kept outside of the database; null for nowhere. */
  checkpointStore: Storage | null
  /** The linker of this process, once it runs. */
  linker: { wake: () => void }
}

export type AuditGround = { database: Database; clock: Clock; secretKey: string; checkpointStore?: Storage | null }

export const auditContext = ({ database, clock, secretKey, checkpointStore = null }: AuditGround): AuditContext => ({
  database,
  clock,
  key: deriveKey(secretKey, 'audit'),
  checkpointKey: deriveKey(secretKey, 'audit checkpoints'),
  checkpointStore,
  linker: { wake() {} },
})

export type NewAuditEntry = {
  actor: { type: AuditActorType; id: string; name: string | null }
  /** The operation id. */
  act: string
  subject: string | null
  requestId: string | null
  address: string | null
  /** What an edit changed, as text. */
  changes?: readonly AuditChange[]
}

export type AuditChange = { field: string; before: string; after: string }

export type AuditEntry = AuditRow

/** Written right before the commit, whenever in the transaction it is called, and after the events. */
export const recordAudit = (context: AuditContext, tx: Tx, orgId: OrgId, entry: NewAuditEntry): void =>
  recordAudits(context, tx, orgId, [entry])

/** As `recordAudit`, for the acts of several requests that share a transaction. */
export function recordAudits(context: AuditContext, tx: Tx, orgId: OrgId, entries: readonly NewAuditEntry[]): void {
  const at = new Date(context.clock.now())
  tx.atEnd(writeEntries, ...entries.map((entry) => authenticated(context.key, entry, { orgId, at })))
  tx.afterCommit(() => context.linker.wake())
}

/** The heads of several organizations are taken in one order everywhere. */
async function writeEntries(queries: Queries, entries: AuthenticatedEntry[]): Promise<void> {
  const byOrg = Map.groupBy(entries, ({ org_id }) => org_id)
  const inOrder = [...byOrg].sort(([one], [other]) => (one < other ? -1 : 1))
  await Promise.all(inOrder.map(([orgId, rows]) => insertAuditEntries(queries, orgId, rows)))
}

function authenticated(key: Uint8Array, entry: NewAuditEntry, { orgId, at }: { orgId: OrgId; at: Date }) {
  const content = {
    org_id: orgId,
    at,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    actor_name: entry.actor.name,
    act: entry.act,
    subject: entry.subject,
    request_id: entry.requestId,
    address: entry.address,
    changes: entry.changes === undefined || entry.changes.length === 0 ? null : JSON.stringify(entry.changes),
  }
  return { ...content, mac: newMacOf(key, content) }
}

const NONCE_BYTES = 9

type Content = Omit<AuthenticatedEntry, 'mac'>

/** As arrays, so that no two entries are written alike. */
const contentOf = (row: Content) => [
  row.at.toISOString(),
  row.actor_type,
  row.actor_id,
  row.actor_name,
  row.act,
  row.subject,
  row.request_id,
  row.address,
  // An object, so that it cannot be taken for the mac. Entries without changes are hashed as before there were any.
  ...(row.changes == null ? [] : [{ changes: row.changes }]),
]

const keyedHash = (key: Uint8Array, parts: readonly unknown[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')

/** For an entry that another key authenticated. */
export const newMacOf = (key: Uint8Array, row: Content): string =>
  macOf(key, row, randomBytes(NONCE_BYTES).toString('base64url'))

/** The nonce is in it, so that no two entries have the same and a copy of an entry shows as one. */
const macOf = (key: Uint8Array, row: Content, nonce: string): string =>
  `${nonce}.${keyedHash(key, ['entry', nonce, row.org_id, ...contentOf(row)])}`

export const isAuthentic = (key: Uint8Array, row: AuthenticatedEntry): boolean =>
  row.mac !== null && isSameSecret(macOf(key, row, row.mac.split('.')[0] as string), row.mac)

/** The hash in the chain. `marks` is empty but for entries that the linker found forged. */
export const hashOf = (
  key: Uint8Array,
  row: Omit<AuditRow, 'hash' | 'previous_hash'> & { previous_hash: string },
  marks: readonly string[] = [],
): string =>
  keyedHash(key, [
    row.previous_hash,
    row.org_id,
    row.sequence,
    ...contentOf(row),
    ...(row.mac === null ? [] : [row.mac]),
    ...marks,
  ])

/** Records an entry for a caller that has no transaction, or whose transaction has ended. */
export const recordAuditAlone = (context: AuditContext, orgId: OrgId, entry: NewAuditEntry): Promise<void> =>
  context.database.transaction(async (tx) => recordAudit(context, tx, orgId, entry))

/**
 * `isEntered` runs behind a lock, so that of several simultaneous calls the first creates the entry and the others find
 * it.
 */
export const recordAuditUnless = (
  context: AuditContext,
  orgId: OrgId,
  { entry, isEntered }: { entry: NewAuditEntry; isEntered: (tx: Tx) => Promise<boolean> },
): Promise<void> =>
  context.database.transaction(async (tx) => {
    await lockEnteringOnce(tx, orgId)
    if (!(await isEntered(tx))) recordAudit(context, tx, orgId, entry)
  })

export const listAuditEntries = (queries: Queries, orgId: OrgId, filter: AuditFilter): Promise<AuditEntry[]> =>
  listRows(queries, orgId, filter)

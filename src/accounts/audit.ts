import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import {
  type AuditActorType,
  type AuditFilter,
  type AuditRow,
  findAuditHead,
  insertAuditEntries,
  listAuditEntriesAfter,
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
 * changed, taken out or put in between breaks the chain at that place; one cut off at the end disagrees with the head.
 * Recorded where the act is done: in its transaction where it has one, so that one is not there without the other.
 */
export type AuditContext = { database: Database; clock: Clock; key: Uint8Array }

export const auditContext = ({
  database,
  clock,
  secretKey,
}: {
  database: Database
  clock: Clock
  secretKey: string
}): AuditContext => ({ database, clock, key: deriveKey(secretKey, 'audit') })

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
  { orgId, at, before }: { orgId: OrgId; at: Date; before: Place },
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
const hashOf = (key: Uint8Array, row: Omit<AuditRow, 'hash'>): string =>
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

export type ChainVerdict = {
  isIntact: boolean
  /** How many entries were looked at and found sound. */
  entries: number
  /** The first place at which the chain does not hold. */
  brokenAt: number | null
  /** Not everything could be looked at in time. */
  isPartial: boolean
}

const STEP = 1000

/** From the first entry on, for as long as there is time. */
export async function verifyChain(
  { database, key }: Pick<AuditContext, 'database' | 'key'>,
  orgId: OrgId,
  { timeMsMax = Number.POSITIVE_INFINITY }: { timeMsMax?: number } = {},
): Promise<ChainVerdict> {
  const deadline = performance.now() + timeMsMax
  const head = (await findAuditHead(database, orgId)) ?? { last_sequence: 0, last_hash: '' }
  let [sequence, hash] = [0, '']
  for (;;) {
    const rows = await listAuditEntriesAfter(database, orgId, { after: sequence, limit: STEP })
    for (const row of rows) {
      if (!isNext(key, row, { sequence, hash }))
        return { isIntact: false, entries: sequence, brokenAt: sequence + 1, isPartial: false }
      ;[sequence, hash] = [row.sequence, row.hash]
    }
    if (rows.length < STEP) return endOf(head, { sequence, hash })
    if (performance.now() > deadline) return { isIntact: true, entries: sequence, brokenAt: null, isPartial: true }
  }
}

type Place = { sequence: number; hash: string }

function isNext(key: Uint8Array, row: AuditRow, before: Place): boolean {
  if (row.sequence !== before.sequence + 1 || row.previous_hash !== before.hash) return false
  const [expected, given] = [Buffer.from(hashOf(key, row)), Buffer.from(row.hash)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** Entries may have been added while we read; fewer than the head says, or another end, must not be. */
function endOf(head: { last_sequence: number; last_hash: string }, { sequence, hash }: Place): ChainVerdict {
  const isIntact = sequence > head.last_sequence || (sequence === head.last_sequence && hash === head.last_hash)
  return { isIntact, entries: sequence, brokenAt: isIntact ? null : sequence + 1, isPartial: false }
}

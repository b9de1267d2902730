import type { Clock } from '../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../kernel/ids.ts'
import { ensurePartitions, type PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { databaseCode } from '../platform/database/database-errors.ts'
import { createGroupCommit } from '../platform/database/group-commit.ts'
import {
  insertJournal,
  type JournalRow,
  listJournalById,
  markJournalApplied,
  type NewJournalRow,
} from './journal.sql.ts'
import { inboundLaneOf } from './number-lanes.ts'

/**
 * The journal: every inbound batch as it arrived, before anything is made of it, together with the work of applying it.
 *
 *   arrived ──▶ journaled, work in the outbox (one commit) ──▶ answered 200 ──▶ applied | applied with a problem
 *
 * Batches that arrive at the same time share a commit. Large ones go alone, so that a group never grows past a few
 * megabytes.
 */
export type JournalEntry = JournalRow

/** The job that applies a batch. Its entry has the journal's id, and `{ number_id }` as payload. */
export const APPLY_JOB = 'messages.apply'

export const journalTable: PartitionedTable = { table: 'channel_journal', idPrefix: 'jrn', retentionDays: 14 }

export type JournaledNumber = { orgId: OrgId; id: string }

const newRow = (number: JournaledNumber, body: Uint8Array, nowMs: number): NewJournalRow => ({
  org_id: number.orgId,
  id: newId('jrn', nowMs),
  number_id: number.id as Id<'num'>,
  body,
})

const writeRows = (queries: Queries, rows: readonly NewJournalRow[]) =>
  insertJournal(queries, rows, { job: APPLY_JOB, laneIds: rows.map((row) => inboundLaneOf(row.number_id)) })

/** In the caller's transaction. Ring the number's inbound lane after the commit. */
export async function appendToJournal(
  tx: Tx,
  number: JournaledNumber,
  { body, nowMs }: { body: Uint8Array; nowMs: number },
): Promise<Id<'jrn'>> {
  const row = newRow(number, body, nowMs)
  await writeRows(tx, [row])
  return row.id
}

/** In the order they arrived. */
export const listJournaled = (queries: Queries, orgId: OrgId, ids: readonly string[]): Promise<JournalEntry[]> =>
  listJournalById(queries, orgId, [...ids])

export const markApplied = (
  queries: Queries,
  applied: readonly { orgId: OrgId; id: string; problem: string | null }[],
  now: Date,
): Promise<number> => (applied.length === 0 ? Promise.resolve(0) : markJournalApplied(queries, applied, now))

export type JournalWriter = {
  /** Resolves once it is durable. */
  write(number: JournaledNumber, body: Uint8Array): Promise<Id<'jrn'>>
  drain(): Promise<void>
}

const SHARED_BYTES_MAX = 64 * 1024
const SHARED_ITEMS_MAX = 64
const NO_PARTITION = '23514'

export function createJournalWriter(options: { database: Database; clock: Clock }): JournalWriter {
  const { database, clock } = options
  /** A process that slept through its timers finds the day missing; the partition is made on the spot. */
  const store = async (rows: readonly NewJournalRow[]) => {
    try {
      await writeRows(database, rows)
    } catch (error) {
      if (databaseCode(error) !== NO_PARTITION) throw error
      await ensurePartitions(database, journalTable, clock.now())
      await writeRows(database, rows)
    }
  }
  const group = createGroupCommit<NewJournalRow, Id<'jrn'>>({
    name: 'channel journal',
    repeatable: true,
    batchItemsMax: SHARED_ITEMS_MAX,
    async write(rows) {
      await store(rows)
      return rows.map((row) => ({ ok: true, value: row.id }))
    },
  })
  return {
    async write(number, body) {
      const row = newRow(number, body, clock.now())
      if (body.byteLength <= SHARED_BYTES_MAX) return group.submit(row)
      await store([row])
      return row.id
    },
    drain: group.drain,
  }
}

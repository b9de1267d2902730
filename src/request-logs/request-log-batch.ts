import { type Id, idTime, type OrgId } from '../kernel/ids.ts'
import { ensurePartitions, type PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database } from '../platform/database/database.ts'
import { databaseCode, isDatabaseUnavailable, isUniqueViolation } from '../platform/database/database-errors.ts'
import type { Page } from './request-log-pages.ts'
import { copyRequestLogs } from './request-logs.sql.ts'

/**
 * One page that is being written to the table. It is stored as a whole or not at all, so after a failure:
 *
 *   the database is away       the same batch is tried again later. It may have been stored although the connection broke;
 *                              then the next try finds these rows in the table, which counts as success.
 *   a partition is missing     it is created, and the batch is tried once more
 *   a row is refused           the batch is halved until it holds only that row, and only that row is dropped
 *   anything else              the batch is dropped: it would fail for ever and block all batches after it
 */
export type Batch = {
  lines: Line[]
  /** An earlier try ended without an answer, so the rows may be there already. */
  isMaybeStored: boolean
}

/** A batch row as a line for COPY. */
type Line = { orgId: OrgId; id: Id<'req'>; calls: number; text: string }

/** In calls. `error` is the last reason why something was given up. */
export type BatchOutcome = { written: number; refused: number; error: unknown }

export const callsIn = ({ lines }: Batch) => lines.reduce((sum, line) => sum + line.calls, 0)

/** Writing out yields to requests whenever it has taken this long; a page of large bodies would block them otherwise. */
const SLICE_MS = 2

export async function prepareBatch({ rows }: Page): Promise<Batch> {
  const lines: Line[] = []
  let sliceStartedAt = performance.now()
  for (const row of rows) {
    const writing = row.write()
    let step = writing.next()
    while (true) {
      if (performance.now() - sliceStartedAt >= SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        sliceStartedAt = performance.now()
      }
      if (step.done) break
      step = writing.next()
    }
    lines.push({ orgId: row.orgId, id: row.newestId, calls: row.calls, text: step.value })
  }
  return { lines, isMaybeStored: false }
}

/** Throws when the database is away, and only then. */
export const writeBatch = (database: Database, batch: Batch): Promise<BatchOutcome> =>
  database.isSharded() ? writeByOrganization(database, batch) : writeLines(database, batch)

/** In a cluster each organization has its node. The logs of one whose node is away are dropped: those of others do not wait for it. */
async function writeByOrganization(database: Database, { lines, isMaybeStored }: Batch): Promise<BatchOutcome> {
  const outcomes: BatchOutcome[] = []
  const away: BatchOutcome[] = []
  for (const ofOne of Map.groupBy(lines, ({ orgId }) => orgId).values()) {
    const batch = { lines: ofOne, isMaybeStored }
    try {
      outcomes.push(await writeLines(database, batch))
    } catch (error) {
      away.push({ written: 0, refused: callsIn(batch), error })
    }
  }
  if (outcomes.length === 0 && away[0] !== undefined) throw away[0].error
  return [...outcomes, ...away].reduce(sumOf, NOTHING)
}

const NOTHING: BatchOutcome = { written: 0, refused: 0, error: null }

const sumOf = (first: BatchOutcome, second: BatchOutcome): BatchOutcome => ({
  written: first.written + second.written,
  refused: first.refused + second.refused,
  error: second.error ?? first.error,
})

async function writeLines(database: Database, batch: Batch): Promise<BatchOutcome> {
  const { lines, isMaybeStored } = batch
  const calls = callsIn(batch)
  const stored = { written: calls, refused: 0, error: null }
  batch.isMaybeStored = true
  try {
    await copyWithPartitions(database, lines)
    return stored
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (isUniqueViolation(error) && (isMaybeStored || lines.length === 1)) return stored
    batch.isMaybeStored = false
    if (!isRowAtFault(error) || lines.length === 1) return { written: 0, refused: calls, error }
    return writeHalves(database, lines)
  }
}

/** Data exceptions and broken constraints. */
const isRowAtFault = (error: unknown) => /^2[23]/.test(databaseCode(error) ?? '')

async function writeHalves(database: Database, lines: Line[]): Promise<BatchOutcome> {
  const middle = lines.length >> 1
  const first = await writeLines(database, { lines: lines.slice(0, middle), isMaybeStored: false })
  return sumOf(first, await writeLines(database, { lines: lines.slice(middle), isMaybeStored: false }))
}

async function copyWithPartitions(database: Database, lines: Line[]): Promise<void> {
  const text = lines.map((line) => line.text).join('')
  try {
    await copyRequestLogs(database, text)
  } catch (error) {
    // The table has no check constraints: a row that breaks one found no partition.
    if (databaseCode(error) !== '23514') throw error
    await ensurePartitionsFor(
      database,
      lines.map((line) => line.id),
    )
    await copyRequestLogs(database, text)
  }
}

export const requestLogsTable = (retentionDays: number): PartitionedTable => ({
  table: 'request_logs',
  idPrefix: 'req',
  retentionDays,
})

/**
 * Creates partitions on demand, for rows that have none: the process may have slept through its timers, or its clock may have
 * jumped. The maintenance that all partitioned tables share creates the others ahead of time.
 */
export async function ensurePartitionsFor(database: Database, ids: Iterable<Id<'req'>>): Promise<void> {
  const table = requestLogsTable(Number.POSITIVE_INFINITY)
  const days = new Map([...ids].map((id) => [idTime(id).toISOString().slice(0, 10), idTime(id).getTime()]))
  for (const timeMs of days.values()) await ensurePartitions(database, table, timeMs)
}

import type { Id } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { databaseCode, isDatabaseUnavailable, isUniqueViolation } from '../platform/database/database-errors.ts'
import { lineOf } from './request-log-line.ts'
import type { Page } from './request-log-pages.ts'
import { ensurePartitionsFor } from './request-log-partitions.ts'
import { copyRequestLogs } from './request-logs.sql.ts'

/**
 * One page on its way into the table. It is stored as a whole or not at all, so after a failure:
 *
 *   the database is away       nothing is decided; the same batch is tried again later. It may have been stored although
 *                              the connection broke; then the next try meets its own rows, and that is success.
 *   a partition is missing     it is made, and the batch is tried once more
 *   a row is refused           the batch is halved until the row stands alone, and only that row is given up
 *   anything else              the batch is given up: it would fail for ever and hold up all that come after it
 */
export type Batch = {
  rows: number
  lines: Buffer
  /** An earlier try ended without an answer, so the rows may be there already. */
  isMaybeStored: boolean
}

/** `error` is the last reason why something was given up. */
export type BatchOutcome = { written: number; refused: number; error: unknown }

/** Masking yields to requests whenever it has taken this long; a page of large bodies would block them otherwise. */
const SLICE_MS = 2

export async function prepareBatch({ rows, lines, linesBytes, unmasked }: Page): Promise<Batch> {
  const plain = lines.subarray(0, linesBytes)
  if (unmasked.length === 0) return { rows, lines: plain, isMaybeStored: false }
  let masked = ''
  let sliceStartedAt = performance.now()
  for (const entry of unmasked) {
    masked += lineOf(entry)
    if (performance.now() - sliceStartedAt < SLICE_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    sliceStartedAt = performance.now()
  }
  return { rows, lines: Buffer.concat([plain, Buffer.from(masked)]), isMaybeStored: false }
}

/** Throws when the database is away, and only then. */
export async function writeBatch(database: Database, batch: Batch): Promise<BatchOutcome> {
  const { rows, isMaybeStored } = batch
  const stored = { written: rows, refused: 0, error: null }
  batch.isMaybeStored = true
  try {
    await copyWithPartitions(database, batch.lines)
    return stored
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (isUniqueViolation(error) && (isMaybeStored || rows === 1)) return stored
    batch.isMaybeStored = false
    if (!isRowAtFault(error) || rows === 1) return { written: 0, refused: rows, error }
    return writeHalves(database, batch)
  }
}

/** Data exceptions and broken constraints. */
const isRowAtFault = (error: unknown) => /^2[23]/.test(databaseCode(error) ?? '')

/** A line break inside a value is escaped, so every line is a row. */
const textLines = (lines: Buffer) => lines.toString().split('\n').slice(0, -1)

async function writeHalves(database: Database, batch: Batch): Promise<BatchOutcome> {
  const lines = textLines(batch.lines)
  const middle = lines.length >> 1
  const first = await writeBatch(database, batchOf(lines.slice(0, middle)))
  const second = await writeBatch(database, batchOf(lines.slice(middle)))
  return {
    written: first.written + second.written,
    refused: first.refused + second.refused,
    error: second.error ?? first.error,
  }
}

const batchOf = (lines: string[]): Batch => ({
  rows: lines.length,
  lines: Buffer.from(lines.map((line) => `${line}\n`).join('')),
  isMaybeStored: false,
})

async function copyWithPartitions(database: Database, lines: Buffer): Promise<void> {
  try {
    await copyRequestLogs(database, lines)
  } catch (error) {
    // The table has no check constraints: a row that breaks one found no partition.
    if (databaseCode(error) !== '23514') throw error
    await ensurePartitionsFor(database, idsIn(lines))
    await copyRequestLogs(database, lines)
  }
}

const idsIn = (lines: Buffer) => textLines(lines).map((line) => line.split('\t', 2)[1] as Id<'req'>)

import { idTime } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { databaseCode, isDatabaseUnavailable, isUniqueViolation } from '../platform/database/database-errors.ts'
import type { RequestLogEntry } from './request-log-entry.ts'
import { lineOf } from './request-log-line.ts'
import { ensureRequestLogPartitions } from './request-log-maintenance.ts'
import { copyRequestLogs } from './request-logs.sql.ts'

/**
 * One batch on its way into the table. It is stored as a whole or not at all, so after a failure:
 *
 *   the database is away       nothing is decided; the same batch is tried again later. It may have been stored although
 *                              the connection broke; then the next try meets its own rows, and that is success.
 *   a partition is missing     it is made, and the batch is tried once more
 *   a row is refused           the batch is halved until the row stands alone, and only that row is given up
 *   anything else              the batch is given up: it would fail for ever and hold up all that come after it
 */
export type Batch = {
  entries: RequestLogEntry[]
  text: string
  /** An earlier try ended without an answer, so the rows may be there already. */
  isMaybeStored: boolean
}

/** `error` is the last reason why something was given up. */
export type BatchOutcome = { written: number; refused: number; error: unknown }

/** Serialising yields to requests whenever it has taken this long; a batch of large bodies would block them otherwise. */
const SLICE_MS = 2
/** Looking at the clock costs a tenth of a plain row, so it is done once per so many of them, or per large body. */
const SLICE_CHARACTERS = 4096

export async function prepareBatch(entries: RequestLogEntry[]): Promise<Batch> {
  let text = ''
  let charactersTimed = 0
  let sliceStartedAt = performance.now()
  for (const entry of entries) {
    text += lineOf(entry)
    if (text.length - charactersTimed < SLICE_CHARACTERS) continue
    charactersTimed = text.length
    if (performance.now() - sliceStartedAt < SLICE_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    sliceStartedAt = performance.now()
  }
  return { entries, text, isMaybeStored: false }
}

/** Throws when the database is away, and only then. */
export async function writeBatch(database: Database, batch: Batch): Promise<BatchOutcome> {
  const { entries, isMaybeStored } = batch
  const stored = { written: entries.length, refused: 0, error: null }
  batch.isMaybeStored = true
  try {
    await copyWithPartitions(database, batch)
    return stored
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (isUniqueViolation(error) && (isMaybeStored || entries.length === 1)) return stored
    batch.isMaybeStored = false
    if (!isRowAtFault(error) || entries.length === 1) return { written: 0, refused: entries.length, error }
    return writeHalves(database, entries)
  }
}

/** Data exceptions and broken constraints. */
const isRowAtFault = (error: unknown) => /^2[23]/.test(databaseCode(error) ?? '')

async function writeHalves(database: Database, entries: RequestLogEntry[]): Promise<BatchOutcome> {
  const middle = entries.length >> 1
  const first = await writeBatch(database, await prepareBatch(entries.slice(0, middle)))
  const second = await writeBatch(database, await prepareBatch(entries.slice(middle)))
  return {
    written: first.written + second.written,
    refused: first.refused + second.refused,
    error: second.error ?? first.error,
  }
}

async function copyWithPartitions(database: Database, { entries, text }: Batch): Promise<void> {
  try {
    await copyRequestLogs(database, text)
  } catch (error) {
    // The table has no check constraints: a row that breaks one found no partition.
    if (databaseCode(error) !== '23514') throw error
    const days = new Map(entries.map((entry) => [idTime(entry.id).toISOString().slice(0, 10), idTime(entry.id)]))
    for (const time of days.values()) await ensureRequestLogPartitions(database, time.getTime())
    await copyRequestLogs(database, text)
  }
}

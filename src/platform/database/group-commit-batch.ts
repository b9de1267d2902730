import { itemAt } from '../../kernel/lists.ts'
import { activeSpan, beginSpan, isTracing, runIn, type Span } from '../telemetry/spans.ts'
import { databaseCode, isConnectionFailure, isDatabaseUnavailable, isSerializationFailure } from './database-errors.ts'

/**
 * Writes one batch of a group commit so that every item gets a separate outcome. What happens when the write
 * fails as a whole depends on what the failure says about the rows:
 *
 *   undone, bad luck       serialization failure, deadlock        → the same batch again, after a pause
 *   undone, someone's fault constraint, bad value, lock timeout    → split in two, first half first, down to the culprit
 *   undone, no capacity    disk full, statement timeout, …        → everyone gets the error; trying again adds load
 *   unknown                connection lost, a bug in the write    → again (or split) only if the write is repeatable
 *
 * Only the last line can store an item twice, which is why it asks for the writer's word that a repetition is harmless.
 */
export type Outcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown }

export type WriteItems<Item, Result> = (items: Item[]) => Promise<Outcome<Result>[]>

export type Entry<Item, Result> = {
  item: Item
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}

export type BatchCounts = { itemsWritten: number; itemsFailed: number; batchesRepeated: number; batchesSplit: number }

export type BatchWriter<Item, Result> = {
  write: WriteItems<Item, Result>
  repeatable: boolean
  counts: BatchCounts
}

const TRIES_MAX = 8
const REPEAT_DELAY_MS_FIRST = 10
const REPEAT_DELAY_MS_MAX = 1_000

/** Settles every entry and never throws. */
export async function writeBatch<Item, Result>(
  writer: BatchWriter<Item, Result>,
  entries: Entry<Item, Result>[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const failure = await tryBatch(writer, entries)
    if (failure === null) return
    const remedy = chooseRemedy(failure.error, writer.repeatable)
    if (remedy === 'split' && entries.length > 1) return splitBatch(writer, entries)
    if (remedy !== 'repeat' || tries >= TRIES_MAX) return rejectAll(writer, entries, failure.error)
    writer.counts.batchesRepeated += 1
    await pauseBeforeRepeat(tries)
  }
}

async function tryBatch<Item, Result>(
  writer: BatchWriter<Item, Result>,
  entries: Entry<Item, Result>[],
): Promise<{ error: unknown } | null> {
  let outcomes: Outcome<Result>[]
  try {
    outcomes = await writer.write(entries.map((entry) => entry.item))
  } catch (error) {
    return { error }
  }
  settleAll(writer, entries, outcomes)
  return null
}

function settleAll<Item, Result>(
  writer: BatchWriter<Item, Result>,
  entries: Entry<Item, Result>[],
  outcomes: Outcome<Result>[],
): void {
  if (outcomes.length !== entries.length) {
    // It is unknown which outcome is missing, and the rows are already stored: assigning outcomes by position would be wrong.
    const error = new Error(`a group commit of ${entries.length} items answered with ${outcomes.length} outcomes`)
    rejectAll(writer, entries, error)
    return
  }
  entries.forEach((entry, index) => {
    const outcome = itemAt(outcomes, index)
    if (outcome.ok) {
      writer.counts.itemsWritten += 1
      entry.resolve(outcome.value)
    } else {
      writer.counts.itemsFailed += 1
      entry.reject(outcome.error)
    }
  })
}

function rejectAll<Item, Result>(
  writer: BatchWriter<Item, Result>,
  entries: Entry<Item, Result>[],
  error: unknown,
): void {
  writer.counts.itemsFailed += entries.length
  for (const entry of entries) entry.reject(error)
}

/** One after the other, never side by side: the first half may hold earlier items of a key in the second. */
async function splitBatch<Item, Result>(
  writer: BatchWriter<Item, Result>,
  entries: Entry<Item, Result>[],
): Promise<void> {
  writer.counts.batchesSplit += 1
  const middle = entries.length >> 1
  await writeBatch(writer, entries.slice(0, middle))
  await writeBatch(writer, entries.slice(middle))
}

type Remedy = 'repeat' | 'split' | 'fail'

const LOCK_TIMEOUT = '55P03'
const COMMIT_UNKNOWN_CODES = new Set(['08007', '40003'])

function chooseRemedy(error: unknown, repeatable: boolean): Remedy {
  if (isSerializationFailure(error)) return 'repeat'
  if (isConnectionFailure(error) || COMMIT_UNKNOWN_CODES.has(databaseCode(error) ?? '')) {
    return repeatable ? 'repeat' : 'fail'
  }
  // A writer that sets lock_timeout wants the item behind the lock found; a statement timeout would cost its full
  // length at every level of the search, with the innocent half waiting behind it.
  if (isDatabaseUnavailable(error) && databaseCode(error) !== LOCK_TIMEOUT) return 'fail'
  return isRefusedByServer(error) || repeatable ? 'split' : 'fail'
}

/** An SQLSTATE means the server undid the statement. Codes of the operating system have no digit (EPIPE). */
function isRefusedByServer(error: unknown): boolean {
  const code = databaseCode(error) ?? ''
  return /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code)
}

/** Random, so that batches which collided do not collide again. */
function pauseBeforeRepeat(tries: number): Promise<void> {
  const delayMs = Math.min(REPEAT_DELAY_MS_MAX, REPEAT_DELAY_MS_FIRST * 2 ** tries) * (0.5 + Math.random() / 2)
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

/**
 * The spans of a group commit. Each item has one in the trace of its request, from the moment it is handed in until it is settled.
 * The write of a batch is a child of its first item's; the others link to it, and it links to them.
 */
const COMMIT = { kind: 'internal', attributes: { 'db.system.name': 'postgresql' } } as const

const spans = new WeakMap<object, Span>()

/** The span of an item that is being written; null unless its request is traced. */
export const commitSpanOf = (item: unknown): Span | null =>
  isTracing() && isObject(item) ? (spans.get(item) ?? null) : null

const isObject = (item: unknown): item is object => typeof item === 'object' && item !== null

/** Begins the span of an item; the promise ends it. */
export function traceItem<Result>(name: string, item: unknown, settled: Promise<Result>): void {
  const parent = activeSpan()
  const span = parent === null || !isObject(item) ? null : beginSpan(`group commit ${name}`, { ...COMMIT, parent })
  if (span === null || !isObject(item)) return
  spans.set(item, span)
  settled.then(
    () => span.end(),
    () => {
      span.fail('refused')
      span.end()
    },
  )
}

export function traceBatch<Result>(
  name: string,
  items: readonly unknown[],
  write: () => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return write()
  const [first, ...others] = items.flatMap((item) => commitSpanOf(item) ?? [])
  const batch = first === undefined ? null : beginSpan(`write ${name}`, { ...COMMIT, parent: first })
  batch?.describe({ 'db.operation.batch.size': items.length })
  for (const other of others) {
    batch?.link(other.traceparent)
    if (batch !== null) other.link(batch.traceparent)
  }
  return runIn(batch, write)
}

import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { type Batch, type BatchOutcome, callsIn, prepareBatch, writeBatch } from './request-log-batch.ts'
import { createPages, type Page, type Pages } from './request-log-pages.ts'

/**
 * Writes request logs to the table, off the path of the request: recording a call adds it to a page in memory.
 *
 *   on a page → in a batch → written
 *             ↘ dropped     (memory was full and newer ones came, the database refused the row, or the process stopped)
 *
 * A page leaves when it is full, with four thousand calls, or when its oldest has waited for flushMs. There is one batch at
 * a time. While the database is away the batch is kept and tried again, ever less often; behind it the newest pages are
 * kept. The log reports when trouble begins and ends, not every row: it begins with a failed write or the first
 * dropped call, and ends when no full page is left.
 */
type RequestLogWriter = {
  /** Never waits and never throws. */
  record(exchange: Exchange): void
  /** Tries to write everything that waits now. Does not throw: what could not be written waits on. */
  flush(): Promise<void>
  start(): void
  /** Writes what waits, for as long as stopMsMax; what is left then is dropped. */
  stop(): Promise<void>
  stats(): { queued: number; written: number; dropped: number }
}

export type RequestLogWriterOptions = {
  database: Database
  clock: Clock
  log: Log
  queueCallsMax?: number
  queueBytesMax?: number
  flushMs?: number
  batchCallsMax?: number
  /** A write that takes longer counts as failed: a connection can die without an error. */
  writeMsMax?: number
  stopMsMax?: number
}

const defaults = {
  queueCallsMax: 20_000,
  queueBytesMax: 16 * 1024 * 1024,
  flushMs: 250,
  batchCallsMax: 4000,
  writeMsMax: 30_000,
  stopMsMax: 5000,
}

const RETRY_MS_MAX = 5000

export function createRequestLogWriter(options: RequestLogWriterOptions): RequestLogWriter {
  const writer = new Writer({ ...defaults, ...options })
  return {
    record: (exchange) => writer.record(exchange),
    flush: () => writer.flush(),
    start: () => writer.start(),
    stop: () => writer.stop(),
    stats: () => writer.stats(),
  }
}

class Writer {
  readonly #options: RequestLogWriterOptions & typeof defaults
  readonly #pages: Pages
  #batch: Batch | null = null
  #written = 0
  #dropped = 0
  #trouble: { sinceMs: number; droppedBefore: number } | null = null
  #failuresInARow = 0
  #isStarted = false
  #isBusy = false
  /** Draining happens one after the other. */
  #drained: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(options: RequestLogWriterOptions & typeof defaults) {
    this.#options = options
    this.#pages = createPages({
      callsMax: options.queueCallsMax,
      bytesMax: options.queueBytesMax,
      pageCallsMax: options.batchCallsMax,
    })
  }

  record(exchange: Exchange): void {
    try {
      const dropped = this.#pages.add(exchange)
      if (dropped > 0) this.#drop(dropped, null)
      this.#schedule()
    } catch (error) {
      this.#drop(1, error)
    }
  }

  flush(): Promise<void> {
    this.#drained = this.#drained.then(() => this.#drain(this.#pages.count))
    return this.#drained
  }

  start(): void {
    this.#isStarted = true
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    this.#clearTimer()
    await withinTime(this.flush(), this.#options.stopMsMax).catch(() => {})
    const left = this.stats().queued
    if (left > 0) this.#drop(left, null)
  }

  stats() {
    const queued = this.#pages.calls + (this.#batch === null ? 0 : callsIn(this.#batch))
    return { queued, written: this.#written, dropped: this.#dropped }
  }

  #schedule(): void {
    if (!this.#isStarted || this.#isBusy) return
    if (this.#batch === null && this.#pages.fullCount > 0) {
      this.#isBusy = true
      this.#clearTimer()
      setImmediate(() => this.#work())
    } else if (this.#timer === null && (this.#pages.count > 0 || this.#batch !== null)) {
      this.#timer = setTimeout(() => this.#work(), this.#delayMs())
      this.#timer.unref()
    }
  }

  #delayMs(): number {
    const { flushMs } = this.#options
    return this.#batch === null ? flushMs : Math.min(RETRY_MS_MAX, flushMs * 2 ** Math.min(this.#failuresInARow, 10))
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Writes only full pages when there are any. A timer writes the last page, so that a busy server writes no small pages. */
  #work(): void {
    this.#clearTimer()
    this.#drained = this.#drained.then(() => this.#drain(this.#pages.fullCount || this.#pages.count))
  }

  async #drain(pages: number): Promise<void> {
    this.#isBusy = true
    let left = pages
    do {
      if (this.#batch !== null && !(await this.#writeBatch(this.#batch))) break
      const page = left > 0 ? this.#pages.take() : null
      left -= 1
      if (page !== null) this.#batch = await this.#prepareBatch(page)
    } while (this.#batch !== null || left > 0)
    this.#isBusy = false
    this.#schedule()
  }

  /** A call that cannot be written as text is a bug; it must not stop the calls after it. */
  async #prepareBatch(page: Page): Promise<Batch | null> {
    try {
      return await prepareBatch(page)
    } catch (error) {
      this.#drop(page.calls, error)
      return null
    }
  }

  /** Returns false when the database is away and the batch has to wait. */
  async #writeBatch(batch: Batch): Promise<boolean> {
    const { database, writeMsMax } = this.#options
    try {
      const outcome = await withinTime(writeBatch(database, batch), writeMsMax)
      this.#batch = null
      this.#failuresInARow = 0
      this.#settle(outcome)
      return true
    } catch (error) {
      this.#failuresInARow += 1
      this.#beginTrouble(error)
      return false
    }
  }

  #settle({ written, refused, error }: BatchOutcome): void {
    this.#written += written
    if (refused > 0) this.#drop(refused, error)
    else if (this.#trouble !== null && this.#pages.fullCount === 0) this.#endTrouble(this.#trouble)
  }

  #drop(count: number, error: unknown): void {
    this.#beginTrouble(error)
    this.#dropped += count
  }

  #beginTrouble(error: unknown): void {
    if (this.#trouble !== null) return
    this.#trouble = { sinceMs: this.#options.clock.now(), droppedBefore: this.#dropped }
    this.#options.log.warn(
      { err: error ?? undefined, queued: this.stats().queued },
      'request logs cannot be written as they come; the newest are kept in memory and the oldest dropped',
    )
  }

  #endTrouble({ sinceMs, droppedBefore }: { sinceMs: number; droppedBefore: number }): void {
    this.#trouble = null
    const durationMs = this.#options.clock.now() - sinceMs
    this.#options.log.info(
      { duration_ms: durationMs, dropped: this.#dropped - droppedBefore },
      'request logs are written again',
    )
  }
}

async function withinTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })), timeoutMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

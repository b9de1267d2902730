import { hasBodies, type RequestLogEntry } from './request-log-entry.ts'
import { lineOf } from './request-log-line.ts'

/**
 * What waits to be written, in pages; a page becomes one COPY. A call without bodies is written out at once, into the
 * buffer of the page: under a microsecond, and nothing is left for the garbage collector to follow, which would cost more
 * than that. A call with bodies waits as it is, because masking them takes longer than a caller should wait.
 *
 * Bounded in rows and in bytes. When it is full the oldest page gives way: after an outage the newest calls are the ones
 * somebody will look for.
 */
export type Page = {
  rows: number
  lines: Buffer
  linesBytes: number
  unmasked: RequestLogEntry[]
  unmaskedBytes: number
}

export type Pages = {
  readonly rows: number
  readonly count: number
  /** How many of them will grow no more. */
  readonly fullCount: number
  /** Answers how many old rows were dropped to make room. */
  add(entry: RequestLogEntry): number
  /** The oldest, full or not. */
  take(): Page | null
  /** For a page that is done with: its buffer is used again. */
  release(page: Page): void
}

export type PageLimits = { rowsMax: number; bytesMax: number; pageRowsMax: number }

/** Room for two thousand plain calls of 200 bytes, and some. */
const LINES_BYTES_MAX = 512 * 1024
/** A page with less room than this is full; a line that could be longer (none is, by the limits of its fields) waits. */
const LINE_BYTES_MAX = 64 * 1024
/** Long bodies are cut when they are masked, so less than this goes over the wire. */
const UNMASKED_BYTES_MAX = 2 * 1024 * 1024
/** An entry's object and its short strings. */
const ENTRY_BYTES = 600
const SPARE_BUFFERS_MAX = 2

const entryBytes = (entry: RequestLogEntry) =>
  ENTRY_BYTES +
  entry.fullPath.length +
  entry.query.length +
  (entry.requestBody?.length ?? 0) +
  (entry.responseBody?.length ?? 0)

export const createPages = (limits: PageLimits): Pages => new PageQueue(limits)

class PageQueue implements Pages {
  readonly #limits: PageLimits
  readonly #pages: Page[] = []
  readonly #spareBuffers: Buffer[] = []
  #rows = 0
  #bytes = 0

  constructor(limits: PageLimits) {
    this.#limits = limits
  }

  get rows() {
    return this.#rows
  }

  get count() {
    return this.#pages.length
  }

  get fullCount() {
    const last = this.#pages.at(-1)
    return last === undefined || this.#isFull(last) ? this.#pages.length : this.#pages.length - 1
  }

  add(entry: RequestLogEntry): number {
    const line = hasBodies(entry) ? null : lineOf(entry)
    const page = this.#openPage()
    if (line === null || line.length * 3 > LINE_BYTES_MAX) this.#addUnmasked(page, entry)
    else page.linesBytes += page.lines.write(line, page.linesBytes)
    page.rows += 1
    this.#rows += 1
    return this.#makeRoom()
  }

  take(): Page | null {
    const page = this.#pages.shift()
    if (page === undefined) return null
    this.#rows -= page.rows
    this.#bytes -= LINES_BYTES_MAX + page.unmaskedBytes
    return page
  }

  release(page: Page): void {
    if (this.#spareBuffers.length < SPARE_BUFFERS_MAX) this.#spareBuffers.push(page.lines)
  }

  #isFull(page: Page): boolean {
    return (
      page.rows >= this.#limits.pageRowsMax ||
      page.linesBytes > LINES_BYTES_MAX - LINE_BYTES_MAX ||
      page.unmaskedBytes >= UNMASKED_BYTES_MAX
    )
  }

  #openPage(): Page {
    const last = this.#pages.at(-1)
    if (last !== undefined && !this.#isFull(last)) return last
    const lines = this.#spareBuffers.pop() ?? Buffer.allocUnsafeSlow(LINES_BYTES_MAX)
    const page = { rows: 0, lines, linesBytes: 0, unmasked: [], unmaskedBytes: 0 }
    this.#pages.push(page)
    this.#bytes += LINES_BYTES_MAX
    return page
  }

  #addUnmasked(page: Page, entry: RequestLogEntry): void {
    const bytes = entryBytes(entry)
    page.unmasked.push(entry)
    page.unmaskedBytes += bytes
    this.#bytes += bytes
  }

  #makeRoom(): number {
    const { rowsMax, bytesMax } = this.#limits
    let dropped = 0
    while (this.#pages.length > 1 && (this.#rows > rowsMax || this.#bytes > bytesMax)) {
      const page = this.take() as Page
      dropped += page.rows
      this.release(page)
    }
    return dropped
  }
}

import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import { BatchRowBuilder, slotOf } from './request-log-batch-row.ts'

/**
 * The queue of calls to be written, in pages; a page becomes one COPY of several batch rows.
 *
 * The queue is bounded in calls and in bytes. When it is full, the oldest page is dropped: after an outage the newest calls are
 * the ones that users look for.
 */
export type Page = { calls: number; bytes: number; rows: BatchRowBuilder[] }

export type Pages = {
  readonly calls: number
  readonly count: number
  /** How many pages are full. */
  readonly fullCount: number
  /** Returns how many old calls were dropped to free space. */
  add(exchange: Exchange): number
  /** Takes the oldest page, full or not. */
  take(): Page | null
}

type PageLimits = { callsMax: number; bytesMax: number; pageCallsMax: number }

/** Long bodies are cut when they are masked, so less than this goes over the wire. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** Readers read whole rows, so a row must not be much longer than what is shown at a time. */
const ROW_CALLS_MAX = 500
const ROW_BYTES_MAX = 256 * 1024
/** Owns the calls that belong to no known organization. Not a valid id, so that no organization can ever have it. */
export const NO_ORGANIZATION = 'org_none'

const ownerOf = ({ caller, failedKey }: Exchange) => caller?.orgId ?? failedKey?.orgId ?? NO_ORGANIZATION

export const createPages = (limits: PageLimits): Pages => new PageQueue(limits)

class PageQueue implements Pages {
  readonly #limits: PageLimits
  readonly #pages: Page[] = []
  /** The rows of the last page that are not full: by organization, and by slot too for calls that took long. */
  readonly #open = new Map<string, BatchRowBuilder>()
  #calls = 0
  #bytes = 0

  constructor(limits: PageLimits) {
    this.#limits = limits
  }

  get calls() {
    return this.#calls
  }

  get count() {
    return this.#pages.length
  }

  get fullCount() {
    const last = this.#pages.at(-1)
    return last === undefined || this.#isFull(last) ? this.#pages.length : this.#pages.length - 1
  }

  add(exchange: Exchange): number {
    const page = this.#openPage()
    const bytes = this.#openRow(page, exchange).add(exchange)
    page.calls += 1
    page.bytes += bytes
    this.#calls += 1
    this.#bytes += bytes
    return this.#dropOldest()
  }

  take(): Page | null {
    const page = this.#pages.shift()
    if (page === undefined) return null
    if (this.#pages.length === 0) this.#open.clear()
    this.#calls -= page.calls
    this.#bytes -= page.bytes
    return page
  }

  #isFull(page: Page): boolean {
    return page.calls >= this.#limits.pageCallsMax || page.bytes >= PAGE_BYTES_MAX
  }

  #openPage(): Page {
    const last = this.#pages.at(-1)
    if (last !== undefined && !this.#isFull(last)) return last
    const page = { calls: 0, bytes: 0, rows: [] }
    this.#pages.push(page)
    this.#open.clear()
    return page
  }

  /** Most calls are over in the slot they began in; the key with the slot is for the others. */
  #openRow(page: Page, exchange: Exchange): BatchRowBuilder {
    const { requestId } = exchange
    const orgId = ownerOf(exchange)
    const current = this.#open.get(orgId)
    if (current !== undefined && requestId.startsWith(current.slot) && hasRoom(current)) return current
    const isLate = current !== undefined && requestId < current.slot
    const key = isLate ? `${orgId} ${slotOf(requestId)}` : orgId
    const late = isLate ? this.#open.get(key) : undefined
    if (late !== undefined && hasRoom(late)) return late
    const row = new BatchRowBuilder(orgId, requestId)
    this.#open.set(key, row)
    page.rows.push(row)
    return row
  }

  #dropOldest(): number {
    const { callsMax, bytesMax } = this.#limits
    let dropped = 0
    while (this.#pages.length > 1 && (this.#calls > callsMax || this.#bytes > bytesMax))
      dropped += (this.take() as Page).calls
    return dropped
  }
}

const hasRoom = (row: BatchRowBuilder) => row.calls < ROW_CALLS_MAX && row.bytes < ROW_BYTES_MAX

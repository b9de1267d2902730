import type { Exchange } from '../platform/http/exchange.ts'
import { Sheet, slotOf } from './request-log-sheet.ts'

/**
 * What waits to be written, in pages; a page becomes one COPY, and each sheet on it one row.
 *
 * Bounded in calls and in bytes. When it is full the oldest page gives way: after an outage the newest calls are the ones
 * somebody will look for.
 */
export type Page = { calls: number; bytes: number; sheets: Sheet[] }

export type Pages = {
  readonly calls: number
  readonly count: number
  /** How many of them will grow no more. */
  readonly fullCount: number
  /** Answers how many old calls were dropped to make room. */
  add(exchange: Exchange): number
  /** The oldest, full or not. */
  take(): Page | null
}

export type PageLimits = { callsMax: number; bytesMax: number; pageCallsMax: number }

/** Long bodies are cut when they are masked, so less than this goes over the wire. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** Readers take sheets whole, so a sheet must not be much longer than what is shown at a time. */
const SHEET_CALLS_MAX = 500
const SHEET_BYTES_MAX = 256 * 1024
/** Where calls stand that belong to no known organization. Not a real id, so that no organization can ever be it. */
export const NO_ORGANIZATION = 'org_none'

const ownerOf = ({ caller, failedKey }: Exchange) => caller?.orgId ?? failedKey?.orgId ?? NO_ORGANIZATION

export const createPages = (limits: PageLimits): Pages => new PageQueue(limits)

class PageQueue implements Pages {
  readonly #limits: PageLimits
  readonly #pages: Page[] = []
  /** The sheets of the last page that are not full: by organization, and by slot too for calls that took long. */
  readonly #open = new Map<string, Sheet>()
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
    const bytes = this.#openSheet(page, exchange).add(exchange)
    page.calls += 1
    page.bytes += bytes
    this.#calls += 1
    this.#bytes += bytes
    return this.#makeRoom()
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
    const page = { calls: 0, bytes: 0, sheets: [] }
    this.#pages.push(page)
    this.#open.clear()
    return page
  }

  /** Most calls are over in the slot they began in; the key with the slot is for the others. */
  #openSheet(page: Page, exchange: Exchange): Sheet {
    const { requestId } = exchange
    const orgId = ownerOf(exchange)
    const current = this.#open.get(orgId)
    if (current !== undefined && requestId.startsWith(current.slot) && hasRoom(current)) return current
    const isLate = current !== undefined && requestId < current.slot
    const key = isLate ? `${orgId} ${slotOf(requestId)}` : orgId
    const late = isLate ? this.#open.get(key) : undefined
    if (late !== undefined && hasRoom(late)) return late
    const sheet = new Sheet(orgId, requestId)
    this.#open.set(key, sheet)
    page.sheets.push(sheet)
    return sheet
  }

  #makeRoom(): number {
    const { callsMax, bytesMax } = this.#limits
    let dropped = 0
    while (this.#pages.length > 1 && (this.#calls > callsMax || this.#bytes > bytesMax))
      dropped += (this.take() as Page).calls
    return dropped
  }
}

const hasRoom = (sheet: Sheet) => sheet.calls < SHEET_CALLS_MAX && sheet.bytes < SHEET_BYTES_MAX

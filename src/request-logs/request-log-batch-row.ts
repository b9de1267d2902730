import type { Id, OrgId } from '../kernel/ids.ts'
import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import { clean, cleanBody, cleanHeaders, cleanPath, cleanQuery } from './masking.ts'
import { createKinds, isFixedPath, NO_SIDES } from './request-log-kinds.ts'

/**
 * Builds one batch row of the table: calls of one organization that began in the same slot of time, as
 *
 *   { "ids": […], "figures": […], "own": {…} }
 *
 * "figures" holds three numbers per call (the number of its kind, its duration in µs, the bytes of the answer), and "own" holds
 * by id what only some calls have. Bodies are stored by id in a separate column, which lists do not read.
 *
 * Adding a call pushes its id and its numbers. A call with more content is kept as it is until the row is written, because
 * masking takes longer than a caller should wait.
 */
export class BatchRowBuilder {
  readonly orgId: OrgId
  readonly slot: string
  newestId: Id<'req'>
  errors = 0
  /** Approximate memory use. */
  bytes = 0
  readonly #kinds = createKinds()
  readonly #ids = new IdList()
  readonly #numbers: number[] = []
  readonly #waiting: Exchange[] = []

  constructor(orgId: OrgId, firstId: Id<'req'>) {
    this.orgId = orgId
    this.slot = slotOf(firstId)
    this.newestId = firstId
  }

  get calls(): number {
    return this.#ids.count
  }

  /** Returns by how many bytes the memory use has grown. */
  add(exchange: Exchange): number {
    const { requestId } = exchange
    const kindsBefore = this.#kinds.texts.length
    const kind = this.#kinds.numberOf(exchange)
    let bytes = kind < kindsBefore ? CALL_BYTES : CALL_BYTES + KIND_BYTES
    this.#ids.add(requestId)
    this.#numbers.push(kind, durationUs(exchange), exchange.responseBytes)
    if (!isPlain(exchange)) {
      const kept = withoutUnkeptBodies(exchange)
      this.#waiting.push(kept)
      bytes += exchangeBytes(kept)
    }
    if (exchange.status >= 400) this.errors += 1
    if (requestId > this.newestId) this.newestId = requestId
    this.bytes += bytes
    return bytes
  }

  /** Writes the line for COPY. Yields after every masked call, so that the writer can let requests run in between. */
  *write(): Generator<void, string> {
    const own: Record<string, object> = {}
    const bodies: Record<string, object> = {}
    for (const exchange of this.#waiting) {
      own[exchange.requestId] = ownParts(exchange)
      const sides = bothSides(exchange)
      if (sides !== null) bodies[exchange.requestId] = sides
      yield
    }
    const { orgId, newestId, calls, errors } = this
    const kinds = field(`[${this.#kinds.texts.join(',')}]`)
    const ownText = isEmpty(own) ? '' : `,"own":${field(JSON.stringify(own))}`
    // Ids and numbers hold no character that COPY interprets.
    const lists = `{"ids":[${this.#ids.text()}],"figures":${JSON.stringify(this.#numbers)}${ownText}}`
    const bodiesText = isEmpty(bodies) ? ABSENT : field(JSON.stringify(bodies))
    return `${orgId}\t${newestId}\t${calls}\t${errors}\t${kinds}\t${lists}\t${bodiesText}\n`
  }
}

const ID_CHARACTERS = 'req_'.length + 26
/** With its quotes and a comma. */
const ENTRY_BYTES = ID_CHARACTERS + 3
const [QUOTE, COMMA] = [0x22, 0x2c]

/**
 * Ids as the inside of a list in JSON, written as they are added. Kept as texts, thousands of them would be read from scattered
 * memory when the row is written: a twentieth of what a short request costs.
 */
class IdList {
  count = 0
  #bytes = Buffer.allocUnsafe(8 * ENTRY_BYTES)

  add(id: Id<'req'>): void {
    if (id.length !== ID_CHARACTERS) throw new RangeError(`the id of a request has ${ID_CHARACTERS} characters: ${id}`)
    const start = this.count * ENTRY_BYTES
    if (start === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * start)
    this.#bytes[start] = QUOTE
    this.#bytes.write(id, start + 1, 'latin1')
    this.#bytes[start + ENTRY_BYTES - 2] = QUOTE
    this.#bytes[start + ENTRY_BYTES - 1] = COMMA
    this.count += 1
  }

  text(): string {
    return this.#bytes.toString('latin1', 0, Math.max(0, this.count * ENTRY_BYTES - 1))
  }
}

const isEmpty = (parts: object) => Object.keys(parts).length === 0

/**
 * Ids begin with their time: `req_` and ten characters of five bits each. Without the last two that is a slot of 1,024 ms,
 * so all calls of a row lie within one slot, and the rows of a slot hold all its calls.
 */
const SLOT_CHARACTERS = 12
export const slotOf = (id: string) => id.slice(0, SLOT_CHARACTERS)

const CALL_BYTES = 100
const WAITING_CALL_BYTES = 2000
const KIND_BYTES = 1000

const exchangeBytes = ({ fullPath, query, requestBody, responseBody }: Exchange) =>
  WAITING_CALL_BYTES + fullPath.length + query.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0)

/** What an integer holds: 35 minutes. */
const DURATION_US_MAX = 2_147_483_647
const durationUs = ({ durationMs }: Exchange) => Math.min(Math.round(durationMs * 1000), DURATION_US_MAX)

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
/** Bodies and headers are kept of writes and of errors. */
const keepsBodies = ({ method, status }: Exchange) => status >= 400 || !isRead(method)

const isPlain = (exchange: Exchange) =>
  !keepsBodies(exchange) &&
  isFixedPath(exchange) &&
  exchange.query === '' &&
  exchange.clientRequestId === null &&
  exchange.idempotencyKey === null &&
  !exchange.isReplayed &&
  exchange.requestBytes === 0 &&
  exchange.errorDetail === null

/** A body that will not be stored is not held either: long lists would fill the memory. */
const withoutUnkeptBodies = (exchange: Exchange): Exchange =>
  keepsBodies(exchange) ? exchange : { ...exchange, ...NO_SIDES }

const cleanOrAbsent = (text: string | null) => (text === null ? undefined : clean(text))

/** Undefined members are left out, and read as null, false or 0. */
const ownParts = (exchange: Exchange) => ({
  path: isFixedPath(exchange) ? undefined : cleanPath(exchange.path),
  query: exchange.query === '' ? undefined : cleanQuery(exchange.query),
  error_detail: cleanOrAbsent(exchange.errorDetail),
  client_request_id: cleanOrAbsent(exchange.clientRequestId),
  request_bytes: exchange.requestBytes || undefined,
  idempotency_key: cleanOrAbsent(exchange.idempotencyKey),
  is_replayed: exchange.isReplayed || undefined,
})

function bothSides({ requestHeaders, requestBody, responseHeaders, responseBody }: Exchange) {
  if ([requestHeaders, requestBody, responseHeaders, responseBody].every((part) => part === null)) return null
  const request = requestBody === null ? null : cleanBody(requestBody)
  const response = responseBody === null ? null : cleanBody(responseBody)
  return {
    request_headers: requestHeaders === null ? undefined : cleanHeaders(requestHeaders),
    request_body: request?.text,
    is_request_body_cut: request?.isCut || undefined,
    response_headers: responseHeaders === null ? undefined : cleanHeaders(responseHeaders),
    response_body: response?.text,
    is_response_body_cut: response?.isCut || undefined,
  }
}

/** As COPY writes null. */
const ABSENT = '\\N'

/** JSON holds no tab and no line break as such, so the backslash alone has to be escaped for COPY. */
const field = (json: string) => json.replaceAll('\\', '\\\\')

import { firstIdAt, type Id, idTime, isId, type OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { slotOf } from './request-log-batch-row.ts'
import { type CallTest, type StoredCall, selectCalls } from './request-log-calls.ts'
import type { RequestLog, RequestLogSummary } from './request-logs.schemas.ts'
import { type BatchRowConditions, findStepEnd, type IdRange, listBatchRows } from './request-logs.sql.ts'

export { createRequestLogWriter } from './request-log-writer.ts'
export { addDurations, durationQuantile, type RequestSummary, requestSummaries } from './request-statistics.ts'

/**
 * Reads request logs, always of one organization, newest first.
 *
 * Batch rows hold the calls (the migration says why). PostgreSQL skips the rows in which a wanted value does not occur; this code
 * tests the calls of the others. A filter that matches rarely would read a million calls to fill a page, so a search goes
 * backwards in steps. When its time is up, it returns what it has found and where it stopped; the next request continues
 * there. A step ends where a slot begins: the rows of a slot hold all its calls.
 *
 * Measured at 300,000 calls on a busy machine: 1 to 13 ms for pages, one call, errors, and filters that match often; 60 ms
 * to look through 150,000 calls for a key without calls, or through some ten thousand for a text or a status.
 */
export type RequestLogFilters = {
  /** Exactly, or a whole class such as '4xx'. */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  statusMin?: number
  errorCode?: string
  /** The key, agent or person. */
  callerId?: string
  /** The operation id. */
  route?: string
  method?: string
  address?: string
  /** Ours, or the one the client sent along. */
  requestId?: string
  /** Somewhere in path, query, user agent or a stored body; capitals do not matter. */
  text?: string
  since?: Date
  until?: Date
}

type RequestLogPage = {
  logs: RequestLogSummary[]
  /** Where to go on; null at the end. A page may be short, even empty, and still have one: the search ran out of time. */
  nextBeforeId: string | null
  /** The search has seen everything down to here. */
  searchedTo: Date | null
}

const SEARCH_MS = 60
/** What matches often is found in a short step; each step without enough of it is followed by one four times as long. */
const FIRST_STEP_CALLS = 500
const STEP_CALLS_MAX = 10_000
/** Looking into bodies costs about five times as much per call. */
const TEXT_STEP_CALLS_MAX = 2000
/** Greater than every id. */
const LAST_ID = 'req_z'

export async function listRequestLogs(
  queries: Queries,
  orgId: OrgId,
  filters: RequestLogFilters,
  page: { limit: number; beforeId?: string },
): Promise<RequestLogPage> {
  const search = searchFor(filters)
  let range = rangeOf(filters, page.beforeId)
  let stepCalls = search.isForAll ? page.limit + 1 : FIRST_STEP_CALLS
  const deadline = performance.now() + SEARCH_MS
  let found: StoredCall[] = []
  for (;;) {
    const { calls, endsAt } = await takeStep(queries, orgId, { range, search, stepCalls })
    found = found.concat(calls)
    if (found.length > page.limit) return pageOf(found.slice(0, page.limit), found[page.limit - 1]?.id ?? null)
    if (endsAt === null || (!search.isForAll && performance.now() > deadline)) return pageOf(found, endsAt)
    range = { fromId: range.fromId, beforeId: endsAt }
    stepCalls = Math.min(stepCalls * 4, search.stepCallsMax)
  }
}

const pageOf = (calls: StoredCall[], nextBeforeId: string | null): RequestLogPage => ({
  logs: calls.map(presentSummary),
  nextBeforeId,
  searchedTo: nextBeforeId === null ? null : idTime(nextBeforeId as Id),
})

/** The conditions on batch rows and on their calls, and how many calls a step reads. */
type Search = {
  conditions: BatchRowConditions
  test: CallTest
  /** Every call matches, so a step reads no more than a page. */
  isForAll: boolean
  stepCallsMax: number
}

type Step = { range: IdRange; search: Search; stepCalls: number }

/** The wanted calls of the next stretch back in time, and where that stretch ends; null at the end of all. */
async function takeStep(queries: Queries, orgId: OrgId, { range, search, stepCalls }: Step) {
  const options = { wanted: search.conditions, calls: stepCalls }
  const lastRowId = await findStepEnd(queries, orgId, rowsWithin(range), options)
  const stepFrom = lastRowId === null ? '' : firstIdOfSlot(lastRowId)
  const isLast = stepFrom <= range.fromId
  const step = isLast ? range : { fromId: stepFrom, beforeId: range.beforeId }
  return { calls: await readCalls(queries, orgId, step, search), endsAt: isLast ? null : stepFrom }
}

/** Newest first. */
async function readCalls(queries: Queries, orgId: OrgId, range: IdRange, { conditions, test }: Search) {
  const rows = await listBatchRows(queries, orgId, rowsWithin(range), conditions)
  const calls = rows.flatMap((row) => selectCalls(row, range, test))
  return calls.sort((one, other) => (one.id < other.id ? 1 : -1))
}

/** A batch row is ordered by its newest call, so one that ends beyond the range may begin within it, in the same slot. */
const rowsWithin = ({ fromId, beforeId }: IdRange): IdRange => ({
  fromId,
  beforeId: beforeId === firstIdOfSlot(beforeId) ? beforeId : `${slotOf(beforeId)}${BEHIND_ALL}`,
})

const ID_CHARACTERS = firstIdAt('req', new Date(0)).length
const BEHIND_ALL = '~'
const firstIdOfSlot = (id: string) => slotOf(id).padEnd(ID_CHARACTERS, '0')

function rangeOf({ since, until, requestId }: RequestLogFilters, beforeId: string | undefined): IdRange {
  const untilId = until === undefined ? LAST_ID : firstIdAt('req', until)
  const range = {
    fromId: since === undefined ? '' : firstIdAt('req', since),
    beforeId: beforeId !== undefined && beforeId < untilId ? beforeId : untilId,
  }
  return requestId !== undefined && isId('req', requestId) ? narrowed(range, requestId) : range
}

/** Narrows the range to one call, or to nothing when the call lies outside. */
const narrowed = (range: IdRange, id: string): IdRange => ({
  fromId: id < range.fromId ? range.fromId : id,
  beforeId: id < range.beforeId ? `${id}0` : range.beforeId,
})

function searchFor(filters: RequestLogFilters): Search {
  const { errorCode, callerId, route, address, requestId, text = '' } = filters
  const method = filters.method?.toUpperCase()
  const { statusMin, statusMax } = statusRange(filters)
  const isOwnId = requestId !== undefined && isId('req', requestId)
  const clientRequestId = isOwnId ? undefined : requestId
  const exact = { error_code: errorCode, caller_id: callerId, route, method, address }
  const expected = Object.entries(exact).filter(([, value]) => value !== undefined) as [keyof typeof exact, string][]
  const conditions = {
    hasErrors: statusMin >= 400,
    inKinds: expected.map(([, value]) => JSON.stringify(value)),
    inCalls: [requestId ?? []].flat().map((value) => JSON.stringify(value)),
    textPattern: text === '' ? null : containing(JSON.stringify(text).slice(1, -1)),
    withBodies: text !== '',
  }
  const test: CallTest = {
    isKindWanted: (kind) =>
      (kind.status ?? 0) >= statusMin &&
      (kind.status ?? 0) <= statusMax &&
      expected.every(([name, value]) => kind[name] === value),
    isCallWanted: (call) =>
      (clientRequestId === undefined || call.client_request_id === clientRequestId) &&
      (text === '' || mentions(call, text.toLowerCase())),
  }
  const isForAll =
    expected.length === 0 && clientRequestId === undefined && text === '' && statusMin === 0 && statusMax === STATUS_MAX
  return { conditions, test, isForAll, stepCallsMax: text === '' ? STEP_CALLS_MAX : TEXT_STEP_CALLS_MAX }
}

const STATUS_MAX = 999

/** Capitals do not matter. */
const mentions = (call: StoredCall, lowerCaseText: string) =>
  [call.path, call.query, call.user_agent, call.request_body, call.response_body].some((part) =>
    part?.toLowerCase().includes(lowerCaseText),
  )

const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Only errors have a code, so asking for a code is asking among errors. */
function statusRange({ status, statusMin, errorCode }: RequestLogFilters): { statusMin: number; statusMax: number } {
  const lowest = Math.max(statusMin ?? 0, errorCode === undefined ? 0 : 400)
  if (status === undefined) return { statusMin: lowest, statusMax: STATUS_MAX }
  const from = typeof status === 'number' ? status : Number(status[0]) * 100
  return { statusMin: Math.max(from, lowest), statusMax: typeof status === 'number' ? status : from + 99 }
}

export async function getRequestLog(queries: Queries, orgId: OrgId, id: string): Promise<RequestLog | null> {
  if (!isId('req', id)) return null
  const range = narrowed({ fromId: '', beforeId: LAST_ID }, id)
  const search = searchFor({ requestId: id })
  const conditions = { ...search.conditions, withBodies: true }
  const [call] = await readCalls(queries, orgId, range, { ...search, conditions })
  if (call === undefined) return null
  const { request_bytes, response_bytes, ...summary } = presentSummary(call)
  return {
    ...summary,
    error_detail: call.error_detail,
    request: { bytes: request_bytes, body: call.request_body, is_cut: call.is_request_body_cut },
    response: { bytes: response_bytes, body: call.response_body, is_cut: call.is_response_body_cut },
  }
}

const OVERLAP_MS = 10_000
const TAIL_CALLS_MAX = 200

/**
 * Lists the newest calls for a live tail: those since the last one seen, and again those of the ten seconds before it. A call gets
 * its id when it begins and is stored after it ends, and several processes write at different times, so calls appear below
 * ids that were already seen. The reader skips the calls it knows.
 */
export async function latestRequestLogs(
  queries: Queries,
  orgId: OrgId,
  afterId: string | null,
): Promise<RequestLogSummary[]> {
  const fromId =
    afterId !== null && isId('req', afterId)
      ? firstIdAt('req', new Date(Math.max(0, idTime(afterId).getTime() - OVERLAP_MS)))
      : ''
  const range = { fromId, beforeId: LAST_ID }
  const { calls } = await takeStep(queries, orgId, { range, search: searchFor({}), stepCalls: TAIL_CALLS_MAX })
  return calls.slice(0, TAIL_CALLS_MAX).map(presentSummary)
}

const presentSummary = (row: StoredCall): RequestLogSummary => ({
  object: 'request_log',
  id: row.id,
  at: idTime(row.id).toISOString(),
  caller: row.caller_type === null || row.caller_id === null ? null : { type: row.caller_type, id: row.caller_id },
  auth_result: row.auth_result,
  method: row.method,
  operation: row.route,
  base_path: row.base_path,
  path: row.path,
  query: row.query,
  status: row.status,
  error_code: row.error_code,
  duration_ms: row.duration_us / 1000,
  address: row.address,
  user_agent: row.user_agent,
  client_request_id: row.client_request_id,
  idempotency_key: row.idempotency_key,
  is_replayed: row.is_replayed,
  request_bytes: row.request_bytes,
  response_bytes: row.response_bytes,
})

export { requestLogsTable } from './request-log-batch.ts'

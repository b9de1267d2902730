import { firstIdAt, type Id, idTime, isId, type OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import type { RequestLog, RequestLogSummary } from './request-logs.schemas.ts'
import {
  findRequestLog,
  findSearchFloor,
  type IdRange,
  listRequestLogRows,
  type RequestLogConditions,
  type RequestLogRow,
} from './request-logs.sql.ts'

/**
 * Reading request logs, always of one organization, newest first.
 *
 * Only the primary key and the errors are indexed (the migration says why), so a filter that matches rarely would read a
 * million rows to fill a page. Hence a search goes backwards in steps, and when its time is up it answers with what it
 * has found and where it stopped; asking again from there goes on. Measured at a million rows of one organization on a
 * busy machine: 1 to 30 ms for pages, errors, and filters that match one row in a thousand; 75 to 90 ms for an answer that
 * has looked at fifty thousand rows, or at twenty thousand with their bodies, and found nothing.
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

export type RequestLogPage = {
  logs: RequestLogSummary[]
  /** Where to go on; null at the end. A page may be short, even empty, and still have one: the search ran out of time. */
  nextBeforeId: string | null
  /** The search has seen everything down to here. */
  searchedTo: Date | null
}

const SEARCH_MS = 60
const STEP_ROWS = 20_000
/** Looking into bodies costs about five times as much per row. */
const TEXT_STEP_ROWS = 4000
/** Greater than every id. */
const LAST_ID = 'req_z'

export async function listRequestLogs(
  queries: Queries,
  orgId: OrgId,
  filters: RequestLogFilters,
  page: { limit: number; beforeId?: string },
): Promise<RequestLogPage> {
  const wanted = conditionsOf(filters)
  let range = rangeOf(filters, page.beforeId)
  const deadline = performance.now() + SEARCH_MS
  const found: RequestLogRow[] = []
  for (;;) {
    const floor = isSearch(wanted) ? await findStepEnd(queries, orgId, wanted, range) : null
    const step = floor === null ? range : { fromId: floor, beforeId: range.beforeId }
    const limit = page.limit + 1 - found.length
    found.push(...(await listRequestLogRows(queries, orgId, { range: step, wanted, limit })))
    if (found.length > page.limit) return pageOf(found.slice(0, page.limit), found[page.limit - 1]?.id ?? null)
    if (floor === null || performance.now() > deadline) return pageOf(found, floor)
    range = { fromId: range.fromId, beforeId: floor }
  }
}

const pageOf = (rows: RequestLogRow[], nextBeforeId: string | null): RequestLogPage => ({
  logs: rows.map(presentSummary),
  nextBeforeId,
  searchedTo: nextBeforeId === null ? null : idTime(nextBeforeId as Id),
})

const findStepEnd = (queries: Queries, orgId: OrgId, wanted: RequestLogConditions, range: IdRange) =>
  findSearchFloor(queries, orgId, {
    range,
    wanted,
    rows: wanted.textPattern === undefined ? STEP_ROWS : TEXT_STEP_ROWS,
  })

/** Whether rows have to be looked at that may not match: not for a plain page, one id, or all errors. */
function isSearch(wanted: RequestLogConditions): boolean {
  if (wanted.id !== undefined) return false
  const { statusMin, ...others } = wanted
  return Object.keys(others).length > 0 || (statusMin !== undefined && statusMin !== 400)
}

function rangeOf({ since, until }: RequestLogFilters, beforeId: string | undefined): IdRange {
  const untilId = until === undefined ? LAST_ID : firstIdAt('req', until)
  return {
    fromId: since === undefined ? '' : firstIdAt('req', since),
    beforeId: beforeId !== undefined && beforeId < untilId ? beforeId : untilId,
  }
}

function conditionsOf(filters: RequestLogFilters): RequestLogConditions {
  const { errorCode, callerId, route, method, address, requestId, text } = filters
  return {
    ...statusRange(filters),
    ...(errorCode !== undefined && { errorCode: withoutNul(errorCode) }),
    ...(callerId !== undefined && { callerId: withoutNul(callerId) }),
    ...(route !== undefined && { route: withoutNul(route) }),
    ...(method !== undefined && { method: withoutNul(method.toUpperCase()) }),
    ...(address !== undefined && { address: withoutNul(address) }),
    ...(requestId !== undefined && requestIdCondition(requestId)),
    ...(text !== undefined && text !== '' && { textPattern: containing(text) }),
  }
}

/** PostgreSQL takes no NUL, and no stored text has one. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd')

const requestIdCondition = (requestId: string) =>
  isId('req', requestId) ? { id: requestId } : { clientRequestId: withoutNul(requestId) }

const containing = (text: string) => `%${withoutNul(text).replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Only errors have a code, so asking for a code is asking among errors. */
function statusRange({ status, statusMin, errorCode }: RequestLogFilters): { statusMin?: number; statusMax?: number } {
  const lowest = Math.max(statusMin ?? 0, errorCode === undefined ? 0 : 400)
  const least = lowest > 0 ? { statusMin: lowest } : {}
  if (status === undefined) return least
  const from = typeof status === 'number' ? status : Number(status[0]) * 100
  return { statusMin: Math.max(from, lowest), statusMax: typeof status === 'number' ? status : from + 99 }
}

export async function getRequestLog(queries: Queries, orgId: OrgId, id: string): Promise<RequestLog | null> {
  if (!isId('req', id)) return null
  const row = await findRequestLog(queries, orgId, id)
  if (row === null) return null
  const { request_bytes, response_bytes, ...summary } = presentSummary(row)
  return {
    ...summary,
    error_detail: row.error_detail,
    request: { bytes: request_bytes, body: row.request_body, is_cut: row.is_request_body_cut },
    response: { bytes: response_bytes, body: row.response_body, is_cut: row.is_response_body_cut },
  }
}

const OVERLAP_MS = 10_000
const TAIL_ROWS_MAX = 200

/**
 * For a live tail: the newest calls since the one that was seen last, and those of the ten seconds before it once more.
 * A call gets its id when it begins and its row when it is over, and several processes write at their own pace, so rows
 * turn up below ids that were already seen. The reader skips what it knows.
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
  return (await listRequestLogRows(queries, orgId, { range, wanted: {}, limit: TAIL_ROWS_MAX })).map(presentSummary)
}

const presentSummary = (row: RequestLogRow): RequestLogSummary => ({
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

import { firstIdAt, isId, type OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { slotOf } from './request-log-batch-row.ts'
import { type CallTest, type StoredCall, selectCalls } from './request-log-calls.ts'
import { type BatchRowConditions, findStepEnd, type IdRange, listBatchRows } from './request-logs.sql.ts'

/** Finds calls in batch rows: filters become conditions on rows and on their calls, and a search goes backwards in steps. */
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

const STEP_CALLS_MAX = 10_000
/** Looking into bodies costs about five times as much per call. */
const TEXT_STEP_CALLS_MAX = 2000
/** Greater than every id. */
export const LAST_ID = 'req_z'

/** The conditions on batch rows and on their calls, and how many calls a step reads. */
export type Search = {
  conditions: BatchRowConditions
  test: CallTest
  /** Every call matches, so a step reads no more than a page. */
  isForAll: boolean
  stepCallsMax: number
}

type Step = { range: IdRange; search: Search; stepCalls: number }

/** The wanted calls of the next stretch back in time, and where that stretch ends; null at the end of all. */
export async function takeStep(queries: Queries, orgId: OrgId, { range, search, stepCalls }: Step) {
  const options = { wanted: search.conditions, calls: stepCalls }
  const lastRowId = await findStepEnd(queries, orgId, rowsWithin(range), options)
  const stepFrom = lastRowId === null ? '' : firstIdOfSlot(lastRowId)
  const isLast = stepFrom <= range.fromId
  const step = isLast ? range : { fromId: stepFrom, beforeId: range.beforeId }
  return { calls: await readCalls(queries, orgId, step, search), endsAt: isLast ? null : stepFrom }
}

/** Newest first. */
export async function readCalls(queries: Queries, orgId: OrgId, range: IdRange, { conditions, test }: Search) {
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

export function rangeOf({ since, until, requestId }: RequestLogFilters, beforeId: string | undefined): IdRange {
  const untilId = until === undefined ? LAST_ID : firstIdAt('req', until)
  const range = {
    fromId: since === undefined ? '' : firstIdAt('req', since),
    beforeId: beforeId !== undefined && beforeId < untilId ? beforeId : untilId,
  }
  return requestId !== undefined && isId('req', requestId) ? narrowed(range, requestId) : range
}

/** Narrows the range to one call, or to nothing when the call lies outside. */
export const narrowed = (range: IdRange, id: string): IdRange => ({
  fromId: id < range.fromId ? range.fromId : id,
  beforeId: id < range.beforeId ? `${id}0` : range.beforeId,
})

export function searchFor(filters: RequestLogFilters): Search {
  const { errorCode, callerId, route, address, requestId, text = '' } = filters
  const method = filters.method?.toUpperCase()
  const { statusMin, statusMax } = statusRange(filters)
  const isOwnId = requestId !== undefined && isId('req', requestId)
  const clientRequestId = isOwnId ? undefined : requestId
  const exact = { error_code: errorCode, caller_id: callerId, route, method, address }
  const expected = Object.entries(exact).filter(([, value]) => value !== undefined) as [keyof typeof exact, string][]
  const conditions = {
    hasErrors: statusMin >= 400,
    inKinds: [...expected.map(([, value]) => JSON.stringify(value)), ...inKindsOf(filters.status)],
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

/** Most rows hold errors of some status, so an exact one says much more than that there are errors. */
const inKindsOf = (status: RequestLogFilters['status']): string[] =>
  typeof status === 'number' ? [`"status":${status}`] : []

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

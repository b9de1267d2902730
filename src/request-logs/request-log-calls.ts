import type { Id } from '../kernel/ids.ts'
import type { BatchRow } from './request-logs.sql.ts'

/** One call as it was stored. */
export type StoredCall = {
  id: Id<'req'>
  caller_type: 'key' | 'agent' | 'user' | 'hook' | null
  caller_id: string | null
  auth_result: string
  method: string
  route: string | null
  base_path: string
  path: string
  query: string | null
  status: number
  error_code: string | null
  error_detail: string | null
  duration_us: number
  address: string
  user_agent: string | null
  client_request_id: string | null
  request_bytes: number
  response_bytes: number
  idempotency_key: string | null
  is_replayed: boolean
  request_headers: Record<string, string> | null
  request_body: string | null
  is_request_body_cut: boolean
  response_headers: Record<string, string> | null
  response_body: string | null
  is_response_body_cut: boolean
}

/** The values of members that the writer leaves out. */
const ABSENT = {
  caller_type: null,
  caller_id: null,
  route: null,
  path: '',
  query: null,
  error_code: null,
  error_detail: null,
  user_agent: null,
  client_request_id: null,
  request_bytes: 0,
  idempotency_key: null,
  is_replayed: false,
  request_headers: null,
  request_body: null,
  is_request_body_cut: false,
  response_headers: null,
  response_body: null,
  is_response_body_cut: false,
}

type Parts = Partial<StoredCall>
/** The stored form; `figures` holds three numbers per call. */
type Calls = { ids: Id<'req'>[]; figures: number[]; own?: Record<string, Parts> }
export const NUMBERS_PER_CALL = 3

export type CallTest = {
  /** Called once for all calls of a kind. */
  isKindWanted(kind: Parts): boolean
  isCallWanted(call: StoredCall): boolean
}

/** The wanted calls of a batch row whose ids lie in the range, in no order. */
export function selectCalls(
  row: Pick<BatchRow, 'kinds' | 'calls' | 'bodies'>,
  { fromId, beforeId }: { fromId: string; beforeId: string },
  { isKindWanted, isCallWanted }: CallTest,
): StoredCall[] {
  const kinds: Parts[] = JSON.parse(row.kinds)
  const wanted = kinds.map(isKindWanted)
  if (!wanted.includes(true)) return []
  const { ids, figures: numbers, own }: Calls = JSON.parse(row.calls)
  const bodies: Record<string, Parts> = row.bodies === null ? {} : JSON.parse(row.bodies)
  const found: StoredCall[] = []
  for (const [index, id] of ids.entries()) {
    const at = index * NUMBERS_PER_CALL
    const kind = numbers[at] as number
    if (!wanted[kind] || id < fromId || id >= beforeId) continue
    const [duration_us, response_bytes] = [numbers[at + 1], numbers[at + 2]]
    const parts = { ...ABSENT, ...kinds[kind], ...own?.[id], ...bodies[id], id, duration_us, response_bytes }
    const call = parts as StoredCall
    if (isCallWanted(call)) found.push(call)
  }
  return found
}

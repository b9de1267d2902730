import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

export type LogSummary = {
  id: string
  at: string
  caller: { type: string; id: string } | null
  auth_result: string
  method: string
  operation: string | null
  base_path: string
  path: string
  query: string | null
  status: number
  error_code: string | null
  duration_ms: number
  address: string
  user_agent: string | null
  idempotency_key: string | null
  is_replayed: boolean
}
export type LogSide = { bytes: number; body: string | null; is_cut: boolean }
export type LogDetail = {
  log: LogSummary & { error_detail: string | null; request: LogSide; response: LogSide }
  caused: {
    events: { id: string; type: string; created_at: string }[]
    deliveries: { id: string; event_id: string; endpoint_id: string; status: string }[]
  }
}

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['request-log', id],
    queryFn: ({ signal }) => consoleApi.get<LogDetail>(`/request-logs/${id}`, {}, signal),
  })

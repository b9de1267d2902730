import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { LogDetail, RequestLog } from './generated.ts'
import type { SampleRequest } from './request-samples.ts'

export type { LogDetail, RequestLogSummary as LogSummary } from './generated.ts'
export type LogSide = RequestLog['request']

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['request-log', id],
    queryFn: ({ signal }) => call('GET /api/console/request-logs/{id}', { params: { id }, signal }),
  })

/** The request of a log entry. A replay is a new request: it has no Idempotency-Key of an earlier one unless it repeats it exactly. */
export const requestOf = (origin: string, log: LogDetail['log']): SampleRequest => ({
  method: log.method,
  url: `${origin}${log.base_path}${log.path}${log.query ? `?${log.query}` : ''}`,
  body: log.request.body,
  isCut: log.request.is_cut,
  idempotencyKey: log.idempotency_key,
})

type FilterName = 'q' | 'status' | 'error_code' | 'method' | 'caller' | 'operation' | 'since' | 'until'
export type LogFilters = { [Name in FilterName]?: string | undefined }

export const logFacetsQuery = (filters: LogFilters) =>
  queryOptions({
    queryKey: ['request-log-facets', filters],
    queryFn: ({ signal }) => call('GET /api/console/request-log-facets', { query: filters as never, signal }),
    placeholderData: keepPreviousData,
  })

import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { RequestLog } from './generated.ts'

export type { LogDetail, RequestLogSummary as LogSummary } from './generated.ts'
export type LogSide = RequestLog['request']

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['request-log', id],
    queryFn: ({ signal }) => call('GET /api/console/request-logs/{id}', { params: { id }, signal }),
  })

import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type Settlement = Closed<Sdk.Settlement>
export type StatementLine = Closed<Sdk.StatementLine>
export type SalesReport = Closed<Sdk.SalesReport>
export type Suggestion = StatementLine['suggestions'][number]

export type ReportSpan = { from: string; to: string; by: 'day' | 'month' }

export const salesReportQuery = (span: ReportSpan) =>
  queryOptions({
    queryKey: ['sales-report', span],
    queryFn: ({ signal }) => call('GET /api/proxy/reports/sales', { query: span, signal }),
  })

export const confirmLine = (id: string, orderId: string) =>
  call('POST /api/proxy/statements/{id}/confirm', { params: { id }, body: { order_id: orderId } })
export const ignoreLine = (id: string) => call('POST /api/proxy/statements/{id}/ignore', { params: { id } })

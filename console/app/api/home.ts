import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

export type Range = '24h' | '7d' | '30d'
export const ranges: Range[] = ['24h', '7d', '30d']
/** As the address of the page says it, or a day. */
export const rangeOf = (text: string | undefined): Range => ranges.find((range) => range === text) ?? '24h'

export type Statistics = {
  range: Range
  bucket_seconds: number
  from: string
  to: string
  is_partial: boolean
  requests: { total: number; buckets: { at: string; ok: number; client_error: number; server_error: number }[] } | null
  latency: {
    p50_ms: number | null
    p99_ms: number | null
    buckets: { at: string; p50_ms: number | null; p99_ms: number | null }[]
  } | null
  deliveries: { total: number; buckets: { at: string; succeeded: number; failed: number; pending: number }[] } | null
  messages: { total_in: number; total_out: number; buckets: { at: string; in: number; out: number }[] } | null
  orders: {
    paid_count: number
    paid_sum: number
    buckets: { at: string; paid_count: number; paid_sum: number }[]
  } | null
}

type Step = { done: boolean; at: string | null }
export type Checklist = { key_made: Step; message_sent: Step; order_paid: Step; webhook_delivered: Step }

export const statisticsQuery = (range: Range) =>
  queryOptions({
    queryKey: ['statistics', range],
    queryFn: ({ signal }) => consoleApi.get<Statistics>('/figures', { range }, signal),
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  })
export const checklistQuery = queryOptions({
  queryKey: ['checklist'],
  queryFn: ({ signal }) => consoleApi.get<Checklist>('/checklist', {}, signal),
  refetchInterval: 5_000,
})

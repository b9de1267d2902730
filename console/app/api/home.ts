import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { type Statistics, statisticsRanges } from './generated.ts'

export type { Checklist, Statistics } from './generated.ts'
export type Range = Statistics['range']
export { statisticsRanges as ranges }
/** As the address of the page says it, or a day. */
export const rangeOf = (text: string | undefined): Range => statisticsRanges.find((range) => range === text) ?? '24h'

export const statisticsQuery = (range: Range) =>
  queryOptions({
    queryKey: ['statistics', range],
    queryFn: ({ signal }) => call('GET /api/console/figures', { query: { range }, signal }),
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  })
export const checklistQuery = queryOptions({
  queryKey: ['checklist'],
  queryFn: ({ signal }) => call('GET /api/console/checklist', { signal }),
  refetchInterval: 5_000,
})

/** Counted up to here; more is shown with a plus sign. */
const COUNTED_MAX = 100
const LOOK_AGAIN_MS = 60_000

type Counted = { data: unknown[]; has_more: boolean }
export const countedText = ({ data, has_more }: Counted): string => `${data.length}${has_more ? '+' : ''}`

export const unreadQuery = queryOptions({
  queryKey: ['unread-chats'],
  queryFn: ({ signal }) => call('GET /api/proxy/chats', { query: { unread: true, limit: COUNTED_MAX }, signal }),
  refetchInterval: LOOK_AGAIN_MS,
})
export const unpaidQuery = queryOptions({
  queryKey: ['unpaid-orders'],
  queryFn: ({ signal }) =>
    call('GET /api/proxy/orders', { query: { status: 'pending_payment', limit: COUNTED_MAX }, signal }),
  refetchInterval: LOOK_AGAIN_MS,
})

const DAY_MS = 24 * 3600 * 1000
export const daysOf: Record<Range, number> = { '24h': 1, '7d': 7, '30d': 30 }
/** As the shop counts its days. */
const dayBefore = (days: number) => new Date(Date.now() + 7 * 3600 * 1000 - days * DAY_MS).toISOString().slice(0, 10)

/** The days of the period, and as many before it. */
export const salesQuery = (range: Range) =>
  queryOptions({
    queryKey: ['sales', range, dayBefore(0)],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/reports/sales', {
        query: { from: dayBefore(2 * daysOf[range] - 1), to: dayBefore(0), by: 'day' },
        signal,
      }),
    refetchInterval: LOOK_AGAIN_MS,
  })

type DayOfReport = { period: string; received: number; net: number }

/** Days up to today, oldest first. The report leaves out those without payments. */
export function byDay(periods: readonly DayOfReport[], days: number): (DayOfReport & { at: string })[] {
  const known = new Map(periods.map((period) => [period.period, period]))
  return Array.from({ length: days }, (_, index) => {
    const period = dayBefore(days - 1 - index)
    return { ...(known.get(period) ?? { period, received: 0, net: 0 }), at: `${period}T00:00:00+07:00` }
  })
}

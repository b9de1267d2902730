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

import type { LedgerSpan, LedgerSum } from '../../payments/payments.ts'
import type { SalesReportView } from './books.schemas.ts'

type Sums = Pick<LedgerSum, 'received' | 'refunded' | 'reversed' | 'payments'>

function totalOf(sums: readonly Sums[]): Sums & { net: number } {
  const total = { received: 0, refunded: 0, reversed: 0, payments: 0 }
  for (const sum of sums)
    for (const name of ['received', 'refunded', 'reversed', 'payments'] as const) total[name] += sum[name]
  return { ...total, net: total.received - total.refunded - total.reversed }
}

/** The sums of each period and method, of each period, and of all. */
export function reportSales({ from, to, by, timezone }: LedgerSpan, sums: readonly LedgerSum[]): SalesReportView {
  const periods = Map.groupBy(sums, ({ period }) => period)
  return {
    object: 'sales_report',
    from,
    to,
    by,
    timezone,
    currency: 'IDR',
    totals: totalOf(sums),
    periods: [...periods].map(([period, ofPeriod]) => ({
      period,
      ...totalOf(ofPeriod),
      methods: ofPeriod.map((sum) => ({ method: sum.method, ...totalOf([sum]) })),
    })),
  }
}

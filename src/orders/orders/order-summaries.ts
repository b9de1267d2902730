import { listSubjectsOf } from '../../events/events.ts'
import { idTime, type OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Hour, type SummarySource, startOfHour } from '../../platform/database/hourly-summaries.ts'
import { orderEvents } from '../orders.events.ts'
import { listAmountsPaid } from './order-summaries.sql.ts'

export type PaidOrders = { count: number; sum: number }

const SETTLES_AFTER_MS = 60_000

/** Counts orders by the hour of their `order.paid` event. An order that was paid twice counts in both hours. */
export const paidOrderSummaries = (database: Database): SummarySource<PaidOrders> => ({
  kind: 'paid orders',
  settlesAfterMs: SETTLES_AFTER_MS,
  summarize: (orgId, hours) => summarize(database, orgId, hours),
})

async function summarize(database: Database, orgId: OrgId, hours: readonly Hour[]): Promise<PaidOrders[]> {
  const [from, to] = [(hours[0] as Hour).from, (hours.at(-1) as Hour).to]
  const paid = await listSubjectsOf(database, orgId, { type: orderEvents.paid.name, from, to })
  const ids = [...new Set(paid.map(({ subject }) => subject))]
  const rows = ids.length === 0 ? [] : await listAmountsPaid(database, orgId, ids)
  const amounts = new Map(rows.map(({ id, amount_paid }) => [id, amount_paid]))
  return hours.map((hour) => {
    const within = paid.filter(({ id }) => startOfHour(idTime(id).getTime()) === hour.from.getTime())
    const orders = [...new Set(within.map(({ subject }) => subject))]
    return { count: orders.length, sum: orders.reduce((sum, id) => sum + (amounts.get(id) ?? 0), 0) }
  })
}

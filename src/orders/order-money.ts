import { isLive } from '../payments/payments.states.ts'
import { listMoney } from '../payments/payments.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import type { Queries } from '../platform/database/database.ts'
import type { OrderRow } from './orders.sql.ts'
import { leftAfter, type OrderMoney, type OrderSums } from './payment-status.ts'

/** What came in for an order and what went back, as the rows of its payments say it. */
export const sumsOfPayments = (order: Pick<OrderRow, 'total'>, payments: readonly PaymentRow[]): OrderSums => ({
  total: order.total,
  paid: payments.reduce((sum, payment) => sum + payment.amount_paid, 0),
  returned: payments.reduce((sum, payment) => sum + payment.amount_refunded + payment.amount_reversed, 0),
  hasLiveAttempt: payments.some(({ status }) => isLive(status)),
})

/** And what is left to be paid. Only where money went back does it matter in which order all of it happened. */
export async function readMoney(
  queries: Queries,
  order: Pick<OrderRow, 'org_id' | 'id' | 'total'>,
  payments: readonly PaymentRow[],
): Promise<OrderSums & OrderMoney> {
  const sums = sumsOfPayments(order, payments)
  const reversed = payments.reduce((sum, payment) => sum + payment.amount_reversed, 0)
  const standing = payments.reduce((sum, one) => (one.status === 'reversed' ? sum : sum + one.amount_paid), 0)
  const money = { ...sums, reversed, standing }
  if (order.total === null) return { ...money, left: null }
  if (sums.returned === 0) return { ...money, left: order.total - sums.paid }
  return { ...money, left: leftAfter(order.total, await listMoney(queries, order.org_id, order.id)) }
}

import type { OrgId } from '../../kernel/ids.ts'
import { getPaymentById } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Queries } from '../../platform/database/database.ts'
import { findOrder, type OrderRow } from './orders.sql.ts'

/**
 * A checkout is what the payer of a payment link has opened: an order that only the payer sees. It has no events, lists leave it
 * out, and requests do not find it. Most visitors of a public page do not pay, and systems should not receive an order for each.
 *
 * It becomes an order, with `order.created`, once it concerns the shop: money was received, the payer chose a method whose money
 * the shop confirms, or a person has to check its payments.
 */
export const staysCheckout = (order: OrderRow, payments: readonly PaymentRow[]): boolean =>
  order.is_checkout &&
  order.amount_paid === 0 &&
  order.review_reasons.length === 0 &&
  !payments.some(({ is_manual }) => is_manual)

/** Leaves out payments of checkouts. */
export const isOfOrder = ({ part }: Queries, orgId: string) => part`
  and not exists (
    select from orders where orders.org_id = ${orgId} and orders.id = payments.order_id and orders.is_checkout)`

/** Null for a payment of a checkout. */
export async function findPaymentOfOrder(queries: Queries, orgId: OrgId, id: string): Promise<PaymentRow | null> {
  const payment = await getPaymentById(queries, orgId, id)
  const order = payment && (await findOrder(queries, orgId, payment.order_id))
  return order === null || order.is_checkout ? null : payment
}

import { type PaymentLinks, payUrlOf, presentMovement, presentPayment } from '../../payments/attempts/attempts.ts'
import { listPaymentsByIds, listRefundsOfOrders, refundsOf, shownLedger } from '../../payments/payments.ts'
import type { LedgerRow, PaymentRow, RefundRow } from '../../payments/payments-context.ts'
import { presentRefund } from '../../payments/refunds/refunds.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { isSettled } from '../settlement/settlement.ts'
import type { OrderView } from './orders.schemas.ts'
import type { OrderRow } from './orders.sql.ts'

/** The parts of an order's view that are not in its row: the current attempt and the refunds. */
export type OrderMoney = { payment: PaymentRow | null; refunds: readonly RefundRow[] }

/** An order as the API and its events show it. */
export function presentOrder(links: PaymentLinks, row: OrderRow, { payment, refunds }: OrderMoney): OrderView {
  const shown = payment === null ? null : presentPayment(links, payment)
  return {
    object: 'order',
    id: row.id,
    number: String(row.number),
    status: row.status,
    billingType: row.billing_type,
    choice: presentChoice(row),
    pay_url: shown?.pay_url ?? (isPaidOnPage(row) ? payUrlOf(links, { org_id: row.org_id, order_id: row.id }) : null),
    customer: { name: row.customer_name, phone: row.customer_phone, contact_id: row.contact_id },
    chat_id: row.chat_id,
    items: row.items,
    subtotal: row.subtotal,
    discount: row.discount,
    shipping: row.shipping,
    tax: row.tax,
    tax_included: row.tax_included,
    unique_amount: row.unique_amount,
    total: row.total,
    currency: 'IDR',
    payment_status: row.payment_status,
    amount_paid: row.amount_paid,
    amount_returned: row.amount_returned,
    amount_remaining: isGivenUp(row.status) ? noDebt(row) : row.amount_remaining,
    amount_overpaid: row.total === null ? 0 : Math.max(0, row.amount_paid - row.amount_returned - row.total),
    payment: shown,
    payment_link_id: row.payment_link_id,
    refunds: refunds.map(presentRefund),
    needs_review: presentReview(row),
    delivery: row.delivery,
    due_at: row.due_at?.toISOString() ?? null,
    overdue: isOverdue(row),
    notify: row.notify,
    reference: row.reference,
    note: row.note,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const isPaidOnPage = ({ billing_type: type }: OrderRow): boolean => type !== null && type !== 'free'

const presentChoice = ({ choice_methods: methods, choice_expires_at: until }: OrderRow): OrderView['choice'] =>
  until === null ? null : { methods, expires_at: until.toISOString() }

/** The due date has passed, and money is still due. */
const isOverdue = (row: OrderRow): boolean => row.overdue_at !== null && !isGivenUp(row.status) && !isSettled(row)

/** Nothing remains to be paid on a cancelled or expired order. */
const noDebt = ({ total }: OrderRow): number | null => (total === null ? null : 0)

export function presentReview({ review_reasons: reasons, review_since: since }: OrderRow): OrderView['needs_review'] {
  const [reason] = reasons
  return reason === undefined || since === null ? null : { reason, reasons, since: since.toISOString() }
}

export const presentWithPayment = async (
  context: OrdersContext,
  queries: Queries,
  order: OrderRow,
): Promise<OrderView> => (await presentPage(context, queries, [order]))[0] as OrderView

export async function presentPage(
  context: OrdersContext,
  queries: Queries,
  rows: readonly OrderRow[],
): Promise<OrderView[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.flatMap(({ payment_id }) => payment_id ?? [])
  const paid = rows.filter(({ amount_paid }) => amount_paid > 0).map(({ id }) => id)
  const [listed, given] = await Promise.all([
    listPaymentsByIds(queries, first.org_id, ids),
    listRefundsOfOrders(queries, first.org_id, paid),
  ])
  const payments = new Map(listed.map((row) => [row.id, row]))
  const refunds = Map.groupBy(given, ({ order_id }) => order_id)
  return rows.map((row) =>
    presentOrder(context.payments.context, row, {
      payment: row.payment_id === null ? null : (payments.get(row.payment_id) ?? null),
      refunds: refunds.get(row.id) ?? [],
    }),
  )
}

/** Shows the order as this transaction changed it. */
export const presentLocked = async (context: OrdersContext, tx: Tx, order: LockedOrder) =>
  presentWhole(context, order.row, {
    payments: order.payments,
    refunds: await refundsOf(tx, order),
    ledger: shownLedger(order),
  })

type WholeMoney = {
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
  ledger: readonly LedgerRow[]
}

/** Shows the order with every attempt, every refund and the ledger. */
export function presentWhole(context: OrdersContext, order: OrderRow, { payments, refunds, ledger }: WholeMoney) {
  const { context: links } = context.payments
  const current = payments.find(({ id }) => id === order.payment_id) ?? null
  return {
    ...presentOrder(links, order, { payment: current, refunds }),
    payments: payments.map((payment) => presentPayment(links, payment)),
    ledger: ledger.map(presentMovement),
  }
}

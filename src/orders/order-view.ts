import { type PaymentLinks, presentPayment } from '../payments/payment-view.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import type { OrderView } from './orders.schemas.ts'
import type { OrderRow } from './orders.sql.ts'

/** An order as the API and its events show it, with its newest attempt. */
export function presentOrder(links: PaymentLinks, row: OrderRow, payment: PaymentRow | null): OrderView {
  return {
    object: 'order',
    id: row.id,
    number: String(row.number),
    status: row.status,
    billingType: row.billing_type,
    customer: { name: row.customer_name, phone: row.customer_phone, contact_id: row.contact_id },
    chat_id: row.chat_id,
    items: row.items,
    subtotal: row.subtotal,
    discount: row.discount,
    shipping: row.shipping,
    tax: row.tax,
    total: row.total,
    currency: 'IDR',
    payment_status: row.payment_status,
    amount_paid: row.amount_paid,
    amount_returned: row.amount_returned,
    payment: payment === null ? null : presentPayment(links, payment),
    needs_review: presentReview(row),
    notify: row.notify,
    reference: row.reference,
    note: row.note,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function presentReview({ review_reasons: reasons, review_since: since }: OrderRow): OrderView['needs_review'] {
  const [reason] = reasons
  return reason === undefined || since === null ? null : { reason, reasons, since: since.toISOString() }
}

import { defineEvent } from '../events/events.ts'
import { paidPaymentExample } from '../payments/payments.schemas.ts'
import { deliveryExample, Order, type OrderView, orderExample } from './orders/orders.schemas.ts'

const orderEvent = (name: string, description: string, difference: Partial<OrderView> = {}) =>
  defineEvent({ name, description, data: Order, example: { ...orderExample, ...difference } })

const paid = {
  status: 'confirmed' as const,
  payment_status: 'paid' as const,
  amount_paid: 65000,
  amount_remaining: 0,
  payment: paidPaymentExample,
}

export const orderEvents = {
  created: orderEvent('order.created', 'An order was created.'),
  updated: orderEvent(
    'order.updated',
    'A person or program edited an order; `previous` has the fields as they were. When the amount changed, a new payment has replaced the open one.',
    { note: 'Leave it at the reception' },
  ),
  paid: orderEvent(
    'order.paid',
    'An order is paid: its total was received, in one or more payments, or a person accepted the amount received. You can ship the goods. A payment for an expired or cancelled order is reported as `order.needs_review` first.',
    paid,
  ),
  expired: orderEvent('order.expired', 'An order was not paid in time.', {
    status: 'expired',
    payment_status: 'unpaid',
    payment: { ...orderExample.payment, status: 'expired' },
  }),
  cancelled: orderEvent('order.cancelled', 'An order was cancelled.', {
    status: 'cancelled',
    payment_status: 'unpaid',
    payment: { ...orderExample.payment, status: 'cancelled' },
  }),
  completed: orderEvent('order.completed', 'An order was completed.', { ...paid, status: 'completed' }),
  shipped: orderEvent('order.shipped', 'An order was handed to its courier, or is on its way.', {
    ...paid,
    delivery: deliveryExample,
  }),
  delivered: orderEvent('order.delivered', 'An order has reached the customer.', {
    ...paid,
    delivery: { ...deliveryExample, status: 'delivered', delivered_at: '2026-11-16T04:12:00.000Z' },
  }),
  overdue: orderEvent(
    'order.overdue',
    'The due date of an order passed, and an amount remains to be paid. Sent once for a due date.',
    { status: 'confirmed', due_at: '2026-11-21T09:30:00.000Z', overdue: true },
  ),
  refunded: orderEvent('order.refunded', 'An order was refunded, fully or partially.', {
    ...paid,
    payment_status: 'partially_refunded',
    amount_returned: 15000,
    payment: { ...paidPaymentExample, amount_refunded: 15000 },
  }),
  needsReview: orderEvent(
    'order.needs_review',
    'A person should check the payments of an order; `needs_review` says why.',
    {
      ...paid,
      payment_status: 'overpaid',
      needs_review: { reason: 'duplicate_payment', reasons: ['duplicate_payment'], since: '2026-11-14T09:31:12.000Z' },
    },
  ),
}

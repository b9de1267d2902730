import { defineEvent } from '../events/events.ts'
import { paidPaymentExample } from '../payments/payments.schemas.ts'
import { Order, type OrderView, orderExample } from './orders/orders.schemas.ts'

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
  created: orderEvent('order.created', 'An order was made.'),
  paid: orderEvent(
    'order.paid',
    'The total of an order was received, in however many parts, or a person accepted what was received: its goods may be sent. Money for an order that had expired or was cancelled comes as `order.needs_review` first.',
    paid,
  ),
  expired: orderEvent('order.expired', 'Nobody paid in time.', {
    status: 'expired',
    payment_status: 'unpaid',
    payment: { ...orderExample.payment, status: 'expired' },
  }),
  cancelled: orderEvent('order.cancelled', 'An order was called off.', {
    status: 'cancelled',
    payment_status: 'unpaid',
    payment: { ...orderExample.payment, status: 'cancelled' },
  }),
  completed: orderEvent('order.completed', 'An order was fulfilled.', { ...paid, status: 'completed' }),
  refunded: orderEvent('order.refunded', 'Money of an order was given back, all or some of it.', {
    ...paid,
    payment_status: 'partially_refunded',
    amount_returned: 15000,
    payment: { ...paidPaymentExample, amount_refunded: 15000 },
  }),
  needsReview: orderEvent('order.needs_review', 'Something about the money of an order needs a person to look at it.', {
    ...paid,
    payment_status: 'overpaid',
    needs_review: { reason: 'duplicate_payment', reasons: ['duplicate_payment'], since: '2026-11-14T09:31:12.000Z' },
  }),
}

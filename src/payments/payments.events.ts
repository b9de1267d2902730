import { defineEvent } from '../events/events.ts'
import { Payment, type PaymentView, paidPaymentExample, paymentExample } from './payments.schemas.ts'

const paymentEvent = (name: string, description: string, example: PaymentView) =>
  defineEvent({ name, description, data: Payment, example })

export const paymentEvents = {
  pending: paymentEvent('payment.pending', 'A payer has something to pay with.', paymentExample),
  paid: paymentEvent(
    'payment.paid',
    'Money came in for an attempt: all that it asked for, or a part where it can be paid in parts.',
    paidPaymentExample,
  ),
  failed: paymentEvent(
    'payment.failed',
    'The provider refused an attempt or could not be reached for it, or the payer tried and failed.',
    {
      ...paymentExample,
      status: 'failed',
      qris: null,
      error: {
        code: 'method_not_activated',
        detail: 'The provider has not switched QRIS on for this account.',
        provider_code: '402',
      },
    },
  ),
  expired: paymentEvent('payment.expired', 'An attempt ran out of time and nobody had paid.', {
    ...paymentExample,
    status: 'expired',
  }),
  late: paymentEvent(
    'payment.late',
    'Money came in for an attempt that was over: expired, cancelled or failed. What becomes of it is the organization’s setting.',
    paidPaymentExample,
  ),
  refunded: paymentEvent('payment.refunded', 'Money of a payment was refunded on purpose, all or some of it.', {
    ...paidPaymentExample,
    amount_refunded: 15000,
  }),
  reversed: paymentEvent(
    'payment.reversed',
    'A bank or the network reversed a payment, all or some of it: a chargeback. The amount is due again; `amount_remaining` of the order says how much.',
    { ...paidPaymentExample, status: 'reversed', amount_reversed: 65000 },
  ),
}

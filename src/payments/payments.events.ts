import { defineEvent } from '../events/events.ts'
import {
  Payment,
  type PaymentView,
  paidPaymentExample,
  paymentExample,
  provenPaymentExample,
} from './payments.schemas.ts'

const paymentEvent = (name: string, description: string, example: PaymentView) =>
  defineEvent({ name, description, data: Payment, example })

export const paymentEvents = {
  pending: paymentEvent(
    'payment.pending',
    'The customer can pay now: the QRIS code, virtual account or other instructions are ready.',
    paymentExample,
  ),
  paid: paymentEvent(
    'payment.paid',
    'Money was received for a payment: the full amount, or a part where partial payments are possible.',
    paidPaymentExample,
  ),
  failed: paymentEvent(
    'payment.failed',
    'A payment failed: the provider refused it or could not be reached, or the customer could not pay.',
    {
      ...paymentExample,
      status: 'failed',
      qris: null,
      error: {
        code: 'method_not_activated',
        detail: 'The provider has not activated QRIS for this account.',
        provider_code: '402',
      },
    },
  ),
  expired: paymentEvent('payment.expired', 'A payment expired before it was paid.', {
    ...paymentExample,
    status: 'expired',
  }),
  late: paymentEvent(
    'payment.late',
    'Money was received for a payment that had expired, failed or was cancelled. A setting of the organization decides what happens to it.',
    paidPaymentExample,
  ),
  refunded: paymentEvent('payment.refunded', 'A payment was refunded, fully or partially.', {
    ...paidPaymentExample,
    amount_refunded: 15000,
  }),
  proofReceived: paymentEvent(
    'payment.proof_received',
    'A picture or document was attached to a payment as proof. Look at it and at your account before you mark the order as paid.',
    provenPaymentExample,
  ),
  reversed: paymentEvent(
    'payment.reversed',
    'A bank or the network reversed a payment, fully or partially (a chargeback). The amount is due again; `amount_remaining` of the order is how much.',
    { ...paidPaymentExample, status: 'reversed', amount_reversed: 65000 },
  ),
}

import { defineError } from '../kernel/errors.ts'

export const paymentMethodNotConfigured = defineError({
  code: 'payment_method_not_configured',
  status: 409,
  title: 'Payment method not set up',
  says: 'No payment account of the organization accepts this method. Choose one of `params.enabled`, or connect an account for it.',
  cause:
    'Each method needs a payment account: a provider for QRIS, virtual accounts, e-wallets and cards, or a manual account for cash, cash on delivery, bank transfer and invoices.',
  fix: 'Choose one of `params.enabled`, or connect a payment account for the method in the console.',
  example: { params: { method: 'virtual_account', enabled: ['qris', 'cash'] } },
})

export const paymentNotEndable = defineError({
  code: 'payment_not_endable',
  status: 409,
  title: 'Payment can no longer be ended',
  says: 'The provider did not end the open payment. Fetch the order again: it may have been paid in the meantime.',
  cause:
    'Before an order is cancelled or paid with another method, its open payment is ended at the provider, so that the customer cannot pay twice. The provider refused; `params.detail` is its reason.',
  fix: 'Fetch the order. If it is paid, nothing is left to do; otherwise repeat the request in a minute.',
})

export const paymentProviderUnavailable = defineError({
  code: 'payment_provider_unavailable',
  status: 503,
  title: 'Payment provider not reachable',
  says: 'The payment provider could not be reached, so nothing was changed. Repeat the request after Retry-After.',
  cause:
    'To cancel an order or to change its payment method, the provider first has to end the open payment. It did not respond. Nothing was changed.',
  fix: 'Repeat the request after `Retry-After`.',
})

export const refundNotPossible = defineError({
  code: 'refund_not_possible',
  status: 409,
  title: 'Provider cannot refund this payment',
  says: 'This payment cannot be refunded through its provider. Pay the customer back yourself and record it with `manual` and a `note`.',
  cause: 'Providers cannot refund virtual accounts, transfers and cash.',
  fix: 'Transfer the money to the customer, then create the refund with `"manual": true` and a `note` that says how it was paid.',
  example: { params: { payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const refundOnlyInFull = defineError({
  code: 'refund_only_in_full',
  status: 409,
  title: 'Provider refunds this payment in full only',
  says: 'The provider refunds this payment only in full, which is `params.amount`. Refund all of it, or pay the part back yourself and record it with `manual` and a `note`.',
  cause: 'Some e-wallets take no refund of a part. The reference page of the provider says which.',
  fix: 'Refund `params.amount`, or transfer the part to the customer and create the refund with `"manual": true` and a `note`.',
  example: { params: { amount: 45_000, payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const refundTooLarge = defineError({
  code: 'refund_too_large',
  status: 409,
  title: 'Refund exceeds the payment',
  says: 'The refund is larger than the amount that can still be refunded, which is `params.refundable`. Choose a lower amount.',
  cause:
    'The refunds of a payment together never exceed the amount received for it. Pending refunds count; failed refunds do not.',
  fix: 'Refund at most `params.refundable`.',
  example: { params: { refundable: 45_000, payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const paymentNotFound = defineError({
  code: 'payment_not_found',
  status: 404,
  title: 'Payment not found',
  says: 'There is no payment with this id. Check the id, or find the payment with `GET /payments`.',
  cause: 'No payment of the organization has this id. Payment ids begin with `pay_`.',
  fix: 'Find the payment with `GET /payments`, or in `payments` of its order.',
  example: { params: { id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const refundNotFound = defineError({
  code: 'refund_not_found',
  status: 404,
  title: 'Refund not found',
  says: 'There is no refund with this id. Check the id, or find the refund with `GET /refunds`.',
  cause: 'No refund of the organization has this id. Refund ids begin with `rfd_`.',
  fix: 'Find the refund with `GET /refunds`, or in `refunds` of its order.',
  example: { params: { id: 'rfd_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

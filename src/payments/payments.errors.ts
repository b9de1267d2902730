import { defineError } from '../kernel/errors.ts'

export const paymentMethodNotConfigured = defineError({
  code: 'payment_method_not_configured',
  status: 409,
  title: 'The payment method is not set up',
  says: 'No payment account of the organization can take this method. Choose one of `params.enabled`, or set up an account for it.',
  help: 'Each way to pay needs a payment account that serves it: a provider for QRIS, virtual accounts, e-wallets and cards, or a manual account for cash, cash on delivery, bank transfer and invoices. `params.enabled` lists what the organization can take now.',
})

export const paymentNotEndable = defineError({
  code: 'payment_not_endable',
  status: 409,
  title: 'The payment can no longer be ended',
  says: 'The provider would not end the open attempt. Look at the order again: it may have been paid meanwhile.',
  help: 'Before an order is cancelled or paid another way, the open attempt is ended at the provider, so that nobody pays twice. The provider refused that; `params.detail` says why.',
})

export const paymentProviderUnavailable = defineError({
  code: 'payment_provider_unavailable',
  status: 503,
  title: 'The payment provider does not answer',
  says: 'The payment provider could not be reached, so nothing was changed. Try again after Retry-After.',
  help: 'Cancelling an order, and paying it another way, needs the provider to end the open attempt first. Nothing was done; repeat the request later.',
})

export const refundNotPossible = defineError({
  code: 'refund_not_possible',
  status: 409,
  title: 'The provider cannot give this back',
  says: 'This payment cannot be refunded through its provider. Pay the customer back yourself and record it with `manual` and a `note`.',
  help: 'Virtual accounts, transfers and cash have no refunds at the provider. Transfer the money back, then create the refund with `"manual": true` and a `note` that says how it was done.',
})

export const refundTooLarge = defineError({
  code: 'refund_too_large',
  status: 409,
  title: 'More than was paid cannot be refunded',
  says: 'The refund is larger than what is left of the payment. `params.refundable` says how much is.',
  help: 'All refunds of a payment together never exceed what came in for it. Refunds that are under way count; refunds that failed do not.',
})

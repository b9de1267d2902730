import { defineError } from '../../kernel/errors.ts'

export const simulatedPaymentNotFound = defineError({
  code: 'simulated_payment_not_found',
  status: 404,
  title: 'Simulated payment not found',
  says: 'There is no payment or refund of a simulator account with this id.',
  cause: 'Only payments and refunds of a payment account of the provider `simulator` can be simulated.',
  fix: 'Use the id of a payment or refund whose `provider` is `simulator`.',
})

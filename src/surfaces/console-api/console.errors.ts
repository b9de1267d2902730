import { defineError } from '../../kernel/errors.ts'

export const requestLogNotFound = defineError({
  code: 'request_log_not_found',
  status: 404,
  title: 'No such request',
  says: 'There is no request with this id in the log of this organization.',
  help: 'Requests are kept for 30 days unless the operator chose otherwise. A call that was made a moment ago may need a second to appear.',
})

export const simulatedPaymentNotFound = defineError({
  code: 'simulated_payment_not_found',
  status: 404,
  title: 'No such simulated payment',
  says: 'There is no payment or refund of a simulator account with this id.',
  help: 'Only payments that were asked for through a payment account of the provider `simulator` can be played.',
})

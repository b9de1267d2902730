import { defineError } from '../../kernel/errors.ts'

export const paymentAccountNotFound = defineError({
  code: 'payment_account_not_found',
  status: 404,
  title: 'There is no such payment account',
  says: 'There is no payment account with this id.',
  help: 'Payment account ids begin with `pac_`. List the payment accounts to find the one you mean.',
})

export const paymentAccountLimitReached = defineError({
  code: 'payment_account_limit_reached',
  status: 409,
  title: 'There are too many payment accounts',
  says: 'The organization has as many payment accounts as it may have. Change one that is no longer needed instead.',
  help: 'An organization may have 20 payment accounts; `params.max` tells the limit. One account serves all methods of its provider.',
})

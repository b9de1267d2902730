import { defineError } from '../../kernel/errors.ts'

export const paymentAccountNotFound = defineError({
  code: 'payment_account_not_found',
  status: 404,
  title: 'Payment account not found',
  says: 'There is no payment account with this id. Check the id in the console.',
  cause: 'No payment account of the organization has this id. The ids begin with `pac_`.',
  fix: 'Look up the id in the list of payment accounts in the console.',
})

export const paymentAccountLimitReached = defineError({
  code: 'payment_account_limit_reached',
  status: 409,
  title: 'Too many payment accounts',
  says: 'The organization has the highest number of payment accounts. Edit one that is no longer needed instead.',
  cause:
    'An organization can have 20 payment accounts; `params.max` is the limit. One account serves all methods of its provider.',
  fix: 'Edit an account that is no longer needed.',
  example: { params: { max: 20 } },
})

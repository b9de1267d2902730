import { defineError } from '../kernel/errors.ts'

export const orderNotFound = defineError({
  code: 'order_not_found',
  status: 404,
  title: 'There is no such order',
  says: 'There is no order with this id.',
  help: 'Order ids begin with `ord_`. An order is found by its `number` or `reference` with `GET /orders`.',
})

export const orderReferenceTaken = defineError({
  code: 'order_reference_taken',
  status: 409,
  title: 'The reference belongs to another order',
  says: 'Another order already has this reference; `params.order_id` names it. Use that order, or another reference.',
  help: 'A `reference` is unique within the organization, so that one sale in your system is one order here. If you meant to repeat a request, send it with the same `Idempotency-Key`.',
})

export const orderNotCancellable = defineError({
  code: 'order_not_cancellable',
  status: 409,
  title: 'The order can no longer be cancelled',
  says: 'An order in this state cannot be cancelled. `params.status` names the state.',
  help: 'A draft, and an order that waits for payment, is confirmed or is being processed, can be cancelled. What is completed, expired or cancelled stays so; money can still be given back with a refund.',
})

export const orderNotCompletable = defineError({
  code: 'order_not_completable',
  status: 409,
  title: 'The order is not ready for that',
  says: 'Only a confirmed order can be processed and completed. `params.status` names its state.',
  help: 'An order is confirmed by its payment, or from the start when nothing is waited for (cash, on delivery, on account). A draft needs a way to pay first (`POST /orders/{id}/payments`), unless it comes to nothing.',
})

export const orderPaymentReversed = defineError({
  code: 'order_payment_reversed',
  status: 409,
  title: 'The payment of the order was reversed',
  says: 'A bank reversed money of this order, so it cannot be completed. Have the remaining amount paid again, or accept the loss with `POST /orders/{id}/review`.',
  help: 'After a chargeback `payment_status` is `reversed`, and `amount_remaining` is due again. The order can be completed once that is paid (`POST /orders/{id}/payments`, or `mark-paid` for money that staff received), or once a person accepted the loss: `POST /orders/{id}/review` with `{"decision":"accept"}`.',
})

export const orderAlreadyPaid = defineError({
  code: 'order_already_paid',
  status: 409,
  title: 'The order is paid already',
  says: 'This order is paid already. To record one more payment of the customer, send `again` with its `amount`.',
  help: 'Marking an order as paid twice must not count twice. If the customer really paid once more, send `"again": true`, the `amount` and, where nothing was to be paid by hand before, the `method`.',
})

export const orderNotPayable = defineError({
  code: 'order_not_payable',
  status: 409,
  title: 'The order can no longer be paid',
  says: 'Nothing is left to pay on this order, or it is over. `params.status` and `params.payment_status` say which.',
  help: 'A new attempt needs an order that waits for payment, or one that is on account and not fully paid. After an order has expired or was cancelled, make a new one.',
})

export const orderNotManual = defineError({
  code: 'order_not_manual',
  status: 409,
  title: 'The provider says when this is paid',
  says: 'The open attempt is with a provider, which reports payments itself. Open an attempt by cash, bank_transfer or another manual method first.',
  help: 'Marking as paid is for methods that nobody reports: cash, cash on delivery, transfers to your own account, your own static QRIS, invoices. If the customer paid another way after all, open an attempt by that method; the one at the provider is ended then.',
})

export const orderHasNoMoney = defineError({
  code: 'order_has_no_money',
  status: 409,
  title: 'There is nothing to give back',
  says: 'No payment of this order has money that could be given back.',
  help: 'A refund needs a payment that was paid and not yet fully refunded.',
})

export const orderReviewNotNeeded = defineError({
  code: 'order_review_not_needed',
  status: 409,
  title: 'Nobody has to look at this order',
  says: 'This order has no open review.',
  help: '`needs_review` of an order says whether there is something to decide, and why.',
})

export const orderLimitReached = defineError({
  code: 'order_limit_reached',
  status: 409,
  title: 'The order has all it can have of this',
  says: 'An order takes only so many attempts to pay it and so many refunds. `params` says of what, and how many. Make a new order for the rest.',
  help: 'An order can have 100 attempts to pay it and 500 refunds. More than that is a loop somewhere: look at the request log for what keeps calling.',
})

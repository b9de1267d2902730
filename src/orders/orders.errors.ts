import { defineError } from '../kernel/errors.ts'

export const orderNotFound = defineError({
  code: 'order_not_found',
  status: 404,
  title: 'Order not found',
  says: 'There is no order with this id. Check the id, or find the order with `GET /orders`.',
  cause: 'No order of the organization has this id. Order ids begin with `ord_`.',
  fix: 'Find the order by its `number` or `reference` with `GET /orders`.',
  example: { params: { id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const orderReferenceTaken = defineError({
  code: 'order_reference_taken',
  status: 409,
  title: 'Reference already used',
  says: 'Another order already has this reference; `params.order_id` is that order. Use it, or choose another reference.',
  cause: 'A `reference` is unique within the organization, so that one sale in your system is one order here.',
  fix: 'Use the order in `params.order_id`, or choose another reference. To repeat a request safely, send the same `Idempotency-Key`.',
  example: { params: { order_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg', reference: 'WEB-2291' } },
})

export const orderNotCancellable = defineError({
  code: 'order_not_cancellable',
  status: 409,
  title: 'Order can no longer be cancelled',
  says: 'An order with this status cannot be cancelled; `params.status` is its status. Refund it if it was paid.',
  cause:
    'An order can be cancelled while it is a draft, awaiting payment, confirmed or processing. A completed, expired or cancelled order keeps its status.',
  fix: 'To return money of a completed order, refund it with `POST /orders/{id}/refunds`.',
  example: { params: { status: 'completed', payment_status: 'paid' } },
})

export const orderNotCompletable = defineError({
  code: 'order_not_completable',
  status: 409,
  title: 'Order is not confirmed',
  says: 'Only a confirmed order can be processed and completed; `params.status` is its status.',
  cause:
    'Payment confirms an order. An order with cash, cash on delivery or an invoice is confirmed from the start. A draft is not confirmed.',
  fix: 'Wait for the payment, or record it with `POST /orders/{id}/mark-paid`. A draft needs a payment first (`POST /orders/{id}/payments`), unless its total is 0.',
  example: { params: { status: 'pending_payment' } },
})

export const orderNotShippable = defineError({
  code: 'order_not_shippable',
  status: 409,
  title: 'Order cannot be shipped or delivered',
  says: 'Only a confirmed, processing or completed order can be shipped, and only once; `params.status` and `params.delivery_status` are those of the order. To correct the courier or the tracking, edit the order.',
  cause:
    'A draft, an order that awaits payment, and one that was cancelled or expired are not sent. An order that was shipped is not shipped again, and one that was delivered stays delivered.',
  fix: 'Wait for the payment. To correct the courier or the tracking number of a shipped order, send `delivery` with `PATCH /orders/{id}`.',
  example: { params: { status: 'pending_payment', delivery_status: null } },
})

export const orderNotEditable = defineError({
  code: 'order_not_editable',
  status: 409,
  title: 'Order can no longer be edited',
  says: 'The items and amounts of this order can no longer be changed, because a payment was received or the order has ended; see `params.status` and `params.payment_status`. Leave them out, or create another order for what was added.',
  cause:
    'Items, discount, shipping, tax and amount can be changed while nothing was received and the order is not completed, cancelled or expired. The other fields can be changed at any time.',
  fix: 'Fetch the order again. Create another order for what was added, or refund what was removed.',
  example: { params: { status: 'confirmed', payment_status: 'paid' } },
})

export const orderChanged = defineError({
  code: 'order_changed',
  status: 409,
  title: 'Order changed at the same time',
  says: 'Another request changed this order or its payment at the same time, and this one was not applied. Fetch the order again, and repeat the request if you still want it.',
  cause:
    'Two requests replaced the payment of the order at the same moment. One of them was applied, the other changed nothing.',
  fix: 'Fetch the order again, and repeat the request if you still want it.',
})

export const orderPaymentReversed = defineError({
  code: 'order_payment_reversed',
  status: 409,
  title: 'Payment was reversed',
  says: 'A bank reversed money of this order, so it cannot be completed. Have the remaining amount paid again, or accept the loss with `POST /orders/{id}/review`.',
  cause: 'After a reversal (chargeback) `payment_status` is `reversed`, and `amount_remaining` is due again.',
  fix: 'Have it paid again with `POST /orders/{id}/payments`, record money that staff received with `mark-paid`, or accept the loss: `POST /orders/{id}/review` with `{"decision":"accept"}`.',
  example: { params: { amount_remaining: 65_000 } },
})

export const orderAlreadyPaid = defineError({
  code: 'order_already_paid',
  status: 409,
  title: 'Order already paid',
  says: 'This order is already paid. To record a second payment of the customer, send `again` with its `amount`.',
  cause: 'An order that is marked as paid twice must not count twice.',
  fix: 'If the customer paid a second time, send `"again": true`, the `amount` and, unless the order already has a manual payment, the `method`.',
  example: { params: { payment_status: 'paid' } },
})

export const orderNotPayable = defineError({
  code: 'order_not_payable',
  status: 409,
  title: 'Order can no longer be paid',
  says: 'Nothing is left to pay on this order, or it has ended; see `params.status` and `params.payment_status`. Create a new order if something is still to be paid.',
  cause: 'A new payment needs an order that is awaiting payment, or a confirmed one that is not paid in full.',
  fix: 'If the order is expired or cancelled, create a new order. If it is paid, nothing is left to do.',
  example: { params: { status: 'expired', payment_status: 'unpaid' } },
})

export const orderNotManual = defineError({
  code: 'order_not_manual',
  status: 409,
  title: 'The provider reports this payment',
  says: 'The open payment is with a provider, which reports it when it is paid. Open a payment with cash, bank_transfer or another manual method first.',
  cause:
    'Mark as paid is for methods that no provider reports: cash, cash on delivery, transfers to your own account, your own static QRIS, and invoices.',
  fix: 'If the customer paid another way, open a payment with that method (`POST /orders/{id}/payments`), which ends the one with the provider, then mark the order as paid.',
})

export const orderHasNoMoney = defineError({
  code: 'order_has_no_money',
  status: 409,
  title: 'Nothing to refund',
  says: 'No payment of this order has money left to refund. Check `amount_paid` and `refunds` of the order.',
  cause: 'A refund needs a payment that is paid and not yet fully refunded.',
  fix: 'Check `amount_paid` and `refunds` of the order. If you sent `payment`, leave it out to refund any payment of the order.',
  example: { params: { payment: null } },
})

export const orderReviewNotNeeded = defineError({
  code: 'order_review_not_needed',
  status: 409,
  title: 'No review open',
  says: 'This order has no open review, so there is nothing to decide.',
  cause: '`needs_review` of the order is null: no review was raised, or all are closed.',
  fix: 'Fetch the order again. Nothing needs to be done.',
})

export const orderLimitReached = defineError({
  code: 'order_limit_reached',
  status: 409,
  title: 'Order limit reached',
  says: 'This order has reached the highest number of payments or refunds; see `params.of` and `params.max`. Create a new order for the remaining amount.',
  cause:
    'An order can have 100 payments and 500 refunds. More than that usually means that a program repeats a call in a loop.',
  fix: 'Look in the request log for the program that keeps calling. Create a new order for the remaining amount.',
  example: { params: { of: 'payments', max: 100 } },
})

export const documentNotAvailable = defineError({
  code: 'document_not_available',
  status: 409,
  title: 'No receipt or invoice yet',
  says: 'This order has no such document yet; see `params.kind`, `params.status` and `params.payment_status`. A receipt needs a payment that was received, an invoice a fixed amount.',
  cause:
    'A receipt exists once money was received. An invoice exists for an order with a fixed total that is not a draft, and is not issued for a cancelled or expired order.',
  fix: 'Wait for the payment before you ask for the receipt. Submit a draft with `POST /orders/{id}/payments` before you ask for its invoice.',
  example: { params: { kind: 'receipt', status: 'pending_payment', payment_status: 'pending' } },
})

export const orderHasNoRecipient = defineError({
  code: 'order_has_no_recipient',
  status: 409,
  title: 'Order has no chat',
  says: 'This order has neither a chat nor a phone number, so nothing can be sent. Add `customer.phone` with `PATCH /orders/{id}`, or share `url` of the receipt.',
  cause: 'Documents go to the chat of the order, or to the phone number of its customer.',
  fix: 'Send `customer.phone` with `PATCH /orders/{id}`, or share the link of `GET /orders/{id}/receipt` another way.',
})

export const statementLineNotFound = defineError({
  code: 'statement_line_not_found',
  status: 404,
  title: 'Statement line not found',
  says: 'There is no statement line with this id. Find it with `GET /statements`.',
  cause: 'No statement line of the organization has this id. The ids begin with `stm_`.',
  fix: 'List the open lines with `GET /statements?status=open`.',
  example: { params: { id: 'stm_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const statementLineConfirmed = defineError({
  code: 'statement_line_confirmed',
  status: 409,
  title: 'Statement line is confirmed',
  says: 'This line already pays an order; `params.order_id` names it. A line pays one order.',
  cause: 'The line was confirmed as the payment of an order.',
  fix: 'If it was the wrong order, refund that order with `manual`, and mark the right one as paid.',
  example: { params: { order_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const paymentLinkNotFound = defineError({
  code: 'payment_link_not_found',
  status: 404,
  title: 'Payment link not found',
  says: 'There is no payment link with this id. Find it with `GET /payment-links`.',
  cause: 'No payment link of the organization has this id. Their ids begin with `plk_`.',
  fix: 'Find the link by its `title` with `GET /payment-links`.',
  example: { params: { id: 'plk_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

import { initiatorOf } from '../../events/events.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import {
  paymentMethodNotConfigured,
  paymentNotEndable,
  paymentProviderUnavailable,
  refundNotPossible,
  refundOnlyInFull,
  refundTooLarge,
} from '../../payments/payments.errors.ts'
import { CreatedRefund, refundExample } from '../../payments/payments.schemas.ts'
import { presentRefund } from '../../payments/refunds/refunds.ts'
import type { Tx } from '../../platform/database/database.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { outOfStock } from '../../products/products.errors.ts'
import {
  orderAlreadyPaid,
  orderHasNoMoney,
  orderLimitReached,
  orderNotCancellable,
  orderNotCompletable,
  orderNotFound,
  orderNotManual,
  orderNotPayable,
  orderNotShippable,
  orderPaymentReversed,
  orderReviewNotNeeded,
} from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { type Call, payAnotherWay, termsOf } from './another-payment.ts'
import { getOrder, resolveOrderId } from './locked-order.ts'
import { AMOUNT_UNSAID, markPaid, planOnTop } from './mark-paid.ts'
import { advanceOrder, cancelOrder, moveDelivery, reviewOrder } from './order-actions.ts'
import { commitOnce } from './order-answers.ts'
import { endOpenAttempt, findOpenAttempt, planNewAttempt } from './order-attempts.ts'
import { type RefundRequest, refundOrder } from './order-refunds.ts'
import {
  type DeliveryInput,
  NewDelivery,
  NewOrderPayment,
  NewRefund,
  OrderPaid,
  OrderReview,
} from './order-requests.schemas.ts'
import { presentLocked } from './order-view.ts'
import { paidOrderExample, TAG } from './orders.routes.ts'
import { deliveryExample, OrderWithPayments, orderExample, orderParams, orderParamsExample } from './orders.schemas.ts'

const reply = { status: 200, body: OrderWithPayments }
const write = { access: key('orders:write'), tag: TAG, method: 'POST' as const, params: orderParams }
/** A request that names the order by its number does not share a transaction, because the number is resolved first. */
const sharedBy = ({ id = '' }: Record<string, string>) => (isId('ord', id) ? id : null)
const openOrderExample = { ...orderExample, payments: [orderExample.payment], ledger: [] }

const orderIdOf = ({ database }: OrdersContext, { orgId }: Caller, { id }: { id: string }): Promise<string> =>
  resolveOrderId(database, orgId, id)

/** Ends the open attempt at the provider, then cancels the order. */
async function cancel(context: OrdersContext, orgId: OrgId, { id, initiator, ...own }: Call) {
  const order = await getOrder(context.database, orgId, id)
  if (!orderStates.can(order.status, 'cancel') && order.status !== 'cancelled')
    throw orderNotCancellable({ params: { status: order.status, payment_status: order.payment_status } })
  await endOpenAttempt(context, await findOpenAttempt(context, orgId, id), initiator)
  const render = async (tx: Tx) => presentLocked(context, tx, await cancelOrder(context, tx, orgId, { id, initiator }))
  return commitOnce(context, orgId, { id, ...own, status: 200, location: null, schema: OrderWithPayments, render })
}

/** Cancelling a cancelled order changes nothing, so it needs no approval. */
async function rehearseCancel(context: OrdersContext, orgId: OrgId, id: string): Promise<void> {
  const { status, payment_status } = await getOrder(context.database, orgId, id)
  if (!orderStates.can(status, 'cancel')) throw orderNotCancellable({ params: { status, payment_status } })
}

const present = async (context: OrdersContext, tx: Tx, order: Promise<LockedOrder>) =>
  presentLocked(context, tx, await order)

type AdvanceCall = { tx: Tx; caller: Caller; requestId: Id<'req'>; params: { id: string } }

const advance = async (context: OrdersContext, call: AdvanceCall, to: 'processing' | 'completed') => {
  const { tx, caller, params } = call
  const id = await resolveOrderId(tx, caller.orgId, params.id)
  return present(context, tx, advanceOrder(context, tx, caller.orgId, { id, initiator: initiatorOf(call), to }))
}

type DeliveryCall = AdvanceCall & { body: DeliveryInput }

const moveDeliveryTo = async (context: OrdersContext, call: DeliveryCall, to: 'shipped' | 'delivered') => {
  const { tx, caller, params, body: details } = call
  const id = await resolveOrderId(tx, caller.orgId, params.id)
  return present(
    context,
    tx,
    moveDelivery(context, tx, caller.orgId, { id, initiator: initiatorOf(call), to, details }),
  )
}

const lifeRoutes = (context: OrdersContext) => [
  defineRoute({
    ...write,
    id: 'cancelOrder',
    agentTool: { decision: 'ask', rank: 12, target: 'cancelled_order', isMessage: true },
    path: '/orders/{id}/cancel',
    summary: 'Cancel an order',
    description:
      'Ends the open payment at the provider, then cancels the order. Money that was received is refunded if the provider can; otherwise the order needs review with `refund_due`. An order can be cancelled until it is completed: while it is a draft, awaiting payment, confirmed or processing.',
    idempotency: 'own',
    reply,
    errors: [orderNotFound, orderNotCancellable, paymentNotEndable, paymentProviderUnavailable],
    example: {
      params: orderParamsExample,
      reply: { ...openOrderExample, status: 'cancelled', payment_status: 'unpaid' },
    },
    rehearse: async ({ caller, params }) =>
      rehearseCancel(context, caller.orgId, await orderIdOf(context, caller, params)),
    handle: async ({ caller, requestId, params, claim, companion }) =>
      cancel(context, caller.orgId, {
        id: await orderIdOf(context, caller, params),
        initiator: initiatorOf({ caller, requestId }),
        claim,
        companion,
      }),
  }),
  defineRoute({
    ...write,
    id: 'processOrder',
    agentTool: { decision: 'ask', rank: 8, target: 'order' },
    path: '/orders/{id}/process',
    summary: 'Start processing an order',
    description: 'Marks an order as processing. It must be confirmed, or a draft with a total of 0.',
    idempotency: 'transaction',
    sharedBy,
    reply,
    errors: [orderNotFound, orderNotCompletable, outOfStock],
    example: { params: orderParamsExample, reply: { ...paidOrderExample, status: 'processing' } },
    handle: (call) => advance(context, call, 'processing'),
  }),
  defineRoute({
    ...write,
    id: 'completeOrder',
    agentTool: { decision: 'ask', rank: 11, target: 'order' },
    path: '/orders/{id}/complete',
    summary: 'Complete an order',
    description:
      'Marks an order as completed. It must be confirmed or processing, or a draft with a total of 0. Fails after a reversal until the money is paid again or the loss is accepted (`POST /orders/{id}/review`).',
    idempotency: 'transaction',
    sharedBy,
    reply,
    errors: [orderNotFound, orderNotCompletable, orderPaymentReversed, outOfStock],
    example: { params: orderParamsExample, reply: { ...paidOrderExample, status: 'completed' } },
    handle: (call) => advance(context, call, 'completed'),
  }),
  defineRoute({
    ...write,
    id: 'shipOrder',
    agentTool: { decision: 'ask', rank: 9, target: 'order', isMessage: true },
    path: '/orders/{id}/ship',
    summary: 'Ship an order',
    description:
      'Records that the goods are on their way, with courier and tracking, and notifies the customer. The order must be confirmed, processing or completed; its `status` stays. Fields you leave out keep their value.',
    idempotency: 'transaction',
    sharedBy,
    body: NewDelivery,
    isBodyOptional: true,
    reply,
    errors: [orderNotFound, orderNotShippable, orderPaymentReversed],
    example: {
      params: orderParamsExample,
      body: { courier: 'jne', service: 'REG', tracking_number: 'JX1234567890' },
      reply: { ...paidOrderExample, status: 'processing', delivery: deliveryExample },
    },
    handle: (call) => moveDeliveryTo(context, call, 'shipped'),
  }),
  defineRoute({
    ...write,
    id: 'deliverOrder',
    agentTool: { decision: 'ask', rank: 10, target: 'order', isMessage: true },
    path: '/orders/{id}/deliver',
    summary: 'Mark an order as delivered',
    description:
      'Records that the goods have reached the customer, and notifies them. Also possible without shipping before, for goods that were collected. `status` stays; complete the order when nothing is left to do.',
    idempotency: 'transaction',
    sharedBy,
    reply,
    errors: [orderNotFound, orderNotShippable, orderPaymentReversed],
    example: {
      params: orderParamsExample,
      reply: {
        ...paidOrderExample,
        delivery: { ...deliveryExample, status: 'delivered', delivered_at: '2026-11-16T04:12:00.000Z' },
      },
    },
    handle: (call) => moveDeliveryTo(context, { ...call, body: {} }, 'delivered'),
  }),
  defineRoute({
    ...write,
    id: 'reviewOrder',
    path: '/orders/{id}/review',
    summary: 'Close the review of an order',
    description:
      'Closes the review after a person has checked the order. `accept` accepts the amount received: an order that is awaiting payment or expired is confirmed, and an order with a reversal may be completed without that money. `dismiss` only closes the review.',
    idempotency: 'transaction',
    sharedBy,
    body: OrderReview,
    reply,
    errors: [orderNotFound, orderReviewNotNeeded],
    example: { params: orderParamsExample, body: { decision: 'accept' }, reply: paidOrderExample },
    handle: async ({ tx, caller, requestId, params, body }) =>
      present(
        context,
        tx,
        reviewOrder(context, tx, caller.orgId, {
          id: await resolveOrderId(tx, caller.orgId, params.id),
          initiator: initiatorOf({ caller, requestId }),
          decision: body.decision,
        }),
      ),
  }),
]

const noteNeeded = () =>
  breaksSchema([{ pointer: '#/note', code: 'required', detail: 'Describe in "note" how the customer was refunded.' }])

const moneyRoutes = (context: OrdersContext) => [
  defineRoute({
    ...write,
    id: 'createOrderPayment',
    agentTool: {
      decision: 'ask',
      rank: 7,
      target: 'order_payment',
      isMessage: true,
      isAdditive: true,
      answersInFull: true,
    },
    path: '/orders/{id}/payments',
    summary: 'Open a new payment',
    description:
      'Opens a new payment for the remaining amount, with the same method or another. With `amount` it is a down payment or an instalment: a part of the remaining amount, after which the order stays open for what remains. The open payment is ended at its provider first. The first payment of a draft submits it.',
    idempotency: 'own',
    body: NewOrderPayment,
    reply: { status: 201, body: OrderWithPayments },
    location: ({ id }) => `/orders/${id}`,
    errors: [
      orderNotFound,
      orderNotPayable,
      orderLimitReached,
      valueRefused,
      paymentMethodNotConfigured,
      paymentNotEndable,
      paymentProviderUnavailable,
      outOfStock,
    ],
    example: {
      params: orderParamsExample,
      body: { method: 'virtual_account', bank: 'bni' },
      reply: openOrderExample,
    },
    rehearse: async ({ caller, params, body }) =>
      planNewAttempt(context, caller.orgId, { id: await orderIdOf(context, caller, params), ...termsOf(body) }),
    handle: async ({ caller, requestId, params, body, claim, companion, path }) =>
      payAnotherWay(context, caller.orgId, {
        id: await orderIdOf(context, caller, params),
        initiator: initiatorOf({ caller, requestId }),
        claim,
        companion,
        ...termsOf(body),
        path,
      }),
  }),
  defineRoute({
    ...write,
    id: 'markOrderPaid',
    path: '/orders/{id}/mark-paid',
    summary: 'Mark an order as paid',
    description:
      'Records a payment that no provider reports: cash, cash on delivery, a transfer to your own account, your own static QRIS, or an invoice. The person, time, amount and note are stored. With less than the remaining amount the order stays open. To record a second payment of a paid order, send `again` with `amount`, and `method` if the order was paid through a provider; the order then needs review. Use the same for money that a bank returned to you after a dispute.',
    idempotency: 'transaction',
    sharedBy,
    body: OrderPaid,
    reply,
    errors: [
      orderNotFound,
      orderAlreadyPaid,
      orderNotManual,
      orderLimitReached,
      valueRefused,
      paymentMethodNotConfigured,
    ],
    example: {
      params: orderParamsExample,
      body: { amount: 65000, note: 'Seen on the statement of 14 November' },
      reply: paidOrderExample,
    },
    async handle({ tx, caller, requestId, params, body }) {
      const { amount, again: isAgain = false, method } = body
      if (isAgain && amount === undefined) throw breaksSchema([AMOUNT_UNSAID])
      const onTop = method === undefined ? null : await planOnTop(context, caller.orgId, { method, amount, isAgain })
      const money = { amount: amount ?? null, isAgain, onTop, note: body.note ?? null }
      const id = await resolveOrderId(tx, caller.orgId, params.id)
      const marked = { id, initiator: initiatorOf({ caller, requestId }), ...money }
      return present(context, tx, markPaid(context, tx, caller.orgId, marked))
    },
  }),
  defineRoute({
    ...write,
    id: 'createOrderRefund',
    agentTool: {
      decision: 'ask',
      rank: 13,
      target: 'refund',
      hasAmount: true,
      isMessage: true,
      answersInFull: true,
    },
    path: '/orders/{id}/refunds',
    summary: 'Refund an order',
    description:
      'Refunds through the provider, or records a refund by staff (`manual` with a `note`). Without a body everything received is refunded. An amount that exceeds one payment is split over several, newest first; `parts` lists each refund. The refunds of a payment never exceed the amount received for it. The provider may take longer than this request: the event `order.refunded` reports when it is done.',
    idempotency: 'transaction',
    sharedBy,
    body: NewRefund,
    isBodyOptional: true,
    reply: { status: 201, body: CreatedRefund },
    errors: [orderNotFound, orderHasNoMoney, orderLimitReached, refundNotPossible, refundOnlyInFull, refundTooLarge],
    example: {
      params: orderParamsExample,
      body: { amount: 15000, reason: 'One cup was spilled' },
      reply: { ...refundExample, parts: [refundExample] },
    },
    async handle({ tx, caller, requestId, params, body }) {
      const isManual = body.manual ?? false
      if (isManual && !body.note?.trim()) throw noteNeeded()
      const request: RefundRequest = {
        amount: body.amount ?? null,
        paymentId: body.payment ?? null,
        reason: body.reason ?? null,
        note: body.note ?? null,
        isManual,
      }
      const initiator = initiatorOf({ caller, requestId })
      const id = await resolveOrderId(tx, caller.orgId, params.id)
      const parts = (await refundOrder(context, tx, caller.orgId, { id, initiator, request })).map(presentRefund)
      return { ...firstOf(parts), parts }
    },
  }),
]

export const orderActionRoutes = (context: OrdersContext) => [...lifeRoutes(context), ...moneyRoutes(context)]

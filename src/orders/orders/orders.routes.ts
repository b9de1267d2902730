import { z } from 'zod'
import { initiatorOf } from '../../events/events.ts'
import { firstIdAt, type OrgId } from '../../kernel/ids.ts'
import {
  paymentMethodNotConfigured,
  paymentNotEndable,
  paymentProviderUnavailable,
} from '../../payments/payments.errors.ts'
import { movementExample, paidPaymentExample } from '../../payments/payments.schemas.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineOwnChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import {
  cursorParameter,
  idSchema,
  limitParameter,
  momentOf,
  momentSchema,
  textSchema,
} from '../../platform/http/schemas.ts'
import { parsePhone } from '../../platform/phone/phone-numbers.ts'
import { outOfStock, productInactive } from '../../products/products.errors.ts'
import {
  orderChanged,
  orderLimitReached,
  orderNotEditable,
  orderNotFound,
  orderReferenceTaken,
} from '../orders.errors.ts'
import type { OrdersContext } from '../orders-context.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { paymentStatuses } from '../settlement/settlement.ts'
import { resolveOrderId } from './locked-order.ts'
import { editOrder, rehearseEdit } from './order-edits.ts'
import type { OrderFilter, OrderSearch } from './order-list.sql.ts'
import { NewOrder, OrderChanges, phoneText } from './order-requests.schemas.ts'
import { Order, OrderWithPayments, orderExample, orderParams, orderParamsExample } from './orders.schemas.ts'
import { lockOrder } from './orders.sql.ts'
import { createOrder, listOrders, type OrdersParts, readOrder, rehearseOrder } from './orders.ts'

export const TAG = 'Orders'
export const paidOrderExample = {
  ...orderExample,
  status: 'confirmed' as const,
  payment_status: 'paid' as const,
  amount_paid: 65000,
  amount_remaining: 0,
  payment: paidPaymentExample,
  payments: [paidPaymentExample],
  ledger: [movementExample],
}

const orderQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  status: z
    .array(z.enum(orderStates.all))
    .min(1)
    .max(orderStates.all.length)
    .optional()
    .meta({ description: 'One or more, joined with commas.' }),
  payment_status: z
    .array(z.enum(paymentStatuses))
    .min(1)
    .max(paymentStatuses.length)
    .optional()
    .meta({ description: 'One or more, joined with commas.' }),
  phone: phoneText.optional().meta({ description: 'Phone number of the customer, in any usual spelling.' }),
  chat_id: idSchema('chat').optional().meta({ description: 'Filter by chat, including chats merged into it.' }),
  reference: textSchema(100, 1).optional().meta({ description: 'Exact match.' }),
  payment_link_id: idSchema('plk').optional().meta({ description: 'Filter by payment link.' }),
  needs_review: z.boolean().optional().meta({ description: 'Only orders that need review, or only the others.' }),
  created_after: momentSchema.optional().meta({ description: 'Created at this time or later.' }),
  created_before: momentSchema.optional().meta({ description: 'Created before this time.' }),
  updated_after: momentSchema.optional().meta({ description: 'Changed at this time or later.' }),
  updated_before: momentSchema.optional().meta({ description: 'Changed before this time.' }),
  q: textSchema(100, 2).optional().meta({
    description: 'Search by order number, reference, phone number, or the start of the customer’s name.',
  }),
})

type Filters = Omit<z.output<typeof orderQuery>, 'limit' | 'cursor'>

const smaller = (one: string | null, other: string | null) =>
  one === null || other === null ? (one ?? other) : one < other ? one : other

/** Removes duplicates: every state is a separate search, so a repeated state would list its orders twice. */
const onceEach = <Value>(values: readonly Value[] | undefined) => (values === undefined ? null : [...new Set(values)])

async function filterOf(context: OrdersContext, orgId: OrgId, filters: Filters): Promise<Omit<OrderFilter, 'limit'>> {
  const { default_country: country } = await context.profiles.read(orgId)
  const timeOrNull = (text: string | undefined) => (text === undefined ? null : momentOf(text))
  const idOrNull = (text: string | undefined) => (text === undefined ? null : firstIdAt('ord', momentOf(text)))
  return {
    statuses: onceEach(filters.status),
    paymentStatuses: onceEach(filters.payment_status),
    // An impossible number matches no order.
    phone: filters.phone === undefined ? null : (parsePhone(filters.phone, country)?.e164 ?? ''),
    chatIds: filters.chat_id === undefined ? null : await chatIdsOf(context, orgId, filters.chat_id),
    reference: filters.reference ?? null,
    paymentLinkId: filters.payment_link_id ?? null,
    search: filters.q === undefined ? null : searchFor(filters.q, country),
    needsReview: filters.needs_review ?? null,
    fromId: idOrNull(filters.created_after),
    beforeId: smaller(idOrNull(filters.created_before), createdBefore(filters.updated_before)),
    updatedFrom: timeOrNull(filters.updated_after),
    updatedBefore: timeOrNull(filters.updated_before),
  }
}

async function chatIdsOf({ findChat }: OrdersContext, orgId: OrgId, id: string): Promise<string[]> {
  const chat = await findChat(orgId, id)
  return chat === null ? [] : [chat.id, ...chat.mergedIds]
}

/** An order that was last changed before a time was created before it. Ids may run a moment ahead of the clock. */
const createdBefore = (text: string | undefined) =>
  text === undefined ? null : firstIdAt('ord', new Date(momentOf(text).getTime() + ID_AHEAD_MS))

const ID_AHEAD_MS = 5000

function searchFor(text: string, country: string): OrderSearch {
  const trimmed = text.trim()
  const digits = /^#?(\d{1,15})$/.exec(trimmed)?.[1]
  return {
    number: digits === undefined ? null : Number(digits),
    text: trimmed,
    phone: parsePhone(trimmed, country)?.e164 ?? null,
  }
}

export const orderRoutes = (parts: OrdersParts) => [
  defineRoute({
    id: 'createOrder',
    method: 'POST',
    path: '/orders',
    tag: TAG,
    summary: 'Create an order',
    description:
      'Creates an order and its payment: a QRIS code, a virtual account number, or what `billingType` names. Only `billingType` is required; without `items` and `amount` the payer chooses the amount. If the provider is slow, `payment.status` is `created`: fetch the order again, or wait for the event `payment.pending`.',
    access: key('orders:write'),
    agentTool: {
      decision: 'ask',
      rank: 5,
      target: 'new_order',
      hasAmount: true,
      isMessage: true,
      isAdditive: true,
      answersOwnWords: true,
      answersInFull: true,
    },
    idempotency: 'own',
    body: NewOrder,
    reply: { status: 201, body: Order },
    location: ({ id }) => `/orders/${id}`,
    errors: [paymentMethodNotConfigured, orderReferenceTaken, productInactive, outOfStock, valueRefused],
    example: {
      body: {
        billingType: 'qris',
        items: [
          { sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18000 },
          { name: 'Roti bakar', quantity: 1, unit_price: 24000 },
        ],
        shipping: 5000,
        customer: { name: 'Budi', phone: '0812-3456-7890' },
        reference: 'WEB-2291',
      },
      reply: orderExample,
    },
    rehearse: ({ caller, body }) => rehearseOrder(parts, caller.orgId, body),
    handle: ({ caller, requestId, body, claim, companion, path }) =>
      createOrder(parts, caller.orgId, {
        input: body,
        claim,
        companion,
        path,
        initiator: initiatorOf({ caller, requestId }),
      }),
  }),
  defineList({
    id: 'listOrders',
    path: '/orders',
    tag: TAG,
    summary: 'List orders',
    description: 'Orders, newest first. All filters can be combined.',
    access: key('orders:read'),
    agentTool: true,
    query: orderQuery,
    item: Order,
    example: { query: { status: 'pending_payment' }, items: [orderExample] },
    list: 'orders',
    sort: '-id',
    async read({ caller, filters, limit, position }) {
      const filter = await filterOf(parts.context, caller.orgId, filters)
      const beforeId = smaller(filter.beforeId, position === null ? null : String(position[0]))
      return listOrders(parts.context, caller.orgId, { ...filter, beforeId, limit })
    },
    place: placeById,
    present: (orders) => orders,
  }),
  defineRoute({
    id: 'getOrder',
    method: 'GET',
    path: '/orders/{id}',
    tag: TAG,
    summary: 'Get an order',
    description: 'Returns one order with all its payments and refunds.',
    access: key('orders:read'),
    agentTool: { reads: 'customer_text' },
    params: orderParams,
    reply: { status: 200, body: OrderWithPayments },
    errors: [orderNotFound],
    example: { params: orderParamsExample, reply: paidOrderExample },
    handle: ({ caller, params, queries }) => readOrder(parts.context, caller.orgId, params.id, queries),
  }),
  defineOwnChange({
    id: 'updateOrder',
    method: 'PATCH',
    path: '/orders/{id}',
    tag: TAG,
    summary: 'Edit an order',
    description:
      'Changes an order; fields you leave out keep their value. Items and amounts can be changed while nothing was received: the total is computed again, and the open payment is ended at its provider and replaced by one for the new amount, with the same method and time to pay. The other fields can be changed at any time.',
    access: key('orders:write'),
    agentTool: {
      decision: 'ask',
      rank: 6,
      target: 'edited_order',
      hasAmount: true,
      isMessage: true,
    },
    params: orderParams,
    body: OrderChanges,
    reply: { status: 200, body: OrderWithPayments },
    errors: [
      orderNotFound,
      orderNotEditable,
      orderChanged,
      orderReferenceTaken,
      orderLimitReached,
      valueRefused,
      paymentMethodNotConfigured,
      paymentNotEndable,
      paymentProviderUnavailable,
      productInactive,
      outOfStock,
    ],
    example: {
      params: orderParamsExample,
      body: { shipping: 8000, note: 'Deliver on Saturday' },
      reply: { ...orderExample, note: 'Deliver on Saturday', payments: [orderExample.payment], ledger: [] },
    },
    async lock(tx, { caller, params }) {
      await lockOrder(tx, caller.orgId, await resolveOrderId(tx, caller.orgId, params.id))
    },
    async rehearse({ caller, params, body }) {
      const { context } = parts
      const id = await resolveOrderId(context.database, caller.orgId, params.id)
      await rehearseEdit(context, caller.orgId, { id, changes: body })
    },
    async handle({ caller, requestId, params, body, assertMatch, companion }) {
      const { context } = parts
      const id = await resolveOrderId(context.database, caller.orgId, params.id)
      const initiator = initiatorOf({ caller, requestId })
      await editOrder(context, caller.orgId, { id, changes: body, initiator, companion, assertMatch })
      return readOrder(context, caller.orgId, id)
    },
  }),
]

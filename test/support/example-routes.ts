import { z } from 'zod'
import { type DefinedError, type ErrorDeclaration, ProblemError } from '../../src/kernel/errors.ts'
import { anyKey, defineChange, defineRoute, key, type Route } from '../../src/platform/http/define-route.ts'
import type { WebhookDescription } from '../../src/platform/http/openapi/openapi-webhooks.ts'
import {
  cursorParameter,
  idSchema,
  limitParameter,
  listOf,
  textSchema,
  timeSchema,
} from '../../src/platform/http/schemas.ts'

/**
 * One route of every kind that the description has to cope with, as a capability would declare them. They serve the tests
 * of the description and are mounted nowhere. Their errors are not registered: they must not appear among the real ones.
 */
const exampleError = (declaration: ErrorDeclaration): DefinedError =>
  Object.assign((options = {}) => new ProblemError(declaration, options), declaration)

const orderNotFound = exampleError({
  code: 'example_order_not_found',
  status: 404,
  title: 'There is no such order',
  says: 'There is no order with this id. List the orders to find the one you mean.',
  cause: 'Order ids begin with `ord_`.',
  fix: 'List the orders to find the id.',
})

const orderNotCancellable = exampleError({
  code: 'example_order_not_cancellable',
  status: 409,
  title: 'The order can no longer be cancelled',
  says: 'This order was completed. Refund it instead.',
  cause: 'Only an order that is still open can be cancelled.',
  fix: 'Refund it instead.',
})

const statuses = ['open', 'paid', 'cancelled'] as const

const Money = z
  .object({
    amount: z.int().min(0).max(10_000_000_000),
    currency: z
      .string()
      .length(3)
      .regex(/^[A-Z]{3}$/),
  })
  .meta({ id: 'ExampleMoney', description: 'Whole rupiah.' })

const Order = z
  .object({
    object: z.literal('order'),
    id: idSchema('ord'),
    status: z.enum(statuses),
    payment_status: z.enum(['paid', 'unpaid']).nullable(),
    total: Money.nullable(),
    total_paid: Money,
    note: textSchema(500).nullable().meta({ description: 'For the shop; the customer does not see it.' }),
    items: z.array(z.object({ name: textSchema(200, 1), quantity: z.int().min(1).max(999) })).max(100),
    metadata: z
      .record(
        z
          .string()
          .max(40)
          .regex(/^[a-z_]+$/),
        textSchema(500),
      )
      .meta({ maxProperties: 50, description: 'Yours; never interpreted.' }),
    created_at: timeSchema,
  })
  .meta({ id: 'ExampleOrder', description: 'An order.' })

const NewOrder = z
  .strictObject({
    items: z
      .array(z.strictObject({ name: textSchema(200, 1), quantity: z.int().min(1).max(999).default(1) }))
      .min(1)
      .max(100),
    note: textSchema(500).nullable().optional(),
  })
  .meta({ id: 'ExampleNewOrder', description: 'An order to be created.' })

const OrderChange = z.strictObject({ note: textSchema(500).nullable().optional() }).meta({ id: 'ExampleOrderChange' })

const orderExample = {
  object: 'order',
  id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'open',
  payment_status: null,
  total: { amount: 25_000, currency: 'IDR' },
  total_paid: { amount: 0, currency: 'IDR' },
  note: null,
  items: [{ name: 'Kopi susu', quantity: 2 }],
  metadata: { table: '7' },
  created_at: '2026-11-14T09:30:00.000Z',
}

const orderId = z.object({ id: idSchema('ord') })
const orderIdExample = { id: orderExample.id }
const neverCalled = (): never => {
  throw new Error('an example route is described, never called')
}

const reads: Route[] = [
  defineRoute({
    id: 'listOrders',
    method: 'GET',
    path: '/orders',
    tag: 'Orders',
    summary: 'List orders',
    description: 'Newest first.',
    access: key('orders:read'),
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      status: z.array(z.enum(statuses)).max(3).optional().meta({ description: 'Any of these, separated by commas.' }),
      is_test: z.boolean().optional().meta({ description: 'Only test orders, or only real ones.' }),
    }),
    reply: { status: 200, body: listOf(Order) },
    example: {
      query: { limit: '25', status: 'open,paid' },
      reply: { object: 'list', data: [orderExample], has_more: false, next_cursor: null, url: '/api/public/v1/orders' },
    },
    handle: neverCalled,
  }),
  defineRoute({
    id: 'getOrder',
    method: 'GET',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Retrieve an order',
    description: 'One order with everything about it.',
    access: key('orders:read'),
    params: orderId,
    reply: { status: 200, body: Order },
    errors: [orderNotFound],
    example: { params: orderIdExample, reply: orderExample },
    handle: neverCalled,
  }),
]

const writes: Route[] = [
  defineRoute({
    id: 'createOrder',
    method: 'POST',
    path: '/orders',
    tag: 'Orders',
    summary: 'Create an order',
    description: 'Creates an order that can be paid at once.',
    access: key('orders:write'),
    idempotency: 'transaction',
    body: NewOrder,
    reply: { status: 201, body: Order },
    location: (order) => `/orders/${order.id}`,
    example: { body: { items: [{ name: 'Kopi susu', quantity: 2 }] }, reply: orderExample },
    handle: neverCalled,
  }),
  defineRoute({
    id: 'cancelOrder',
    method: 'POST',
    path: '/orders/{id}/cancel',
    tag: 'Orders',
    summary: 'Cancel an order',
    description: 'Takes no body.',
    access: key('orders:write'),
    idempotency: 'own',
    params: orderId,
    reply: { status: 200, body: Order },
    errors: [orderNotFound, orderNotCancellable],
    example: { params: orderIdExample, reply: { ...orderExample, status: 'cancelled' } },
    handle: neverCalled,
  }),
  defineChange({
    id: 'updateOrder',
    method: 'PATCH',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Change an order',
    description: 'Changes what the body names and leaves the other members.',
    access: key('orders:write'),
    params: orderId,
    body: OrderChange,
    reply: { status: 200, body: Order },
    errors: [orderNotFound],
    example: { params: orderIdExample, body: { note: 'Less sugar' }, reply: { ...orderExample, note: 'Less sugar' } },
    lock: neverCalled,
    handle: neverCalled,
  }),
  defineChange({
    id: 'deleteOrder',
    method: 'DELETE',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Delete an order',
    description: 'Only a draft can go.',
    access: key('orders:write'),
    params: orderId,
    reply: { status: 204, body: null },
    errors: [orderNotFound],
    example: { params: orderIdExample, reply: null },
    lock: neverCalled,
    handle: neverCalled,
  }),
  defineRoute({
    id: 'rotateSecret',
    method: 'POST',
    path: '/secret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    description: 'Shows the new one once.',
    access: anyKey,
    idempotency: 'transaction',
    showsSecret: true,
    reply: {
      status: 200,
      body: z
        .object({
          secret: z
            .string()
            .max(60)
            .regex(/^whsec_/),
        })
        .meta({ id: 'ExampleSecret' }),
    },
    example: { reply: { secret: 'whsec_example' } },
    handle: neverCalled,
  }),
]

export const exampleRoutes: Route[] = [...reads, ...writes]

export const exampleWebhooks: WebhookDescription[] = [
  {
    type: 'order.paid',
    summary: 'An order was paid',
    description: 'The whole amount has arrived.',
    schema: z
      .object({ id: idSchema('evt'), type: z.literal('order.paid'), created_at: timeSchema, data: Order })
      .meta({ id: 'ExampleOrderPaidEvent' }),
    example: {
      id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
      type: 'order.paid',
      created_at: '2026-11-14T09:30:00.000Z',
      data: { ...orderExample, status: 'paid', payment_status: 'paid' },
    },
  },
]

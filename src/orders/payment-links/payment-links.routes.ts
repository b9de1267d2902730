import { z } from 'zod'
import { paymentMethodNotConfigured } from '../../payments/payments.errors.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import type { OrdersParts } from '../orders/orders.ts'
import { paymentLinkNotFound } from '../orders.errors.ts'
import { NewPaymentLink, PaymentLink, PaymentLinkChange, paymentLinkExample } from './payment-links.schemas.ts'
import { changeLink, checkNewLink, createLink, getLink, holdLink, listLinkRows, presentLinks } from './payment-links.ts'

const TAG = 'Payment links'
const params = z.object({ id: idSchema('plk') })
const paramsExample = { id: paymentLinkExample.id }
const newLinkExample = { title: 'Kelas barista', description: 'Sabtu, pukul 10.00', amount: 150000 }
const unpaidExample = { ...paymentLinkExample, paid_count: 0, amount_received: 0 }

export const paymentLinkRoutes = (parts: OrdersParts) => [
  defineRoute({
    id: 'createPaymentLink',
    method: 'POST',
    path: '/payment-links',
    tag: TAG,
    summary: 'Create a payment link',
    description:
      'Creates a page that anyone with its `url` can pay on. The order is created when it is paid, and its `payment_link_id` names the link.',
    access: key('orders:write'),
    idempotency: 'transaction',
    body: NewPaymentLink,
    reply: { status: 201, body: PaymentLink },
    location: ({ id }) => `/payment-links/${id}`,
    errors: [paymentMethodNotConfigured, valueRefused],
    example: { body: newLinkExample, reply: unpaidExample },
    precheck: ({ caller, body }) => checkNewLink(parts, caller.orgId, body),
    handle: ({ tx, caller, body }) => createLink(parts.context, tx, caller.orgId, body),
  }),
  defineList({
    id: 'listPaymentLinks',
    path: '/payment-links',
    tag: TAG,
    summary: 'List payment links',
    description: 'Payment links, newest first, with what they received.',
    access: key('orders:read'),
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      active: z.boolean().optional().meta({ description: 'Only active links, or only the others.' }),
    }),
    item: PaymentLink,
    example: { query: { active: 'true' }, items: [paymentLinkExample] },
    list: 'payment links',
    sort: '-id',
    read: ({ caller, filters, limit, position }) =>
      listLinkRows(parts.context, caller.orgId, {
        active: filters.active ?? null,
        beforeId: position === null ? null : String(position[0]),
        limit,
      }),
    place: placeById,
    present: (rows) => presentLinks(parts.context, parts.context.database, rows),
  }),
  defineRoute({
    id: 'getPaymentLink',
    method: 'GET',
    path: '/payment-links/{id}',
    tag: TAG,
    summary: 'Get a payment link',
    description: 'Returns one payment link with what it received.',
    access: key('orders:read'),
    params,
    reply: { status: 200, body: PaymentLink },
    errors: [paymentLinkNotFound],
    example: { params: paramsExample, reply: paymentLinkExample },
    handle: ({ caller, params: { id }, queries }) => getLink(parts.context, queries, caller.orgId, id),
  }),
  defineChange({
    id: 'updatePaymentLink',
    method: 'PATCH',
    path: '/payment-links/{id}',
    tag: TAG,
    summary: 'Edit a payment link',
    description:
      'Changes the fields you send. `{"active": false}` deactivates the link: payers who had opened it can still pay until their hour is over.',
    access: key('orders:write'),
    params,
    body: PaymentLinkChange,
    reply: { status: 200, body: PaymentLink },
    errors: [paymentLinkNotFound, valueRefused],
    example: {
      params: paramsExample,
      body: { active: false },
      reply: { ...paymentLinkExample, active: false, status: 'inactive' },
    },
    lock: (tx, { caller, params: { id } }) => holdLink(tx, caller.orgId, id),
    handle: ({ tx, caller, params: { id }, body }) => changeLink(parts.context, tx, caller.orgId, { id, input: body }),
  }),
]

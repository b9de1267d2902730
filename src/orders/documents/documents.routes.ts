import type { OrganizationProfile } from '../../accounts/organizations/organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { Message, messageExample } from '../../messaging/messages/messages.schemas.ts'
import { numberNotConnected, recipientOptedOut, replyWindowClosed } from '../../messaging/messaging.errors.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { languageOf } from '../notices/notices.ts'
import { orderParams, orderParamsExample } from '../orders/orders.schemas.ts'
import { getOrder } from '../orders/orders.ts'
import { documentNotAvailable, orderHasNoRecipient, orderNotFound } from '../orders.errors.ts'
import type { Order, OrdersContext } from '../orders-context.ts'
import { documentExample, OrderDocument, type OrderDocumentView } from './documents.schemas.ts'
import {
  type DocumentKind,
  documentNumberOf,
  documentTexts,
  documentUrlOf,
  issueDocument,
  renderForCustomer,
} from './documents.ts'

async function getDocument(
  context: OrdersContext,
  orgId: OrgId,
  named: { orderId: string; kind: DocumentKind },
): Promise<OrderDocumentView> {
  const document = await issueDocument(context, orgId, named)
  const url = documentUrlOf(context.payments.context, document)
  return {
    object: 'order_document',
    id: document.id,
    kind: document.kind,
    number: documentNumberOf(document),
    order_id: document.order_id,
    url,
    pdf_url: `${url}/document.pdf`,
    issued_at: document.issued_at.toISOString(),
  }
}

const captionOf = (kind: DocumentKind, { number }: Order, profile: OrganizationProfile): string => {
  const { titles, order } = documentTexts[languageOf(profile)]
  return `${titles[kind]} · ${order} ${number}`
}

const shared = { tag: 'Orders', access: key('orders:read'), params: orderParams } as const
const reply = { status: 200, body: OrderDocument } as const
const errors = [orderNotFound, documentNotAvailable]

export const documentRoutes = (context: OrdersContext) => [
  defineRoute({
    ...shared,
    id: 'getOrderReceipt',
    method: 'GET',
    path: '/orders/{id}/receipt',
    summary: 'Get the receipt of an order',
    description:
      'Returns the links to the receipt as page and PDF. The first request numbers it. There is a receipt once money was received.',
    reply,
    errors,
    example: { params: orderParamsExample, reply: documentExample },
    handle: ({ caller, params }) => getDocument(context, caller.orgId, { orderId: params.id, kind: 'receipt' }),
  }),
  defineRoute({
    ...shared,
    id: 'getOrderInvoice',
    method: 'GET',
    path: '/orders/{id}/invoice',
    summary: 'Get the invoice of an order',
    description:
      'Returns the links to the invoice as page and PDF. The first request numbers it. A draft, and an order whose payer chooses the amount, has no invoice.',
    reply,
    errors,
    example: {
      params: orderParamsExample,
      reply: { ...documentExample, kind: 'invoice', number: 'INV-000012' },
    },
    handle: ({ caller, params }) => getDocument(context, caller.orgId, { orderId: params.id, kind: 'invoice' }),
  }),
  sendRoute(context, {
    kind: 'receipt',
    id: 'sendOrderReceipt',
    path: '/orders/{id}/send-receipt',
    summary: 'Send the receipt of an order',
  }),
  sendRoute(context, {
    kind: 'invoice',
    id: 'sendOrderInvoice',
    path: '/orders/{id}/send-invoice',
    summary: 'Send the invoice of an order',
  }),
]

type Sending = { kind: DocumentKind; id: string; path: `/${string}`; summary: string }

const sendRoute = (context: OrdersContext, { kind, ...names }: Sending) =>
  defineRoute({
    ...shared,
    ...names,
    method: 'POST',
    description: `Sends the ${kind} as a PDF document into the chat of the order, while the reply window is open. Returns the message.`,
    access: key('orders:write'),
    idempotency: 'own',
    reply: { status: 201, body: Message },
    location: ({ id }) => `/messages/${id}`,
    errors: [...errors, orderHasNoRecipient, numberNotConnected, replyWindowClosed, recipientOptedOut],
    example: { params: orderParamsExample, reply: messageExample },
    async handle({ caller: { orgId, type, id: callerId }, params, requestId, claim, companion, path }) {
      const order = await getOrder(context.database, orgId, params.id)
      if (order.chat_id === null && order.customer_phone === null) throw orderHasNoRecipient()
      const file = await renderForCustomer(context, orgId, { orderId: order.id, kind })
      return context.sendDocument({
        order,
        file,
        caption: captionOf(kind, order, await context.profiles.read(orgId)),
        sender: { type, id: callerId },
        location: path.replace(/\/orders\/[^/]+\/send-\w+$/, '/messages'),
        ...{ requestId, claim, companion },
      })
    },
  })

import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import type { Chat } from './chats.ts'
import { call } from './client.ts'
import { type Closed, type PaymentAccount, paymentMethods, paymentStatuses } from './generated.ts'

export type Order = Closed<Sdk.Order>
export type OrderWithPayments = Closed<Sdk.OrderWithPayments>
export type Payment = Closed<Sdk.Payment>
export type Refund = Closed<Sdk.Refund>
export type { NewOrder, OrderChanges, OrderPaid } from '../../../sdk/src/generated/types.ts'
export type OrderStatus = Order['status']
export type PaymentMethod = Payment['method']
/** A method, or that the payer chooses one. */
export type BillingType = NonNullable<Order['billingType']>
/** Any but `free`. */
export type ChargedMethod = Sdk.NewOrderPayment['method']
export type AttemptStatus = Payment['status']
export { paymentMethods, paymentStatuses }

export const orderQuery = (id: string) =>
  queryOptions({
    queryKey: ['order', id],
    queryFn: ({ signal }) => call('GET /api/proxy/orders/{id}', { params: { id }, signal }),
  })
/** By phone also those of other chats; who hides it has only this chat. */
export const ordersFoundQuery = (q: string) =>
  queryOptions({
    queryKey: ['orders-found', q],
    queryFn: ({ signal }) => call('GET /api/proxy/orders', { query: { q, limit: 8 }, signal }),
  })

export const ordersOfChatQuery = ({ id, contact }: Pick<Chat, 'id' | 'contact'>) => {
  const whose = contact.phone === null ? { chat_id: id } : { phone: contact.phone }
  return queryOptions({
    queryKey: ['orders-of', whose],
    queryFn: ({ signal }) => call('GET /api/proxy/orders', { query: { ...whose, limit: 10 }, signal }),
  })
}
export const createOrder = (body: Sdk.NewOrder, idempotencyKey: string) =>
  call('POST /api/proxy/orders', { body, idempotencyKey })
export const updateOrder = (id: string, body: Sdk.OrderChanges) =>
  call('PATCH /api/proxy/orders/{id}', { params: { id }, body })
export const orderReceipt = (id: string) => call('GET /api/proxy/orders/{id}/receipt', { params: { id } })
export const orderInvoice = (id: string) => call('GET /api/proxy/orders/{id}/invoice', { params: { id } })
export const sendReceipt = (id: string) => call('POST /api/proxy/orders/{id}/send-receipt', { params: { id } })
export const sendInvoice = (id: string) => call('POST /api/proxy/orders/{id}/send-invoice', { params: { id } })
export const cancelOrder = (id: string) => call('POST /api/proxy/orders/{id}/cancel', { params: { id } })
export const processOrder = (id: string) => call('POST /api/proxy/orders/{id}/process', { params: { id } })
export const completeOrder = (id: string) => call('POST /api/proxy/orders/{id}/complete', { params: { id } })
export const shipOrder = (id: string, body: Sdk.NewDelivery) =>
  call('POST /api/proxy/orders/{id}/ship', { params: { id }, body })
export const deliverOrder = (id: string) => call('POST /api/proxy/orders/{id}/deliver', { params: { id } })
export const reviewOrder = (id: string, decision: Sdk.OrderReview['decision']) =>
  call('POST /api/proxy/orders/{id}/review', { params: { id }, body: { decision } })
export const payOrder = (id: string, body: Sdk.NewOrderPayment, idempotencyKey: string) =>
  call('POST /api/proxy/orders/{id}/payments', { params: { id }, body, idempotencyKey })
export const markOrderPaid = (id: string, body: Sdk.OrderPaid, idempotencyKey: string) =>
  call('POST /api/proxy/orders/{id}/mark-paid', { params: { id }, body, idempotencyKey })
export const refundOrder = (id: string, body: Sdk.NewRefund, idempotencyKey: string) =>
  call('POST /api/proxy/orders/{id}/refunds', { params: { id }, body, idempotencyKey })

/** Which acts a state permits; the server has the same table and the last word. */
const permitted: Record<OrderStatus, readonly ('edit' | 'cancel' | 'process' | 'complete' | 'pay')[]> = {
  draft: ['edit', 'cancel', 'pay'],
  pending_payment: ['edit', 'cancel', 'pay'],
  confirmed: ['edit', 'cancel', 'process', 'complete', 'pay'],
  processing: ['edit', 'cancel', 'complete', 'pay'],
  completed: ['pay'],
  expired: [],
  cancelled: [],
}
export const orderStatuses = Object.keys(permitted) as OrderStatus[]

const isPaidUp = ({ payment_status }: Order) => payment_status === 'paid' || payment_status === 'overpaid'

/** Whether the money is complete: received in full, whatever was refunded since, or accepted by a person. */
function isSettled({ payment_status, amount_remaining }: Order): boolean {
  if (amount_remaining !== null) return amount_remaining === 0
  return !['unpaid', 'pending', 'reversed'].includes(payment_status)
}

/** A bank reversed money that was neither paid again nor accepted as a loss. */
export const isReversalOpen = ({ payment_status, amount_remaining }: Order) =>
  payment_status === 'reversed' && amount_remaining !== 0

/** Goods may be sent. */
const isGoing = (order: Order) =>
  ['confirmed', 'processing', 'completed'].includes(order.status) && !isReversalOpen(order)

/** A cart that comes to nothing goes on without a payment. */
const isFreeDraft = ({ status, total }: Order) => status === 'draft' && total === 0

export const orderCan = {
  /** Names, notes, address and due date at any time; prices while nothing was received. */
  edit: () => true,
  price: ({ status, amount_paid }: Order) => amount_paid === 0 && permitted[status].includes('edit'),
  cancel: ({ status }: Order) => permitted[status].includes('cancel'),
  process: (order: Order) => permitted[order.status].includes('process') || isFreeDraft(order),
  complete: (order: Order) =>
    (permitted[order.status].includes('complete') && !isReversalOpen(order)) || isFreeDraft(order),
  ship: (order: Order) => isGoing(order) && (order.delivery === null || order.delivery.status === 'pending'),
  deliver: (order: Order) => isGoing(order) && order.delivery?.status === 'shipped',
  pay: (order: Order) => permitted[order.status].includes('pay') && !isSettled(order) && !isFreeDraft(order),
  markPaid: ({ payment }: Order) => payment?.provider === 'manual' && isLive(payment),
  /** The customer paid a second time, although nothing was due. */
  paidAgain: (order: Order) =>
    isPaidUp(order) && order.amount_paid > 0 && order.payment !== null && !isLive(order.payment),
  refund: (order: Order) => order.amount_paid > order.amount_returned,
}

export const isLive = ({ status }: Payment) => status === 'created' || status === 'pending'

/** `channels` are the banks of virtual accounts, the wallets, the stores, the card and pay later services. */
export type EnabledMethod = { method: BillingType; channels: string[] }

/** What the organization can be paid with now. */
export function enabledMethods(accounts: readonly PaymentAccount[]): EnabledMethod[] {
  const offered = accounts.filter(({ state }) => state === 'active').flatMap(({ methods }) => methods)
  return paymentMethods
    .filter((method) => offered.some((offer) => offer.method === method))
    .map((method) => ({
      method,
      channels: channelsOf(offered.filter((offer) => offer.method === method)),
    }))
}

/** Staff collect these, so they are not paid on the payment page. */
const IN_PERSON: readonly BillingType[] = ['cash', 'cod', 'invoice', 'free']

export const isPaidOnline = (method: BillingType) => !IN_PERSON.includes(method)

/** The payer can choose where there is something to choose from. */
export const withChoice = (methods: readonly EnabledMethod[]): EnabledMethod[] =>
  methods.filter(({ method }) => isPaidOnline(method)).length < 2
    ? [...methods]
    : [...methods, { method: 'choice', channels: [] }]

/** The first of an account is its default, so the order stays; banks are many and sorted. */
function channelsOf(offers: readonly PaymentAccount['methods'][number][]): string[] {
  const named = [...new Set(offers.flatMap(({ channels }) => channels.flatMap(({ channel }) => channel ?? [])))]
  return offers.some(({ method }) => method === 'virtual_account') ? named.sort() : named
}

/** The channel in the field of its method. */
export const channelField = (method: BillingType | null, channel: string) =>
  method === 'virtual_account' ? { bank: channel } : { channel }

/** By which of them staff take the money themselves. One that a provider serves as well is the provider's. */
export function manualMethods(accounts: readonly PaymentAccount[]): ChargedMethod[] {
  const offered = accounts.filter(({ state }) => state === 'active').flatMap(({ methods }) => methods)
  return paymentMethods.filter((method): method is ChargedMethod => {
    const offers = offered.filter((offer) => offer.method === method)
    return method !== 'free' && offers.length > 0 && offers.every(({ is_manual }) => is_manual)
  })
}

import { queryOptions } from '@tanstack/react-query'
import type { Chat } from './chats.ts'
import { type List, publicApi } from './client.ts'
import type { PaymentAccount } from './settings.ts'

export const paymentMethods = [
  'qris',
  'virtual_account',
  'bank_transfer',
  'cash',
  'cod',
  'ewallet',
  'card',
  'retail',
  'invoice',
  'free',
] as const
export type PaymentMethod = (typeof paymentMethods)[number]

export const orderStatuses = [
  'draft',
  'pending_payment',
  'confirmed',
  'processing',
  'completed',
  'expired',
  'cancelled',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

export const paymentStatuses = [
  'unpaid',
  'pending',
  'partially_paid',
  'paid',
  'overpaid',
  'partially_refunded',
  'refunded',
  'reversed',
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

const reviewReasons = [
  'amount_mismatch',
  'amount_unknown',
  'duplicate_payment',
  'late_payment',
  'overpaid',
  'provider_silent',
  'refund_due',
  'refund_failed',
  'refund_mismatch',
  'reversed',
  'underpaid',
] as const
export type ReviewReason = (typeof reviewReasons)[number]

export type Failure = { code: string; detail: string; provider_code: string | null }
export type AttemptStatus = 'created' | 'pending' | 'paid' | 'failed' | 'expired' | 'cancelled' | 'reversed'
export type Payment = {
  id: string
  order_id: string
  method: PaymentMethod
  bank: string | null
  provider: 'simulator' | 'midtrans' | 'xendit' | 'manual'
  status: AttemptStatus
  amount: number | null
  amount_paid: number
  amount_refunded: number
  amount_reversed: number
  expires_at: string | null
  paid_at: string | null
  qris: { string: string | null; image_url: string } | null
  virtual_account: { bank: string; number: string; name: string | null } | null
  bill: { biller_code: string; bill_key: string } | null
  instructions: Record<string, string> | null
  pay_url: string
  error: Failure | null
  created_at: string
  updated_at: string
}
export type Refund = {
  id: string
  payment_id: string
  status: 'requested' | 'pending' | 'succeeded' | 'failed'
  amount: number
  manual: boolean
  reason: string | null
  note: string | null
  error: Failure | null
  actor: { type: string; id: string | null }
  created_at: string
  succeeded_at: string | null
}
export type OrderItem = { sku: string | null; name: string; quantity: number; unit_price: number; subtotal: number }
export type Order = {
  id: string
  number: string
  status: OrderStatus
  billingType: PaymentMethod | null
  customer: { name: string | null; phone: string | null; contact_id: string | null }
  chat_id: string | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  total: number | null
  payment_status: PaymentStatus
  amount_paid: number
  amount_returned: number
  amount_remaining: number | null
  amount_overpaid: number
  payment: Payment | null
  needs_review: { reason: ReviewReason; reasons: ReviewReason[]; since: string } | null
  notify: boolean
  reference: string | null
  note: string | null
  created_at: string
  updated_at: string
}
export type Movement = {
  payment_id: string
  kind: 'capture' | 'refund' | 'reversal'
  amount: number
  note: string | null
}

export type OrderWithPayments = Order & { payments: Payment[]; refunds: Refund[]; ledger: Movement[] }

export type NewOrder = {
  billingType: string
  payment?: { bank?: string; expires_in_seconds?: number }
  items?: { name: string; quantity: number; unit_price: number }[]
  amount?: number
  discount?: number
  shipping?: number
  tax?: number
  customer?: { name?: string; phone?: string }
  chat_id?: string
  notify?: boolean
  reference?: string
  note?: string
}

export const orderQuery = (id: string) =>
  queryOptions({
    queryKey: ['order', id],
    queryFn: ({ signal }) => publicApi.get<OrderWithPayments>(`/orders/${id}`, {}, signal),
  })
/** By phone also those of other chats; who hides it has only this chat. */
export const ordersOfChatQuery = ({ id, contact }: Pick<Chat, 'id' | 'contact'>) => {
  const whose = contact.phone === null ? { chat_id: id } : { phone: contact.phone }
  return queryOptions({
    queryKey: ['orders-of', whose],
    queryFn: ({ signal }) => publicApi.get<List<Order>>('/orders', { ...whose, limit: 10 }, signal),
  })
}
export const createOrder = (order: NewOrder, key: string) => publicApi.post<Order>('/orders', order, key)

const act = <Reply>(id: string, name: string, body?: unknown, key?: string) =>
  publicApi.post<Reply>(`/orders/${id}/${name}`, body, key)

export const cancelOrder = (id: string) => act<OrderWithPayments>(id, 'cancel')
export const processOrder = (id: string) => act<OrderWithPayments>(id, 'process')
export const completeOrder = (id: string) => act<OrderWithPayments>(id, 'complete')
export const reviewOrder = (id: string, decision: 'accept' | 'dismiss') =>
  act<OrderWithPayments>(id, 'review', { decision })
export const payOrder = (id: string, wish: { method: string; bank?: string }, key: string) =>
  act<OrderWithPayments>(id, 'payments', wish, key)
export type SeenMoney = { amount: number; note?: string; again?: true; method?: string }
export const markOrderPaid = (id: string, input: SeenMoney, key: string) =>
  act<OrderWithPayments>(id, 'mark-paid', input, key)
export type NewRefund = { amount: number; payment?: string; reason?: string; manual?: boolean; note?: string }
export const refundOrder = (id: string, input: NewRefund, key: string) => act<Refund>(id, 'refunds', input, key)

/** Which acts a state permits; the server has the same table and the last word. */
const permitted: Record<OrderStatus, readonly ('cancel' | 'process' | 'complete' | 'pay')[]> = {
  draft: ['cancel', 'pay'],
  pending_payment: ['cancel', 'pay'],
  confirmed: ['cancel', 'process', 'complete', 'pay'],
  processing: ['cancel', 'complete', 'pay'],
  completed: ['pay'],
  expired: [],
  cancelled: [],
}
const isPaidUp = ({ payment_status }: Order) => payment_status === 'paid' || payment_status === 'overpaid'

/** Whether the money is complete: received in full, whatever was refunded since, or accepted by a person. */
function isSettled({ payment_status, amount_remaining }: Order): boolean {
  if (amount_remaining !== null) return amount_remaining === 0
  return !['unpaid', 'pending', 'reversed'].includes(payment_status)
}

/** A bank reversed money that was neither paid again nor accepted as a loss. */
export const isReversalOpen = ({ payment_status, amount_remaining }: Order) =>
  payment_status === 'reversed' && amount_remaining !== 0

/** A cart that comes to nothing goes on without a payment. */
const isFreeDraft = ({ status, total }: Order) => status === 'draft' && total === 0

export const orderCan = {
  cancel: ({ status }: Order) => permitted[status].includes('cancel'),
  process: (order: Order) => permitted[order.status].includes('process') || isFreeDraft(order),
  complete: (order: Order) =>
    (permitted[order.status].includes('complete') && !isReversalOpen(order)) || isFreeDraft(order),
  pay: (order: Order) => permitted[order.status].includes('pay') && !isSettled(order) && !isFreeDraft(order),
  markPaid: ({ payment }: Order) => payment?.provider === 'manual' && isLive(payment),
  /** The customer paid once more, although nothing was owed. */
  paidAgain: (order: Order) =>
    isPaidUp(order) && order.amount_paid > 0 && order.payment !== null && !isLive(order.payment),
  refund: (order: Order) => order.amount_paid > order.amount_returned,
}

export const isLive = ({ status }: Payment) => status === 'created' || status === 'pending'

export type EnabledMethod = { method: PaymentMethod; banks: string[] }

/** What the organization can be paid with now. */
export function enabledMethods(accounts: readonly PaymentAccount[]): EnabledMethod[] {
  const offered = accounts.filter(({ state }) => state === 'active').flatMap(({ methods }) => methods)
  return paymentMethods
    .filter((method) => offered.some((offer) => offer.method === method))
    .map((method) => ({
      method,
      banks: [...new Set(offered.filter((offer) => offer.method === method).flatMap(({ banks }) => banks))].sort(),
    }))
}

/** By which of them staff take the money themselves. One that a provider serves as well is the provider's. */
export function manualMethods(accounts: readonly PaymentAccount[]): PaymentMethod[] {
  const offered = accounts.filter(({ state }) => state === 'active').flatMap(({ methods }) => methods)
  return paymentMethods.filter((method) => {
    const offers = offered.filter((offer) => offer.method === method)
    return method !== 'free' && offers.length > 0 && offers.every(({ is_manual }) => is_manual)
  })
}

export type OrderEvent = {
  id: string
  sequence: number
  type: string
  created_at: string
  actor: { type: string; id: string | null }
  data: Record<string, unknown>
  previous?: Record<string, unknown> | null
}

import type { PaymentMethod } from '../payments/payment-connector.ts'
import type { PaymentRow, RefundRow } from '../payments/payments-context.ts'
import type { Order } from './orders-context.ts'
import { asksTooMuch, isPaidOnce, isPaidUp, type OrderMoney, owedOf } from './payment-status.ts'

/**
 * What a customer should be told about an order as it stands now, as a pure function. Not the move that was made counts but
 * the state that holds: a notice that came true and false again before anybody was told is never sent.
 */
export const noticeKinds = ['instructions', 'partly_paid', 'paid', 'late', 'expired', 'cancelled', 'refunded'] as const
export type NoticeKind = (typeof noticeKinds)[number]

export type Notice =
  | { kind: 'instructions'; subject: string; payment: PaymentRow }
  | { kind: 'refunded'; subject: string; amount: number }
  | { kind: Exclude<NoticeKind, 'instructions' | 'refunded'>; subject: string }

export type NoticeFacts = {
  order: Order
  payments: readonly PaymentRow[]
  money: OrderMoney
  refunds: readonly RefundRow[]
  told: readonly { kind: NoticeKind; subject: string; message_id: string | null }[]
  nowMs: number
}

/** In the order in which they are told. */
export function dueNotices(facts: NoticeFacts): Notice[] {
  const isTold = ({ kind, subject }: Notice) =>
    facts.told.some((known) => known.kind === kind && known.subject === subject)
  return [...instructions(facts), ...ofMoney(facts), ...ofEnd(facts), ...refunds(facts)].filter(
    (notice) => !isTold(notice),
  )
}

/** Somebody takes the money in person, or sends a bill: the chat has nothing to add. */
const UNTOLD_METHODS: readonly PaymentMethod[] = ['cash', 'cod', 'invoice', 'free']
/** An order on account may be fulfilled long before it is paid. */
const OPEN: readonly Order['status'][] = ['pending_payment', 'confirmed', 'processing', 'completed']

function instructions({ order, payments, money, nowMs }: NoticeFacts): Notice[] {
  const payment = payments.find(({ id }) => id === order.payment_id)
  if (payment === undefined || payment.status !== 'pending' || payment.details === null) return []
  const isOver = payment.expires_at !== null && payment.expires_at.getTime() <= nowMs
  if (isOver || isPaidUp(order.payment_status) || !OPEN.includes(order.status)) return []
  if (asksTooMuch(payment, owedOf(money))) return []
  return UNTOLD_METHODS.includes(payment.method) ? [] : [{ kind: 'instructions', subject: payment.id, payment }]
}

const ONCE = ''

function ofMoney({ order, payments, money }: NoticeFacts): Notice[] {
  if (order.amount_paid === 0 || !OPEN.includes(order.status)) return []
  const again = paidAgainBy(payments)
  // Less than the total is there where a part of it had been given back on purpose.
  const isMadeUp = again !== undefined && order.payment_status === 'partially_refunded' && isPaidOnce(money)
  if (isMadeUp || isPaidUp(order.payment_status)) return [{ kind: 'paid', subject: again?.id ?? ONCE }]
  return order.payment_status === 'partially_paid' ? [{ kind: 'partly_paid', subject: String(order.amount_paid) }] : []
}

/**
 * An attempt that made up for what a bank had taken back: whoever paid twice hears twice that it arrived. It was opened after
 * the other had been paid; one that was there before had come by itself, and was told of.
 */
const paidAgainBy = (payments: readonly PaymentRow[]): PaymentRow | undefined =>
  payments.findLast(
    ({ status, created_at: openedAt }) =>
      status === 'paid' &&
      payments.some(({ amount_reversed, paid_at }) => amount_reversed > 0 && paid_at !== null && paid_at < openedAt),
  )

/** That it was cancelled is news only to those who were asked to pay. */
function ofEnd({ order, told }: NoticeFacts): Notice[] {
  const isGivenUp = order.status === 'expired' || order.status === 'cancelled'
  const kept = order.amount_paid - order.amount_returned
  if (isGivenUp && kept > 0 && isLate(order)) return [{ kind: 'late', subject: ONCE }]
  if (order.status === 'expired' && order.amount_paid === 0) return [{ kind: 'expired', subject: ONCE }]
  const wasAsked = told.some(({ kind, message_id }) => kind === 'instructions' && message_id !== null)
  return order.status === 'cancelled' && wasAsked ? [{ kind: 'cancelled', subject: ONCE }] : []
}

/** What was to be given back at once and could not be is with the shop as well. */
const isLate = ({ status, review_reasons: reasons }: Order): boolean =>
  reasons.includes('late_payment') || (status === 'expired' && reasons.includes('refund_failed'))

const refunds = (facts: NoticeFacts): Notice[] =>
  facts.refunds
    .filter(({ status }) => status === 'succeeded')
    .map(({ id, amount }) => ({ kind: 'refunded', subject: id, amount }))

import type { PaymentMethod } from '../payments/payment-connector.ts'
import type { PaymentRow, RefundRow } from '../payments/payments-context.ts'
import type { Order } from './orders-context.ts'
import { asksTooMuch, isSettled, stageOf } from './settlement.ts'

/**
 * The notices that are due to a customer, from the state of the order, as a pure function. What money means is decided in
 * settlement.ts. Only the current state counts: a notice that became true and false again before it was sent is not sent.
 */
export const noticeKinds = [
  'instructions',
  'partly_paid',
  'paid',
  'reversed',
  'late',
  'expired',
  'cancelled',
  'refunded',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

export type Notice =
  | { kind: 'instructions'; subject: string; payment: PaymentRow }
  | { kind: 'paid' | 'refunded' | 'reversed'; subject: string; amount: number }
  | { kind: Exclude<NoticeKind, 'instructions' | 'paid' | 'refunded' | 'reversed'>; subject: string }

export type NoticeFacts = {
  order: Order
  payments: readonly PaymentRow[]
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

function instructions({ order, payments, nowMs }: NoticeFacts): Notice[] {
  const payment = payments.find(({ id }) => id === order.payment_id)
  if (payment === undefined || payment.status !== 'pending' || payment.details === null) return []
  const isOver = payment.expires_at !== null && payment.expires_at.getTime() <= nowMs
  if (isOver || isSettled(order) || !OPEN.includes(order.status)) return []
  if (asksTooMuch(payment, order.amount_remaining)) return []
  return UNTOLD_METHODS.includes(payment.method) ? [] : [{ kind: 'instructions', subject: payment.id, payment }]
}

const ONCE = ''

function ofMoney({ order, payments, told }: NoticeFacts): Notice[] {
  if (order.amount_paid === 0) return []
  const stage = stageOf(order)
  if (stage === 'partly_paid') return [{ kind: 'partly_paid', subject: String(order.amount_paid) }]
  // A payment after a reversal is confirmed once more.
  const reversals = told.filter(({ kind }) => kind === 'reversed').length
  const reversed = payments.reduce((sum, { amount_reversed }) => sum + amount_reversed, 0)
  const subject = reversals === 0 ? ONCE : `again:${reversals}`
  if (stage === 'paid') return [{ kind: 'paid', subject, amount: order.amount_paid - reversed }]
  if (stage !== 'reversed' || isSettled(order)) return []
  return [{ kind: 'reversed', subject: `${reversed}:${order.amount_paid}`, amount: reversed }]
}

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

import type { PaymentMethod } from '../../payments/payment-connector.ts'
import type { PaymentRow, RefundRow } from '../../payments/payments-context.ts'
import type { Order } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { asksTooMuch, isSettled, stageOf } from '../settlement/settlement.ts'

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
  'announced',
  'reminder',
  'overdue',
  'shipped',
  'delivered',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

export type Notice =
  /** `isReplacement`: the customer has received other instructions before. Without a payment the customer chooses on the page. */
  | { kind: 'instructions'; subject: string; payment: PaymentRow | null; isReplacement: boolean }
  | { kind: 'paid' | 'refunded' | 'reversed'; subject: string; amount: number }
  /** The payment of an order that no one is asked to pay in the chat. */
  | { kind: 'announced' | 'reminder'; subject: string; payment: PaymentRow }
  | {
      kind: Exclude<NoticeKind, 'instructions' | 'announced' | 'reminder' | 'paid' | 'refunded' | 'reversed'>
      subject: string
    }

export type NoticeFacts = {
  order: Order
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
  sent: readonly { kind: NoticeKind; subject: string; message_id: string | null }[]
  /** Whether the organization sends reminders. */
  hasReminders: boolean
  nowMs: number
}

/** Returns the notices in the order in which they are sent. */
export function dueNotices(facts: NoticeFacts): Notice[] {
  const wasSent = ({ kind, subject }: Notice) =>
    facts.sent.some((known) => known.kind === kind && known.subject === subject)
  const due = [
    ...instructions(facts),
    ...announcements(facts),
    ...reminders(facts),
    ...ofMoney(facts),
    ...ofDelivery(facts),
    ...ofEnd(facts),
    ...refunds(facts),
  ]
  return due.filter((notice) => !wasSent(notice))
}

/** Staff collect these in person or send a bill, so the chat sends no instructions: it announces the order. */
const METHODS_WITHOUT_INSTRUCTIONS: readonly PaymentMethod[] = ['cash', 'cod', 'invoice', 'free']
/** An order on account may be fulfilled long before it is paid. */
const OPEN: readonly Order['status'][] = ['pending_payment', 'confirmed', 'processing', 'completed']

const instructions = (facts: NoticeFacts): Notice[] =>
  facts.order.billing_type === CHOICE ? invitation(facts) : ofPayment(facts)

const CHOICE = 'choice'

/** The link is sent once: a customer who chooses is on the page, which shows how to pay. */
function invitation({ order, nowMs }: NoticeFacts): Notice[] {
  const isOver = (order.choice_expires_at?.getTime() ?? 0) <= nowMs
  if (isOver || isSettled(order) || order.amount_paid > 0 || !OPEN.includes(order.status)) return []
  return [{ kind: 'instructions', subject: CHOICE, payment: null, isReplacement: false }]
}

function ofPayment({ order, payments, sent, nowMs }: NoticeFacts): Notice[] {
  const payment = payments.find(({ id }) => id === order.payment_id)
  if (payment === undefined || payment.status !== 'pending' || payment.details === null) return []
  const isOver = payment.expires_at !== null && payment.expires_at.getTime() <= nowMs
  if (isOver || isSettled(order) || !OPEN.includes(order.status)) return []
  if (asksTooMuch(payment, order.amount_remaining)) return []
  if (METHODS_WITHOUT_INSTRUCTIONS.includes(payment.method)) return []
  const wasPaid = (id: string) => payments.some((one) => one.id === id && one.amount_paid > 0)
  const isReplacement = sent.some(
    ({ kind, subject, message_id }) => kind === 'instructions' && message_id !== null && !wasPaid(subject),
  )
  return [{ kind: 'instructions', subject: payment.id, payment, isReplacement }]
}

const ANNOUNCED: readonly PaymentMethod[] = ['cash', 'cod', 'invoice']

/** An edit that replaces the payment is announced again. */
function announcements({ order, payments }: NoticeFacts): Notice[] {
  const payment = payments.find(({ id }) => id === order.payment_id)
  const isGoing = order.status === 'confirmed' || order.status === 'processing'
  if (payment === undefined || payment.status !== 'pending' || !isGoing) return []
  if (!ANNOUNCED.includes(payment.method) || order.amount_paid > 0 || isSettled(order)) return []
  return [{ kind: 'announced', subject: payment.id, payment }]
}

const HOUR_MS = 3_600_000
const REMINDER_LEAD_MAX_MS = 3 * HOUR_MS

/** When a quarter of the time to pay is left, at most three hours before the end. Null for a time below one hour. */
export function remindAt({ created_at: from, expires_at: to }: PaymentRow): Date | null {
  const lifetimeMs = to === null ? 0 : to.getTime() - from.getTime()
  if (to === null || lifetimeMs < HOUR_MS) return null
  return new Date(to.getTime() - Math.min(lifetimeMs / 4, REMINDER_LEAD_MAX_MS))
}

/** Only customers who received instructions are reminded of them. */
function reminders(facts: NoticeFacts): Notice[] {
  const { order, sent, hasReminders, nowMs } = facts
  if (!hasReminders || isSettled(order) || isGivenUp(order.status)) return []
  const overdue: Notice[] =
    order.overdue_at === null ? [] : [{ kind: 'overdue', subject: order.due_at?.toISOString() ?? ONCE }]
  const [open] = instructions(facts)
  if (open?.kind !== 'instructions' || open.payment === null) return overdue
  const wasAsked = sent.some(
    ({ kind, subject, message_id }) => kind === 'instructions' && subject === open.subject && message_id !== null,
  )
  const at = remindAt(open.payment)
  if (!wasAsked || at === null || at.getTime() > nowMs) return overdue
  return [{ kind: 'reminder', subject: open.subject, payment: open.payment }, ...overdue]
}

/** Only the current state: goods that have arrived are not reported as shipped. */
function ofDelivery({ order }: NoticeFacts): Notice[] {
  const status = order.delivery?.status ?? 'pending'
  return status === 'pending' || isGivenUp(order.status) ? [] : [{ kind: status, subject: ONCE }]
}

const ONCE = ''

function ofMoney({ order, payments, sent }: NoticeFacts): Notice[] {
  if (order.amount_paid === 0) return []
  const stage = stageOf(order)
  if (stage === 'partly_paid') return [{ kind: 'partly_paid', subject: String(order.amount_paid) }]
  // A payment after a reversal is confirmed once more.
  const reversals = sent.filter(({ kind }) => kind === 'reversed').length
  const reversed = payments.reduce((sum, { amount_reversed }) => sum + amount_reversed, 0)
  const subject = reversals === 0 ? ONCE : `again:${reversals}`
  if (stage === 'paid') return [{ kind: 'paid', subject, amount: order.amount_paid - reversed }]
  if (stage !== 'reversed' || isSettled(order)) return []
  return [{ kind: 'reversed', subject: `${reversed}:${order.amount_paid}`, amount: reversed }]
}

/** A cancellation is sent only to customers who received payment instructions. */
function ofEnd({ order, sent }: NoticeFacts): Notice[] {
  const kept = order.amount_paid - order.amount_returned
  if (isGivenUp(order.status) && kept > 0 && isLate(order)) return [{ kind: 'late', subject: ONCE }]
  if (order.status === 'expired' && order.amount_paid === 0) return [{ kind: 'expired', subject: ONCE }]
  const wasAsked = sent.some(({ kind, message_id }) => kind === 'instructions' && message_id !== null)
  return order.status === 'cancelled' && wasAsked ? [{ kind: 'cancelled', subject: ONCE }] : []
}

/** An automatic refund of late money that failed is left to the shop, too. */
const isLate = ({ status, review_reasons: reasons }: Order): boolean =>
  reasons.includes('late_payment') || (status === 'expired' && reasons.includes('refund_failed'))

const refunds = (facts: NoticeFacts): Notice[] =>
  facts.refunds
    .filter(({ status }) => status === 'succeeded')
    .map(({ id, amount }) => ({ kind: 'refunded', subject: id, amount }))

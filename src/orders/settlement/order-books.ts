import { isLive } from '../../payments/payments.states.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { OrderStatus } from './orders.states.ts'

/**
 * The books of an order, and what every reader is shown of them. `settle` computes it whenever money moves, and the result is
 * stored in the order's row. The API, events, the chat (due-notices.ts) and the pay page (pay-view.ts) read that row through
 * `isSettled` and `stageOf`, so they cannot contradict each other.
 *
 *   the books                                           payment_status                   remaining amount
 *   no money                                            unpaid, pending                  the total
 *   less than the total                                 partially_paid                   the difference
 *   the total, in any number of parts                   paid                             0
 *   more than the total                                 overpaid                         0, and marked for review
 *   a refund before the total was reached               partially_refunded, refunded     the difference
 *   a refund after the total was reached                partially_refunded, refunded     0
 *   a reversal that was not paid again                  reversed                         the difference
 *   less than the total, accepted by a person           as above                         0
 */
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

export type PaymentStatusOfOrder = (typeof paymentStatuses)[number]

/** The amount is signed: positive when received, negative when returned. */
export type MoneyLine = { kind: 'capture' | 'refund' | 'reversal'; amount: number }

/**
 * The total less all of this, in the order in which it happened; negative for a surplus. A refund after the total was
 * reached opens no debt; a reversal does, and so does a refund before that. The sums alone do not distinguish these.
 */
export function leftAfter(total: number, lines: readonly MoneyLine[]): number {
  let left = total
  for (const { kind, amount } of lines) {
    // A surplus is refunded first, and was never part of the debt.
    if (kind === 'refund' && left <= 0) left = Math.min(0, left - amount)
    else left -= amount
  }
  return left
}

export type OrderBooks = {
  /** Null for an open amount: any payment is enough. */
  total: number | null
  paid: number
  refunded: number
  reversed: number
  /** Received by payments that were not reversed in full, also where all of it was refunded since. */
  standing: number
  /** As `leftAfter` says; null for an open amount. */
  left: number | null
  hasLiveAttempt: boolean
}

type HeldMoney = { row: { total: number | null }; payments: readonly PaymentRow[]; ledger: readonly MoneyLine[] }

/** Sums up the money of an order. Uses the ledger only when money was returned, because only then does the sequence matter. */
export function booksOf({ row: { total }, payments, ledger }: HeldMoney): OrderBooks {
  const sumOf = (amountOf: (payment: PaymentRow) => number) => payments.reduce((sum, one) => sum + amountOf(one), 0)
  const books = {
    total,
    paid: sumOf(({ amount_paid }) => amount_paid),
    refunded: sumOf(({ amount_refunded }) => amount_refunded),
    reversed: sumOf(({ amount_reversed }) => amount_reversed),
    standing: sumOf(({ status, amount_paid }) => (status === 'reversed' ? 0 : amount_paid)),
    hasLiveAttempt: payments.some(({ status }) => isLive(status)),
  }
  if (total === null) return { ...books, left: null }
  if (books.refunded + books.reversed === 0) return { ...books, left: total - books.paid }
  return { ...books, left: leftAfter(total, ledger) }
}

/** The columns of an order that hold its settlement. */
export type Settlement = {
  payment_status: PaymentStatusOfOrder
  amount_paid: number
  amount_returned: number
  /** Null for an open amount. */
  amount_remaining: number | null
}

export const settle = (books: OrderBooks, isAccepted: boolean): Settlement => ({
  payment_status: paymentStatusOf(books),
  amount_paid: books.paid,
  amount_returned: books.refunded + books.reversed,
  amount_remaining: books.left === null ? null : isAccepted ? 0 : Math.max(0, books.left),
})

export function paymentStatusOf(books: OrderBooks): PaymentStatusOfOrder {
  const { total, paid, refunded, reversed } = books
  if (total === 0 && paid === 0) return 'paid'
  if (paid === 0) return books.hasLiveAttempt ? 'pending' : 'unpaid'
  if (reversed > 0 && !reachesTotal(books)) return 'reversed'
  const kept = paid - refunded - reversed
  if (kept <= 0) return 'refunded'
  if (total === null) return refunded > 0 ? 'partially_refunded' : 'paid'
  if (kept >= total) return kept > total ? 'overpaid' : 'paid'
  return refunded > 0 ? 'partially_refunded' : 'partially_paid'
}

/** Whether nothing is due any more, whatever was refunded since. */
export const reachesTotal = ({ left, standing }: Pick<OrderBooks, 'left' | 'standing'>): boolean =>
  left === null ? standing > 0 : left <= 0

export const isPaidUp = (status: PaymentStatusOfOrder): boolean => status === 'paid' || status === 'overpaid'

/** The settlement as the row of an order stores it. */
export type SettledOrder = Settlement & {
  status: OrderStatus
  /** When a person accepted the received amount as enough, or the loss after a reversal. */
  accepted_at: Date | null
}

/** Whether the money of the order is complete: received in full, whatever was refunded since, or accepted by a person. */
export function isSettled(order: Omit<SettledOrder, 'status'>): boolean {
  if (order.accepted_at !== null || isPaidUp(order.payment_status)) return true
  const isRefunded = order.payment_status === 'refunded' || order.payment_status === 'partially_refunded'
  return isRefunded && (order.amount_remaining ?? 0) === 0
}

/**
 * What the customer is shown, in the chat and on the pay page.
 *
 *   awaiting     no money yet, or none that is still here
 *   partly_paid  some money was received, and more is due
 *   paid         the money is complete; a part of it may have been refunded since
 *   reversed     a bank reversed money that was not paid again; where the loss was accepted, nothing is due
 *   refunded     all of it was refunded on purpose
 *   late         money for an order that had expired: the shop decides
 */
export type Stage = 'awaiting' | 'partly_paid' | 'paid' | 'reversed' | 'refunded' | 'late' | 'expired' | 'cancelled'

export function stageOf(order: SettledOrder): Stage {
  const kept = order.amount_paid - order.amount_returned
  if (order.status === 'cancelled') return 'cancelled'
  if (order.status === 'expired')
    return kept > 0 ? 'late' : order.payment_status === 'refunded' ? 'refunded' : 'expired'
  if (order.payment_status === 'reversed') return 'reversed'
  if (isSettled(order)) return kept > 0 || order.amount_paid === 0 ? 'paid' : 'refunded'
  return kept > 0 ? 'partly_paid' : 'awaiting'
}

/** Goods may not be handed over while money that a bank reversed is neither paid again nor accepted as a loss. */
export const isReversalOpen = (order: Omit<SettledOrder, 'status'>): boolean =>
  order.payment_status === 'reversed' && !isSettled(order)

/** A code takes the amount in it, whatever was received by other ways since. A manual payment asks for the remaining amount. */
export const isFixedCode = ({ is_manual, details }: Pick<PaymentRow, 'is_manual' | 'details'>): boolean =>
  !is_manual || details?.qr_string != null

const keptBy = ({ amount_paid, amount_refunded, amount_reversed }: PaymentRow): number =>
  amount_paid - amount_refunded - amount_reversed

/** A code for more than the remaining amount, because money was received by an older one. It is ended, and not shown until then. */
export const asksTooMuch = (payment: PaymentRow, remaining: number | null): boolean =>
  remaining !== null && payment.amount !== null && isFixedCode(payment) && payment.amount - keptBy(payment) > remaining

/** The attempt that an order shows as its `payment`: the one that paid it, else the open one, else the last that counted. */
export function chooseCurrent(payments: readonly PaymentRow[], isComplete: boolean): PaymentRow | null {
  const live = payments.find(({ status }) => isLive(status))
  const holding = payments.findLast((payment) => keptBy(payment) > 0)
  const received = payments.findLast(({ amount_paid }) => amount_paid > 0)
  const paying = holding ?? (isComplete ? received : undefined)
  const first = isComplete ? (paying ?? live) : (live ?? paying)
  return first ?? payments.findLast(({ status }) => status !== 'cancelled') ?? payments.at(-1) ?? null
}

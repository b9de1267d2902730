import { isLive, isOver } from '../../payments/payments.states.ts'
import type { PaymentMove, PaymentRow } from '../../payments/payments-context.ts'
import { asksTooMuch, isPaidUp, isSettled, type OrderBooks, type SettledOrder } from './order-books.ts'
import type { OrderStatus } from './orders.states.ts'

/**
 * The situation of an order when one of its payments changed: a few facts, computed from the books and the change. The
 * settlement table (settlement.ts) decides by these facts alone.
 */

/** Every fact that a row may ask for, with its values and what they mean. */
export const facts = {
  order: {
    awaiting: 'The order awaits payment.',
    active: 'The order is confirmed, processing or completed: its money is not awaited, or was received.',
    expired: 'The last attempt to pay expired.',
    cancelled: 'The order was cancelled.',
  },
  payment: {
    nothing: 'No money was received by this change.',
    expected: 'Money was received in time, or late for an order that awaits it where the organization accepts that.',
    late: 'Money was received by an attempt that had ended.',
    again: 'Money was received although the order was paid in full.',
    unexpected: 'Money was received although the order had been paid in full and refunded since.',
  },
  money: {
    nothing: 'Nothing is held, and an amount is due.',
    lost: 'Nothing is held, because a bank reversed it. The amount is due again.',
    part: 'Less than the total is held, and the remaining amount is due.',
    exact: 'The total is held.',
    any_amount: 'The payer chooses the amount, and some was received.',
    surplus: 'More than the total is held.',
    reduced: 'Nothing is due, and less than the total is held: a part was refunded, or a person accepted less.',
    returned: 'Nothing is due, and nothing is held: all was refunded, or a person accepted the loss.',
    free: 'The total is 0, and nothing was received.',
  },
  attempt: {
    open: 'An attempt is open and asks for no more than the remaining amount.',
    too_high: 'An attempt is open and asks for more than the remaining amount.',
    closed: 'No attempt is open.',
    lapsed: 'No attempt is open, and the time to pay is over. For an order with a choice: the time to choose.',
  },
  policy: {
    accept: '`late_payment` is `accept`.',
    review: '`late_payment` is `review`.',
    refund: '`late_payment` is `refund`, and the provider can refund this payment.',
    refund_by_hand: '`late_payment` is `refund`, and only staff can refund this payment.',
  },
  problem: {
    none: 'The report has no problem, or the ledger has settled it.',
    named: 'The report has a problem: another amount, a reversal, a failed refund, no response.',
  },
} as const

type Facts = typeof facts
export type Fact = keyof Facts
export type Situation = { [Name in Fact]: keyof Facts[Name] }
export type Money = Situation['money']

/** What the organization does with money received after the order expired or was cancelled. */
export const latePolicies = ['accept', 'review', 'refund'] as const
export type LatePolicy = (typeof latePolicies)[number]

/** The settlement that the row of an order stores, with its total. */
type OrderMoney = Omit<SettledOrder, 'status'> & { total: number | null }

export function moneyOf(order: OrderMoney): Money {
  const isHeld = order.amount_paid > order.amount_returned
  if (order.payment_status === 'overpaid') return 'surplus'
  if (order.payment_status === 'paid') return isHeld ? (order.total === null ? 'any_amount' : 'exact') : 'free'
  if (isSettled(order)) return isHeld ? 'reduced' : 'returned'
  if (isHeld) return 'part'
  return order.payment_status === 'reversed' ? 'lost' : 'nothing'
}

export function orderFact(status: OrderStatus): Situation['order'] {
  if (status === 'pending_payment') return 'awaiting'
  return status === 'expired' || status === 'cancelled' ? status : 'active'
}

export type PaymentChange = {
  /** The order before the change. */
  before: SettledOrder & { total: number | null; choice_expires_at?: Date | null }
  /** Its money after the change. */
  after: OrderMoney
  books: OrderBooks
  payments: readonly PaymentRow[]
  move: PaymentMove
  latePolicy: LatePolicy
}

/** All facts but the problem, which the books may have settled. */
export const situationOf = (change: PaymentChange): Omit<Situation, 'problem'> => ({
  order: orderFact(change.before.status),
  payment: paymentFact(change),
  money: moneyOf(change.after),
  attempt: attemptFact(change),
  policy: policyFact(change),
})

function paymentFact(change: PaymentChange): Situation['payment'] {
  const { before, after, move, latePolicy } = change
  if (move.moneyIn === 0) return 'nothing'
  if (isPaidUp(before.payment_status)) {
    // Repeated payments of one code without an amount are intended.
    const isAgain = before.total === null ? isByAnotherWay(change) : after.payment_status === 'overpaid'
    if (isAgain) return 'again'
  } else if (isAfterRefund(change)) return 'unexpected'
  const isWelcome = before.status === 'pending_payment' && latePolicy === 'accept'
  return move.isLate && !isWelcome ? 'late' : 'expected'
}

const isByAnotherWay = ({ payments, move: { after } }: PaymentChange): boolean =>
  after.is_manual || payments.some(({ id, amount_paid }) => id !== after.id && amount_paid > 0)

/** A reversed amount is due again, so paying it is expected. With an open amount, any payment by the same code is expected. */
function isAfterRefund(change: PaymentChange): boolean {
  const { books, move } = change
  if (books.left !== null) return books.left + move.moneyIn <= 0
  return books.standing > move.moneyIn && books.refunded > 0 && isByAnotherWay(change)
}

function attemptFact(change: PaymentChange): Situation['attempt'] {
  const { after, payments, move } = change
  const live = payments.filter(({ status }) => isLive(status))
  if (live.length === 0) return !canChoose(change) && (move.isLapsed || isEmptied(change)) ? 'lapsed' : 'closed'
  const remaining = after.amount_remaining
  return live.some((payment) => remaining === 0 || asksTooMuch(payment, remaining)) ? 'too_high' : 'open'
}

/** The payer of an order with a choice may choose again until its time is over. */
const canChoose = ({ before: { choice_expires_at: until = null }, move }: PaymentChange): boolean =>
  until !== null && until > move.now

/** The partial payment that kept the order open after its time was returned, so the order awaits nothing. */
function isEmptied({ after, payments, move }: PaymentChange): boolean {
  if (move.moneyBack === 0 || after.amount_paid > after.amount_returned) return false
  const hasEnded = ({ status }: PaymentRow) => isOver(status) || status === 'paid'
  return payments.every((one) => hasEnded(one) && one.expires_at !== null && one.expires_at <= move.now)
}

const policyFact = ({ latePolicy, move }: PaymentChange): Situation['policy'] =>
  latePolicy === 'refund' && !move.after.is_refundable ? 'refund_by_hand' : latePolicy

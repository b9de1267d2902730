import { type OrderStatus, orderStates } from './orders.states.ts'
import { isPaidUp, type PaymentStatusOfOrder } from './settlement.ts'

/**
 * What an order makes of a payment that moved, as a pure function. The sums have been worked out before; this decides
 * whether the order moves, what a person should look at, and what is to be done about money that nobody expected.
 */
export const reviewReasons = [
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

/** What the organization wants done with money that comes after the order was given up. */
export const latePolicies = ['accept', 'review', 'refund'] as const
export type LatePolicy = (typeof latePolicies)[number]

export type PaidOrder = {
  status: OrderStatus
  reviewReasons: readonly ReviewReason[]
  /** After the payment moved. */
  paymentStatus: PaymentStatusOfOrder
  kept: number
  /** Nothing is due any more (settlement.ts). */
  isComplete: boolean
  /** The payer said how much: whatever comes is enough, and nothing is ever too much. */
  isOpenAmount: boolean
}

export type PaymentNews = {
  /** What this report added to what came in. */
  moneyIn: number
  /** The order had all of its money before. */
  wasPaidUp: boolean
  /** With this nothing is owed any more, also where the same report tells of a refund and less than the total is there. */
  isMadeUp: boolean
  /** The attempt had ended when it came. */
  isLate: boolean
  /** Of an open amount that was paid already: it came by another way, or staff say that it was paid once more. */
  isSecond: boolean
  /** All of it had come before, and went back on purpose: nobody owed it any more. */
  isUnowed: boolean
  problem: ReviewReason | null
  /** Whether an attempt can still be paid. */
  hasLiveAttempt: boolean
  /** It is a code for more than is owed by now, and a code takes what it says; or nothing is owed at all. */
  isLiveTooHigh: boolean
  /** The attempt ran out, its time passed after it had failed, or the last of its money went back after that. */
  isLapsed: boolean
  isRefundable: boolean
  latePolicy: LatePolicy
}

export type OrderDecision = {
  status: OrderStatus
  reasons: ReviewReason[]
  /** Give back what has just come in. */
  isRefundDue: boolean
  /** Close the attempt that is still open: nobody should pay twice, or more than is owed. */
  isLiveAttemptToEnd: boolean
}

export function decideOrder(order: PaidOrder, news: PaymentNews): OrderDecision {
  const late = decideLate(order, news)
  const reasons = [...order.reviewReasons, ...newReasons(order, news), ...late.reasons, ...restReasons(order, news)]
  const isOver = (reason: ReviewReason) => isObsolete(reason, order) || (late.isTakenUp && reason === 'late_payment')
  const unique = [...new Set(reasons)].filter((reason) => !isOver(reason))
  const status = late.isRefundDue ? order.status : nextStatus(order, news, unique)
  return {
    status,
    reasons: unique,
    isRefundDue: late.isRefundDue,
    isLiveAttemptToEnd:
      news.hasLiveAttempt && news.moneyIn > 0 && (isPaidUp(order.paymentStatus) || news.isLiveTooHigh),
  }
}

/** Reasons that the books settle: a surplus that was refunded, a short payment that was completed, money that is gone. */
function isObsolete(reason: ReviewReason, { kept, isComplete, paymentStatus, isOpenAmount }: PaidOrder): boolean {
  if (reason === 'amount_mismatch') return isComplete
  if (reason === 'refund_due' || reason === 'late_payment' || reason === 'refund_failed') return kept <= 0
  if (reason === 'underpaid') return kept <= 0 || isComplete
  const untouched = isOpenAmount ? 'paid' : 'overpaid'
  return (reason === 'overpaid' || reason === 'duplicate_payment') && paymentStatus !== untouched
}

export const isGivenUp = (status: OrderStatus) => status === 'expired' || status === 'cancelled'

/** `isTakenUp`: with this the late money is all there, and the organization wants it. */
type LateDecision = { reasons: ReviewReason[]; isRefundDue: boolean; isTakenUp: boolean }

const NOT_LATE: LateDecision = { reasons: [], isRefundDue: false, isTakenUp: false }
const TO_BE_LOOKED_AT: LateDecision = { ...NOT_LATE, reasons: ['late_payment'] }

function decideLate(order: PaidOrder, news: PaymentNews): LateDecision {
  if (news.moneyIn === 0) return NOT_LATE
  if (isGivenUp(order.status)) return decideGivenUp(order, news)
  return isUnexpected(order, news) ? TO_BE_LOOKED_AT : NOT_LATE
}

/** Money for an order that was given up. An expired one may be taken up again; a cancelled one never is. */
function decideGivenUp(order: PaidOrder, { latePolicy, isRefundable, problem }: PaymentNews): LateDecision {
  if (latePolicy === 'refund')
    return isRefundable ? { ...NOT_LATE, isRefundDue: true } : { ...NOT_LATE, reasons: ['late_payment', 'refund_due'] }
  const isClear = problem === null || isObsolete(problem, order)
  const isWanted = latePolicy === 'accept' && order.status === 'expired' && isClear
  return isWanted && isPaidUp(order.paymentStatus) ? { ...NOT_LATE, isTakenUp: true } : TO_BE_LOOKED_AT
}

/**
 * Money for an attempt that had ended while the order goes on: an old code that somebody kept. Where the order waits for
 * just this money and the organization takes what is late, there is nothing to look at. Or money after a refund, however
 * much it is, for which nobody sends the goods again unseen.
 */
function isUnexpected(order: PaidOrder, news: PaymentNews): boolean {
  const isWelcome = order.status === 'pending_payment' && news.latePolicy === 'accept'
  return news.isUnowed || (news.isLate && !isWelcome && newReasons(order, news).length === 0)
}

function newReasons(order: PaidOrder, news: PaymentNews): ReviewReason[] {
  if (news.problem !== null && !isObsolete(news.problem, order)) return [news.problem]
  if (news.isSecond) return ['duplicate_payment']
  if (news.moneyIn > 0 && order.paymentStatus === 'overpaid') return [news.wasPaidUp ? 'duplicate_payment' : 'overpaid']
  return news.isLapsed && !news.hasLiveAttempt && isShort(order) ? ['underpaid'] : []
}

/** A part was received and is still here, and the order waits for the remaining amount. */
export const isShort = ({ status, kept, isComplete }: Pick<PaidOrder, 'status' | 'kept' | 'isComplete'>): boolean =>
  status === 'pending_payment' && kept > 0 && !isComplete

/** The open code is closed, so nothing is open for the remaining amount until a new attempt is opened. */
function restReasons(order: PaidOrder, { moneyIn, isLiveTooHigh }: PaymentNews): ReviewReason[] {
  return isLiveTooHigh && moneyIn > 0 && isShort(order) ? ['underpaid'] : []
}

function nextStatus(order: PaidOrder, news: PaymentNews, reasons: readonly ReviewReason[]): OrderStatus {
  const isLate = isGivenUp(order.status) && reasons.includes('late_payment')
  const isAllIn = news.isMadeUp || (isPaidUp(order.paymentStatus) && news.moneyIn > 0)
  if (isAllIn && !isLate) return orderStates.next(order.status, 'confirm') ?? order.status
  const isEmpty = order.kept === 0 && !isPaidUp(order.paymentStatus)
  const isGoneBy = news.isLapsed && !news.hasLiveAttempt && isEmpty
  return isGoneBy ? (orderStates.next(order.status, 'expire') ?? order.status) : order.status
}

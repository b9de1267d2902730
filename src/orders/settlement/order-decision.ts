import { type OrderStatus, orderStates } from './orders.states.ts'
import { isPaidUp, type PaymentStatusOfOrder } from './settlement.ts'

/**
 * Decides how an order reacts to a change of a payment, as a pure function. The caller has computed the sums; this decides
 * the next status, the reasons for a review, and what happens to unexpected money.
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

/** What the organization does with money received after the order expired or was cancelled. */
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
  /** The payer chooses the amount: any payment is enough, and none is too much. */
  isOpenAmount: boolean
}

export type PaymentNews = {
  /** The amount that this report added to the money received. */
  moneyIn: number
  /** The order was paid in full before. */
  wasPaidUp: boolean
  /** This payment reaches the total, even if the same report contains a refund that leaves less than the total. */
  completesPayment: boolean
  /** The money was received after the attempt had ended. */
  isLate: boolean
  /** A second payment of an open amount: by another attempt, or recorded by staff. */
  isSecond: boolean
  /** The order was paid in full before and refunded since, so no further payment was due. */
  isUnexpected: boolean
  problem: ReviewReason | null
  /** Whether an attempt can still be paid. */
  hasLiveAttempt: boolean
  /** The open code asks for more than the remaining amount, and a code has a fixed amount; or nothing remains. */
  isLiveTooHigh: boolean
  /** The attempt expired, its time passed after it had failed, or the last of its money was refunded after that. */
  isLapsed: boolean
  isRefundable: boolean
  latePolicy: LatePolicy
}

export type OrderDecision = {
  status: OrderStatus
  reasons: ReviewReason[]
  /** Refund the money that was just received. */
  isRefundDue: boolean
  /** End the open attempt, so that the customer cannot pay twice or more than the remaining amount. */
  isLiveAttemptToEnd: boolean
}

export function decideOrder(order: PaidOrder, news: PaymentNews): OrderDecision {
  const late = decideLate(order, news)
  const reasons = [
    ...order.reviewReasons,
    ...newReasons(order, news),
    ...late.reasons,
    ...remainderReasons(order, news),
  ]
  const isOver = (reason: ReviewReason) => isObsolete(reason, order) || (late.isAccepted && reason === 'late_payment')
  const unique = [...new Set(reasons)].filter((reason) => !isOver(reason))
  const status = late.isRefundDue ? order.status : nextStatus(order, news, late)
  return {
    status,
    reasons: unique,
    isRefundDue: late.isRefundDue,
    isLiveAttemptToEnd:
      news.hasLiveAttempt && news.moneyIn > 0 && (isPaidUp(order.paymentStatus) || news.isLiveTooHigh),
  }
}

/** Whether the books have settled the reason: the surplus was refunded, the short payment completed, or the money is gone. */
function isObsolete(reason: ReviewReason, { kept, isComplete, paymentStatus, isOpenAmount }: PaidOrder): boolean {
  if (reason === 'amount_mismatch') return isComplete
  if (reason === 'refund_due' || reason === 'late_payment' || reason === 'refund_failed') return kept <= 0
  if (reason === 'underpaid') return kept <= 0 || isComplete
  const untouched = isOpenAmount ? 'paid' : 'overpaid'
  return (reason === 'overpaid' || reason === 'duplicate_payment') && paymentStatus !== untouched
}

export const isGivenUp = (status: OrderStatus) => status === 'expired' || status === 'cancelled'

/** `isAccepted`: the late money reaches the total, and the organization accepts late payments. */
type LateDecision = { reasons: ReviewReason[]; isRefundDue: boolean; isAccepted: boolean }

const NOT_LATE: LateDecision = { reasons: [], isRefundDue: false, isAccepted: false }
const TO_REVIEW: LateDecision = { ...NOT_LATE, reasons: ['late_payment'] }

function decideLate(order: PaidOrder, news: PaymentNews): LateDecision {
  if (news.moneyIn === 0) return NOT_LATE
  if (isGivenUp(order.status)) return decideGivenUp(order, news)
  return needsLateReview(order, news) ? TO_REVIEW : NOT_LATE
}

/** Decides about money for an expired or cancelled order. An expired order may be confirmed; a cancelled one never is. */
function decideGivenUp(order: PaidOrder, { latePolicy, isRefundable, problem }: PaymentNews): LateDecision {
  if (latePolicy === 'refund')
    return isRefundable ? { ...NOT_LATE, isRefundDue: true } : { ...NOT_LATE, reasons: ['late_payment', 'refund_due'] }
  const isClear = problem === null || isObsolete(problem, order)
  const isWanted = latePolicy === 'accept' && order.status === 'expired' && isClear
  return isWanted && isPaidUp(order.paymentStatus) ? { ...NOT_LATE, isAccepted: true } : TO_REVIEW
}

/**
 * Money needs a review when its attempt had ended while the order is active, as with an old code that the customer kept. No
 * review is needed when the order awaits this money and the organization accepts late payments. Any money after a full
 * refund needs a review, so that the goods are not sent a second time unseen.
 */
function needsLateReview(order: PaidOrder, news: PaymentNews): boolean {
  const isWelcome = order.status === 'pending_payment' && news.latePolicy === 'accept'
  return news.isUnexpected || (news.isLate && !isWelcome && newReasons(order, news).length === 0)
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
function remainderReasons(order: PaidOrder, { moneyIn, isLiveTooHigh }: PaymentNews): ReviewReason[] {
  return isLiveTooHigh && moneyIn > 0 && isShort(order) ? ['underpaid'] : []
}

function nextStatus(order: PaidOrder, news: PaymentNews, late: LateDecision): OrderStatus {
  // Late money that a refund in the same report returned leaves no review, and confirms nothing either.
  const isLate = isGivenUp(order.status) && !late.isAccepted
  const isComplete = news.completesPayment || (isPaidUp(order.paymentStatus) && news.moneyIn > 0)
  if (isComplete && !isLate) return orderStates.next(order.status, 'confirm') ?? order.status
  const isEmpty = order.kept === 0 && !isPaidUp(order.paymentStatus)
  const hasExpired = news.isLapsed && !news.hasLiveAttempt && isEmpty
  return hasExpired ? (orderStates.next(order.status, 'expire') ?? order.status) : order.status
}

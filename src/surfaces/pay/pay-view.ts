import type { PayPageFacts, PayPageRow } from '../../orders/pay-page-source.ts'
import { isFixedCode, isPaidOnce, isPaidUp, leftAfter, type OrderMoney, owedOf } from '../../orders/payment-status.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import { isLive } from '../../payments/payments.states.ts'
import { hashOf } from '../../platform/http/static-content.ts'

/**
 * An order as the payer sees it.
 *
 *   preparing    the provider has not answered yet, or nobody has opened a way to pay
 *   payable      here is how
 *   partly_paid  some money came; the rest is still awaited, and can be paid where the attempt is still open
 *   paid         enough came
 *   late         money came after the order was given up: the shop has to decide
 *   expired      time is over. From the very second on, although the provider is asked a little later
 *   failed       this way of paying did not work
 *   cancelled, refunded
 */
export type PayState =
  | 'preparing'
  | 'payable'
  | 'partly_paid'
  | 'paid'
  | 'late'
  | 'expired'
  | 'failed'
  | 'cancelled'
  | 'refunded'

type Details = NonNullable<NonNullable<PayPageRow['payment']>['details']>

/** What to pay with: only where it can be paid. */
export type PayMeans = {
  attemptId: string
  method: PaymentMethod
  bank: string | null
  /** Null when the payer says how much. */
  amount: number | null
  expiresAt: Date | null
  details: Details
}

export type PayView = {
  merchantName: string
  orderNumber: string
  state: PayState
  total: number | null
  received: number
  returned: number
  /** Still to be paid; null for an open amount. */
  owed: number | null
  means: PayMeans | null
  /** Another one whenever the page would look different. */
  version: string
}

export function viewPayPage({ row, profile }: PayPageFacts, nowMs: number): PayView {
  const isOpen = isAttemptOpen(row, nowMs)
  const state = stateOf(row, isOpen)
  const isPayable = isOpen && (state === 'payable' || state === 'partly_paid') && !asksTooMuch(row)
  return {
    merchantName: profile.name,
    orderNumber: String(row.number),
    state,
    total: row.total,
    received: row.amount_paid,
    returned: row.amount_returned,
    owed: owedOf(moneyOf(row)),
    means: isPayable ? meansOf(row) : null,
    version: hashOf(`${state} ${isPayable} ${row.payment?.id} ${row.amount_paid} ${row.amount_returned}`),
  }
}

function isAttemptOpen({ payment }: PayPageRow, nowMs: number): boolean {
  if (payment === null || payment.status !== 'pending' || payment.details === null) return false
  return payment.expires_at === null || payment.expires_at.getTime() > nowMs
}

function stateOf(row: PayPageRow, isOpen: boolean): PayState {
  const kept = row.amount_paid - row.amount_returned
  if (row.status === 'cancelled') return 'cancelled'
  if (row.status === 'expired' && row.payment_status !== 'refunded') return kept > 0 ? 'late' : 'expired'
  if (isPaidUp(row.payment_status)) return 'paid'
  // Money that went back ends it, unless there is a way to pay again: a bank took it, and somebody opened another attempt.
  const isOver = row.amount_returned > 0 && !(isOwed(row) && isLive(row.payment?.status ?? 'failed'))
  if (isOver && kept === 0) return 'refunded'
  if (isOver && row.status !== 'pending_payment') return 'paid'
  if (kept > 0) return 'partly_paid'
  if (isOpen) return 'payable'
  return stateWithoutMoney(row.payment?.status ?? 'created')
}

type Money = Pick<OrderMoney, 'standing' | 'left'>

const moneyOf = ({ total, amount_paid, amount_returned, amount_standing, movements }: PayPageRow): Money => ({
  standing: amount_standing,
  left: total === null ? null : amount_returned === 0 ? total - amount_paid : leftAfter(total, movements),
})

const isOwed = (row: PayPageRow): boolean => !isPaidOnce(moneyOf(row))

function stateWithoutMoney(status: NonNullable<PayPageRow['payment']>['status']): PayState {
  if (status === 'created') return 'preparing'
  return status === 'failed' ? 'failed' : 'expired'
}

function meansOf(row: PayPageRow): PayMeans | null {
  const { payment } = row
  if (payment === null || payment.details === null) return null
  const { id, method, bank, expires_at: expiresAt, details } = payment
  return { attemptId: id, method, bank, amount: askedOf(row, payment), expiresAt, details }
}

type Attempt = NonNullable<PayPageRow['payment']>

const leftOf = ({ amount, amount_kept }: Attempt): number | null =>
  amount === null ? null : Math.max(0, amount - amount_kept)

/** Who pays by hand is asked for what is owed, whatever came by other ways meanwhile. */
function askedOf(row: PayPageRow, payment: Attempt): number | null {
  const [left, owed] = [leftOf(payment), owedOf(moneyOf(row))]
  return left === null || owed === null || isFixedCode(payment) ? left : Math.min(left, owed)
}

/** Its end is under way; until then nobody is shown a code that takes more than is owed. */
function asksTooMuch(row: PayPageRow): boolean {
  const { payment } = row
  if (payment === null || !isFixedCode(payment)) return false
  const [left, owed] = [leftOf(payment), owedOf(moneyOf(row))]
  return left !== null && owed !== null && left > owed
}

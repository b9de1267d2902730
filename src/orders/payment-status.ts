import type { PaymentRow } from '../payments/payments-context.ts'

/**
 * How much of an order is paid: never set by hand, always worked out from what came in, what went back and the total. Money
 * that went back is refunds and what a bank took back.
 */
export const paymentStatuses = [
  'unpaid',
  'pending',
  'partially_paid',
  'paid',
  'overpaid',
  'partially_refunded',
  'refunded',
] as const

export type PaymentStatusOfOrder = (typeof paymentStatuses)[number]

export type OrderSums = {
  /** Null for an open amount: whatever comes is enough. */
  total: number | null
  paid: number
  returned: number
  /** Whether an attempt can be paid right now. */
  hasLiveAttempt: boolean
}

export function paymentStatusOf({ total, paid, returned, hasLiveAttempt }: OrderSums): PaymentStatusOfOrder {
  if (total === 0 && paid === 0) return 'paid'
  if (paid === 0) return hasLiveAttempt ? 'pending' : 'unpaid'
  const kept = paid - returned
  if (kept <= 0) return 'refunded'
  if (total === null) return returned > 0 ? 'partially_refunded' : 'paid'
  if (kept > total) return 'overpaid'
  if (kept === total) return 'paid'
  return returned > 0 ? 'partially_refunded' : 'partially_paid'
}

export const isPaidUp = (status: PaymentStatusOfOrder): boolean => status === 'paid' || status === 'overpaid'

/** Signed: what it adds to what is there. */
export type MoneyLine = { kind: 'capture' | 'refund' | 'reversal'; amount: number }

/**
 * What is left to be paid after all of this, in the order in which it happened; below nought what is too much. What was given
 * back on purpose once all had come is not owed again. What a bank took back is, and so is what was given back because it
 * had not been enough. The sums alone do not tell these apart.
 */
export function leftAfter(total: number, lines: readonly MoneyLine[]): number {
  let left = total
  for (const { kind, amount } of lines) {
    // What was too much goes back first, and was never part of what is owed.
    if (kind === 'refund' && left <= 0) left = Math.min(0, left - amount)
    else left -= amount
  }
  return left
}

export type OrderMoney = {
  reversed: number
  /** What came in by payments of which a bank has not taken the last rupiah, also where all of it was given back since. */
  standing: number
  /** As `leftAfter` says; null for an open amount. */
  left: number | null
}

/** Whether nothing is owed any more, whatever went back on purpose since. */
export const isPaidOnce = ({ standing, left }: Pick<OrderMoney, 'standing' | 'left'>): boolean =>
  left === null ? standing > 0 : left <= 0

/** What is to be asked for; null for an open amount. */
export const owedOf = ({ left }: Pick<OrderMoney, 'left'>): number | null => (left === null ? null : Math.max(0, left))

/**
 * A code takes what it says, whatever came by other ways since it was made. Who is to pay by hand is asked for what is owed.
 */
export const isFixedCode = ({ is_manual, details }: Pick<PaymentRow, 'is_manual' | 'details'>): boolean =>
  !is_manual || details?.qr_string != null

/** A code for more than is owed by now, because money came by an older one. It is ended; until then it is shown to nobody. */
export const asksTooMuch = (payment: PaymentRow, owed: number | null): boolean => {
  if (owed === null || payment.amount === null || !isFixedCode(payment)) return false
  return payment.amount - (payment.amount_paid - payment.amount_refunded - payment.amount_reversed) > owed
}

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

export type OrderMoney = { total: number | null; paid: number; returned: number; reversed: number }

/**
 * Whether all of it had come at some time. Then what was given back on purpose is not owed again; what a bank took back is,
 * and so is what was given back because it had not been enough.
 */
export function isPaidOnce({ total, paid, returned, reversed }: OrderMoney): boolean {
  if (total === null) return paid > reversed
  // What was too much and went back was never part of what is owed.
  const surplusBack = Math.min(returned - reversed, Math.max(0, paid - total))
  return paid - reversed - surplusBack >= total
}

/** What is left to be paid; null for an open amount. */
export function owedOf(money: OrderMoney): number | null {
  if (money.total === null) return null
  return isPaidOnce(money) ? 0 : money.total - (money.paid - money.returned)
}

/**
 * A code takes what it says, whatever came by other ways since it was made. Who is to pay by hand is asked for what is owed.
 */
export const isFixedCode = ({ is_manual, details }: Pick<PaymentRow, 'is_manual' | 'details'>): boolean =>
  !is_manual || details?.qr_string != null

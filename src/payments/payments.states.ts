import { defineStates, type StateOf } from '../kernel/states.ts'

/**
 * One attempt to pay an order.
 *
 *   created    stored; the provider has not answered yet
 *   pending    the payer has payment details
 *   paid       the payment was received, or enough of it when a code can be paid in parts
 *   failed, expired, cancelled   ended without a payment; late money still makes it `paid`
 *   reversed   the payment was received and reversed by the bank or the network
 *
 * Reports arrive in any sequence and repeatedly. The rank decides, not the time of arrival: an attempt never moves to a state
 * of the same or a lower rank, so a late `expire` never undoes `paid`.
 */
export const paymentStates = defineStates(
  'payment',
  {
    created: { present: 'pending', settle: 'paid', fail: 'failed' },
    pending: { settle: 'paid', fail: 'failed', expire: 'expired', cancel: 'cancelled' },
    failed: { settle: 'paid' },
    expired: { settle: 'paid' },
    cancelled: { settle: 'paid' },
    paid: { reverse: 'reversed' },
    reversed: {},
  },
  ['created'],
)

export type PaymentStatus = StateOf<typeof paymentStates>

const RANK: Record<PaymentStatus, number> = {
  created: 0,
  pending: 1,
  failed: 2,
  expired: 2,
  cancelled: 2,
  paid: 3,
  reversed: 4,
}

/** A report may move an attempt only to a higher rank and along the table. */
export const isPaymentMove = (from: PaymentStatus, to: PaymentStatus): boolean =>
  RANK[to] > RANK[from] && paymentStates.moves.some((move) => move.from === from && move.to === to)

/** The attempt can still be paid in time. At most one attempt of an order is live. */
export const isLive = (status: PaymentStatus): boolean => status === 'created' || status === 'pending'

/** Ended without money. */
export const isOver = (status: PaymentStatus): boolean =>
  status === 'failed' || status === 'expired' || status === 'cancelled'

/**
 * The states of a refund.
 *
 *   requested  stored; the provider has not answered yet
 *   pending    the provider has accepted it
 */
export const refundStates = defineStates(
  'refund',
  {
    requested: { accept: 'pending', succeed: 'succeeded', fail: 'failed' },
    pending: { succeed: 'succeeded', fail: 'failed' },
    failed: { succeed: 'succeeded' },
    succeeded: {},
  },
  ['requested', 'succeeded'],
)

export type RefundStatus = StateOf<typeof refundStates>

export const isRefundMove = (from: RefundStatus, to: RefundStatus): boolean =>
  refundStates.moves.some((move) => move.from === from && move.to === to)

import { defineStates, type StateOf } from '../kernel/states.ts'

/**
 * One attempt to have an order paid.
 *
 *   created    written down; the provider has not answered yet
 *   pending    the payer has something to pay with
 *   paid       money came, or enough of it where a code can be paid in parts
 *   failed, expired, cancelled   nobody paid; late money still makes it `paid`
 *   reversed   money came and was taken back by the bank or the network
 *
 * Reports come in any order and more than once. Not the moment they arrive decides, but the rank: an attempt never moves
 * to a state of the same or a lower rank, so `paid` is never taken back by an `expire` that was under way.
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

/** Whether a report may move it: upwards, and along the table. */
export const isPaymentMove = (from: PaymentStatus, to: PaymentStatus): boolean =>
  RANK[to] > RANK[from] && paymentStates.moves.some((move) => move.from === from && move.to === to)

/** Something that can still be paid as planned. At most one of an order's attempts is. */
export const isLive = (status: PaymentStatus): boolean => status === 'created' || status === 'pending'

/** Ended without money. */
export const isOver = (status: PaymentStatus): boolean =>
  status === 'failed' || status === 'expired' || status === 'cancelled'

/**
 * Giving money back.
 *
 *   requested  written down; the provider has not answered yet
 *   pending    the provider has taken it on
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

import { defineStates, type StateOf } from '../../kernel/states.ts'

/**
 * The seller's side of an order. The payment status is separate (settlement.ts).
 *
 *   draft            a cart that was not submitted as an order yet
 *   pending_payment  awaits payment
 *   confirmed        to be prepared: the money was received, or is not awaited (cash, on delivery, on account)
 *   processing       being prepared
 *   expired          the last attempt to pay expired; late money may still confirm it, if the organization accepts that
 */
export const orderStates = defineStates(
  'order',
  {
    draft: { submit: 'pending_payment', cancel: 'cancelled' },
    pending_payment: { confirm: 'confirmed', expire: 'expired', cancel: 'cancelled' },
    confirmed: { process: 'processing', cancel: 'cancelled' },
    processing: { complete: 'completed', cancel: 'cancelled' },
    expired: { confirm: 'confirmed' },
    completed: {},
    cancelled: {},
  },
  ['draft', 'pending_payment', 'confirmed'],
)

export type OrderStatus = StateOf<typeof orderStates>

/** The way of the goods to the customer, separate from `status`: an order can be paid before or after it is delivered. */
export const deliveryStates = defineStates(
  'delivery',
  {
    pending: { ship: 'shipped', deliver: 'delivered' },
    shipped: { deliver: 'delivered' },
    delivered: {},
  },
  ['pending'],
)

export type DeliveryStatus = StateOf<typeof deliveryStates>

/** The states in which goods may be sent. Shops act on `order.paid`, so it is recorded only in these. */
const GOING: readonly OrderStatus[] = ['confirmed', 'processing', 'completed']

export const isGoing = (status: OrderStatus): boolean => GOING.includes(status)

export const isGivenUp = (status: OrderStatus): boolean => status === 'expired' || status === 'cancelled'

import { defineStates, type StateOf } from '../kernel/states.ts'

/**
 * The seller's side of an order. What was paid is told apart from it (settlement.ts).
 *
 *   draft            a cart that nobody has turned into an order yet
 *   pending_payment  waits for money
 *   confirmed        to be prepared: the money is in, or is not waited for (cash, on delivery, on account)
 *   processing       being prepared
 *   expired          the last attempt to pay ran out; late money may still confirm it, if the organization wants that
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

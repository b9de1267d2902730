import type { EventRecord } from '../api/webhooks.ts'

/** How much came in with an event of a payment: what it adds to what had come before. Null where it tells of no money. */
export function moneyIn({ type, data, previous }: Pick<EventRecord, 'type' | 'data' | 'previous'>): number | null {
  if (type !== 'payment.paid' || typeof data.amount_paid !== 'number') return null
  return data.amount_paid - (typeof previous?.amount_paid === 'number' ? previous.amount_paid : 0)
}

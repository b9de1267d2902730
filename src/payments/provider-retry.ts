import type { Outcome } from '../platform/outbox/job.ts'
import type { PaymentFailure } from './payment-connector.ts'

/** Answers about one payment that nobody can go on with: the provider was there to give them. */
const ANSWERED = ['answer_contradictory', 'answer_not_understood', 'refund_in_progress', 'still_open']

/**
 * What is asked again later. Only a provider that is away counts against its lane: else a few odd payments would keep the
 * new ones of the whole account waiting.
 */
export const retryAfter = (failure: PaymentFailure): Outcome<PaymentFailure> => ({
  kind: 'retry',
  reason: failure.code,
  isOverload: failure.code === 'throttled',
  ...(failure.retryAfterMs !== null && { afterMs: failure.retryAfterMs }),
  ...((failure.class !== 'unavailable' || ANSWERED.includes(failure.code)) && { verdict: 'neutral' as const }),
  data: failure,
})

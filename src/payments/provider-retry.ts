import type { Clock } from '../kernel/clock.ts'
import type { Outcome } from '../platform/outbox/job.ts'
import { RETRY_AFTER } from '../platform/outbox/lanes.ts'
import type { PaymentFailure } from './payment-connector.ts'

/** Answers about one payment or one bank that nobody can go on with: the provider was there to give them. */
const ANSWERED = [
  'answer_contradictory',
  'answer_not_understood',
  'channel_unavailable',
  'refund_in_progress',
  'still_open',
]

/** Those that speak for all that an account asks, not for one payment or one bank. */
const OF_THE_ACCOUNT = ['provider_unavailable', 'throttled']

/** A provider that asks for hours would keep a shop from being paid for hours. */
const PAUSE_MS_MAX = 5 * 60_000

type Refusal = Pick<PaymentFailure, 'code' | 'retryAfterMs'>

/** For how long the provider is left alone, because it asked for that; null where it did not. */
export const pauseMsOf = ({ code, retryAfterMs }: Refusal): number | null =>
  retryAfterMs === null || retryAfterMs <= 0 || !OF_THE_ACCOUNT.includes(code)
    ? null
    : Math.min(retryAfterMs, PAUSE_MS_MAX)

/**
 * Everything of the account waits, whatever it was about to ask. Its breaker hears nothing: it would try in two seconds for
 * whoever makes an order, and the provider has said when.
 */
export function pauseFor(clock: Clock, refusal: Refusal): Pick<Outcome, 'pauseLane' | 'verdict'> {
  const pauseMs = pauseMsOf(refusal)
  if (pauseMs === null) return {}
  return { pauseLane: { until: new Date(clock.now() + pauseMs), reason: RETRY_AFTER }, verdict: 'neutral' }
}

/**
 * What is asked again later. Only a provider that is away counts against its lane: else a few odd payments would keep the
 * new ones of the whole account waiting.
 */
export function retryAfter({ clock }: { clock: Clock }, failure: PaymentFailure): Outcome<PaymentFailure> {
  const pauseMs = pauseMsOf(failure)
  const afterMs = pauseMs ?? failure.retryAfterMs
  return {
    kind: 'retry',
    reason: failure.code,
    isOverload: failure.code === 'throttled' || pauseMs !== null,
    ...(afterMs !== null && { afterMs }),
    ...((failure.class !== 'unavailable' || ANSWERED.includes(failure.code)) && { verdict: 'neutral' as const }),
    ...pauseFor(clock, failure),
    data: failure,
  }
}

/** What may have been done, and is looked for before it is done again. */
export function retryUnknown(
  { clock }: { clock: Clock },
  { retryAfterMs = null }: { retryAfterMs?: number | null },
): Outcome<PaymentFailure> {
  const trouble = { code: 'provider_unavailable', retryAfterMs }
  const afterMs = pauseMsOf(trouble)
  return {
    kind: 'retry',
    reason: 'unknown',
    ...(afterMs !== null && { afterMs, isOverload: true }),
    ...pauseFor(clock, trouble),
  }
}

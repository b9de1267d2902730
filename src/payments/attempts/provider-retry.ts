import type { Clock } from '../../kernel/clock.ts'
import type { Outcome } from '../../platform/outbox/job.ts'
import { RETRY_AFTER } from '../../platform/outbox/lane-health.ts'
import type { PaymentFailure } from '../payment-connector.ts'

/** Failures of one payment or one bank. The provider answered, so they do not count as an outage. */
const ANSWERED = [
  'answer_contradictory',
  'answer_not_understood',
  'channel_unavailable',
  'refund_in_progress',
  'still_open',
]

/** Failures that concern the whole account, not one payment or one bank. */
const OF_THE_ACCOUNT = ['provider_unavailable', 'throttled']

/** Upper bound on a pause, so that a provider that asks for hours does not stop a shop's payments for hours. */
const PAUSE_MS_MAX = 5 * 60_000

type Refusal = Pick<PaymentFailure, 'code' | 'retryAfterMs'>

/** The pause that the provider asked for; null when it asked for none. */
export const pauseMsOf = ({ code, retryAfterMs }: Refusal): number | null =>
  retryAfterMs === null || retryAfterMs <= 0 || !OF_THE_ACCOUNT.includes(code)
    ? null
    : Math.min(retryAfterMs, PAUSE_MS_MAX)

/**
 * Pauses the lane of the account. The failure is not reported to the breaker, because the breaker would probe after two
 * seconds for new orders, although the provider has named the time.
 */
export function pauseFor(clock: Clock, refusal: Refusal): Pick<Outcome, 'pauseLane' | 'verdict'> {
  const pauseMs = pauseMsOf(refusal)
  if (pauseMs === null) return {}
  return { pauseLane: { until: new Date(clock.now() + pauseMs), reason: RETRY_AFTER }, verdict: 'neutral' }
}

/**
 * Retries a call later. Only an unavailable provider counts against its lane: otherwise a few unusual payments would delay
 * the new ones of the whole account.
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

/** Retries a call with an unknown outcome. The retry queries the status before it repeats the call. */
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

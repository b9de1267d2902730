import type { OutboundErrorClass, OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import type { Outcome } from '../../platform/outbox/job.ts'
import { RETRY_AFTER } from '../../platform/outbox/lane-health.ts'
import { maskLocation } from '../endpoints/endpoints.ts'

/**
 * What an answer means. 2xx is delivered; everything else is a failure that is tried again, because a wrong deploy answers
 * 401 or 404 for a few minutes as readily as 500. The exceptions: 410 says the receiver is gone for good, and a receiver
 * may itself ask for no more of this event or of any.
 */
export type DisableReason = 'gone' | 'receiver_wish'

/** The response header in which a receiver asks for that: `disable` or `abort-message`. */
export const CONTROL_HEADER = 'webhook-delivery'

/** The reason of a delivery whose receiver asked for no more attempts of it. */
export const ABORTED = 'aborted_by_receiver'

type FailureClass = OutboundErrorClass | 'redirect' | 'status'

export type AttemptVerdict = {
  isDelivered: boolean
  errorClass: FailureClass | null
  errorDetail: string | null
  outcome: Outcome
  /** The endpoint wants no more. */
  disable: DisableReason | null
}

/** 429 and 503 speak for the whole receiver, so their Retry-After holds up all of its deliveries. */
const PAUSING_STATUSES = [429, 503]
const TIMEOUTS: readonly (string | null)[] = ['timeout_connect', 'timeout_total']
const DETAIL_CHARACTERS_MAX = 1000

export function judgeAttempt(result: OutboundResult, nowMs: number): AttemptVerdict {
  const { status, errorClass, errorDetail } = result
  if (errorClass !== null || status === null) return judgeFault(errorClass ?? 'protocol', errorDetail)
  const control = result.control?.toLowerCase()
  const disable = control === 'disable' ? ('receiver_wish' as const) : null
  if (status >= 200 && status < 300)
    return { isDelivered: true, errorClass: null, errorDetail: null, outcome: { kind: 'done' }, disable }
  if (status === 410) {
    const outcome = { kind: 'failed' as const, reason: 'gone', verdict: 'down' as const }
    return { ...failureOf(result, status), outcome, disable: 'gone' }
  }
  if (control === 'abort-message')
    return { ...failureOf(result, status), outcome: { kind: 'failed', reason: ABORTED }, disable }
  return { ...failureOf(result, status), outcome: retryOutcome(result, status, nowMs), disable }
}

/** A handshake has no further attempt, and disables nothing. */
export function judgeHandshake(verdict: AttemptVerdict, problem: string | null): AttemptVerdict {
  if (problem === null) return { ...verdict, disable: null }
  const errorClass = verdict.errorClass ?? 'status'
  const outcome = { kind: 'failed' as const, reason: 'handshake_failed' }
  return { isDelivered: false, errorClass, errorDetail: problem, outcome, disable: null }
}

const judgeFault = (errorClass: OutboundErrorClass, errorDetail: string | null): AttemptVerdict => ({
  isDelivered: false,
  errorClass,
  errorDetail,
  outcome: { kind: 'retry', reason: errorClass, isOverload: TIMEOUTS.includes(errorClass) },
  disable: null,
})

function retryOutcome({ retryAfterMs }: OutboundResult, status: number, nowMs: number): Outcome {
  const mustPause = retryAfterMs !== null && PAUSING_STATUSES.includes(status)
  return {
    kind: 'retry',
    reason: `status_${status}`,
    isOverload: status === 429 || status >= 500,
    ...(retryAfterMs !== null && { afterMs: retryAfterMs }),
    ...(mustPause && { pauseLane: { until: new Date(nowMs + retryAfterMs), reason: RETRY_AFTER } }),
  }
}

function failureOf(result: OutboundResult, status: number) {
  const isRedirect = status >= 300 && status < 400
  return {
    isDelivered: false,
    errorClass: isRedirect ? ('redirect' as const) : ('status' as const),
    errorDetail: (isRedirect ? redirectAdvice(result) : `The receiver responded with status ${status}.`).slice(
      0,
      DETAIL_CHARACTERS_MAX,
    ),
  }
}

function redirectAdvice({ status, responseHeaders }: OutboundResult): string {
  const location = responseHeaders?.location
  const target = location === undefined ? 'another URL' : maskLocation(location)
  return `The receiver responded with status ${status} and points to ${target}. Redirects are not followed; change the URL of the endpoint.`
}

import type { WaitReason } from '../platform/outbox/entries.ts'
import type { Attempt, Delivery } from './deliveries.ts'
import type { Endpoint } from './endpoints.ts'
import { EVENT_ERASED } from './event-erasure.sql.ts'
import type { Ending, Facts, Step } from './explanation-facts.ts'
import { REORDERING } from './reordering.ts'

/** The sentences of an explanation: about one attempt, about what it waits for now, and how it ended. */
const at = (time: Date) => time.toISOString()

export const describeAttempt = (attempt: Attempt): Step => ({
  at: attempt.started_at,
  code: `attempt_${attempt.outcome}`,
  says: `Attempt ${attempt.number} (${attempt.trigger}) to ${attempt.url}${attempt.ip === null ? '' : ` at ${attempt.ip}`} ${attemptResult(attempt)} after ${Math.round(attempt.total_ms)} ms.${attempt.next_attempt_at === null ? '' : ` The next was set for ${at(attempt.next_attempt_at)}.`}`,
  details: {
    attempt_id: attempt.id,
    number: attempt.number,
    trigger: attempt.trigger,
    response_status: attempt.response_status,
    error_class: attempt.error_class,
    error_detail: attempt.error_detail,
    dns_ms: attempt.dns_ms,
    connect_ms: attempt.connect_ms,
    tls_ms: attempt.tls_ms,
    ttfb_ms: attempt.ttfb_ms,
    total_ms: attempt.total_ms,
    throttled_ms: attempt.throttled_ms,
    retry_after_ms: attempt.retry_after_ms,
    next_attempt_at: attempt.next_attempt_at === null ? null : at(attempt.next_attempt_at),
  },
})

function attemptResult({ outcome, response_status: status, error_class: errorClass, error_detail: detail }: Attempt) {
  if (outcome === 'succeeded') return `was answered with ${status}`
  if (status !== null) return `was answered with ${status}`
  return `came to no answer (${errorClass}${detail === null ? '' : `: ${detail.replace(/\.$/, '')}`})`
}

export type Wait = { reason: WaitReason | 'nowhere'; step: Step }

/** What the outbox says at this moment. Null when there is nothing for it to do. */
export function describeWait({ delivery, waiting }: Facts, now: Date): Wait | null {
  if (waiting === null) return delivery?.status === 'pending' ? nowhere(now) : null
  const { reason, until, detail, behindEntryId, entry } = waiting
  return {
    reason,
    step: {
      at: now,
      code: `outbox_${reason}`,
      says: waitSentence(reason, { until, detail, behindEntryId }),
      details: {
        reason,
        until: until === null ? null : at(until),
        detail,
        behind_delivery_id: behindEntryId,
        due_at: at(entry.dueAt),
        class: entry.class,
        attempts_of_schedule: entry.attempt,
      },
    },
  }
}

const nowhere = (now: Date): Wait => ({
  reason: 'nowhere',
  step: {
    at: now,
    code: 'outbox_empty',
    says: 'It is owed, but the outbox holds nothing for it.',
    details: {},
  },
})

type WaitFacts = { until: Date | null; detail: string | null; behindEntryId: string | null }

function waitSentence(reason: WaitReason, { until, detail, behindEntryId }: WaitFacts): string {
  const untilWhen = until === null ? '' : ` until ${at(until)}`
  const why = detail === null ? '' : ` (${detail})`
  switch (reason) {
    case 'in_flight':
      return 'An attempt is being made right now.'
    case 'held':
      return 'It is held back until somebody lets it go.'
    case 'lane_missing':
      return 'The endpoint has no lane in the outbox.'
    case 'lane_paused':
      return pauseSentence(detail)
    case 'lane_closed':
      return `The endpoint is closed${why}; nothing is sent to it.`
    case 'breaker_open':
      return `The endpoint kept failing, so deliveries to it wait${untilWhen}, but for one at a time to see whether it is back. Waiting spends no attempts.`
    case 'lane_blocked':
      return `Nothing is sent to the endpoint${untilWhen}${why}.`
    case 'throttled':
      return `The rate of the endpoint (max_per_second) is used up; it goes on${until === null ? ' soon' : ` at ${at(until)}`}.`
    case 'behind_other':
      return `The endpoint wants order, and ${behindEntryId} comes first.`
    case 'not_due':
      return `The next attempt is due ${until === null ? 'later' : `at ${at(until)}`}${why}.`
    case 'lane_full':
      return 'As many attempts as the endpoint may have are under way; it is its turn when one of them ends.'
    case 'ready':
      return 'It is due and about to be taken up.'
  }
}

function pauseSentence(reason: string | null): string {
  if (reason === 'endpoint_resuming') return 'The endpoint is being resumed, and its backlog is put in order first.'
  if (reason === REORDERING) return 'The order of the endpoint was changed, and what waits is brought into it first.'
  return `The endpoint is ${reason === 'endpoint_disabled' ? 'disabled' : 'paused'}; nothing is sent to it.`
}

type EndFacts = {
  delivery: Delivery
  endpoint: Endpoint
  /** In the order they were made. */
  attempts: readonly Attempt[]
  last: Attempt | null
  wait: Wait | null
  isResending: boolean
  /** Nothing is left to send. */
  isErased: boolean
}

export function describeEnd(facts: EndFacts): Ending {
  const ending = endOf(facts)
  if (!facts.isResending) return ending
  return { ...ending, says: `${ending.says} A resend by hand is on its way.` }
}

function endOf(facts: EndFacts): Ending {
  const { delivery } = facts
  switch (delivery.status) {
    case 'succeeded':
      return { verdict: 'delivered', says: deliveredSentence(facts), nextStep: null }
    case 'pending':
      return pendingEnd(facts)
    case 'failed':
      return {
        verdict: 'failed',
        says: failedSentence(facts),
        nextStep: failedAdvice(facts),
      }
    case 'held':
      return {
        verdict: 'held',
        says: `It is kept: the endpoint ${restSentence(delivery.reason)}.`,
        nextStep: resumeAdvice(delivery.reason),
      }
    case 'cancelled':
      return { verdict: 'cancelled', says: cancelSentence(delivery.reason), nextStep: againAdvice(facts, 'failed') }
    case 'skipped':
      return {
        verdict: 'skipped',
        says: 'It was not sent: the endpoint was resumed from now, which skips what had gathered.',
        nextStep: againAdvice(facts, 'held'),
      }
  }
}

const resend = ({ id }: Delivery) => `send it again with POST /deliveries/${id}/resend`

function deliveredSentence({ delivery, attempts, last, wait }: EndFacts): string {
  const when = delivery.completed_at === null ? '' : ` at ${at(delivery.completed_at)}`
  const later = last?.outcome === 'failed' ? '; a later attempt failed, which changes nothing' : ''
  const replay = wait === null ? '' : ' It is being sent once more.'
  return `It arrived${when}${arrivalOf(delivery, attempts)}${later}.${replay}`
}

/** Only the newest attempts are at hand, and for less long than deliveries; the one that arrived may not be among them. */
function arrivalOf({ completed_at: arrivedAt }: Delivery, attempts: readonly Attempt[]): string {
  const arrived = attempts.find(
    ({ outcome, started_at }) => outcome === 'succeeded' && arrivedAt !== null && started_at <= arrivedAt,
  )
  if (arrived === undefined) return ''
  const which = arrived.number === 1 ? 'the first attempt' : `attempt ${arrived.number}`
  return ` on ${which} and was answered with ${arrived.response_status}`
}

function failedSentence({ delivery, last }: EndFacts): string {
  const what = last === null ? '' : ` The last attempt ${attemptResult(last)}.`
  switch (delivery.reason) {
    case 'gone':
      return `The receiver answered 410: it is gone for good.${what}`
    case 'aborted_by_receiver':
      return 'The receiver asked for no more attempts of this one (webhook-delivery: abort-message).'
    case 'event_expired':
      return 'The event was no longer kept when its turn came.'
    case 'endpoint_deleted':
      return 'The endpoint was deleted.'
    case EVENT_ERASED:
      return `It did not arrive, and what it said was erased.${what}`
    default:
      return `All ${delivery.attempts} attempts failed, and there is no further one by itself.${what}`
  }
}

function pendingEnd({ delivery, last, wait }: EndFacts): Ending {
  if (wait?.reason === 'in_flight') return { verdict: 'in_flight', says: wait.step.says, nextStep: null }
  const so = delivery.attempts === 0 ? 'It was not tried yet.' : `${timesTried(delivery.attempts)} so far failed.`
  const says = `${so} ${wait?.step.says ?? ''}`.trim()
  const isResting = wait?.reason === 'lane_paused' || wait?.reason === 'lane_closed'
  if (isResting && wait.step.details.detail === REORDERING) return { verdict: 'pending', says, nextStep: null }
  if (isResting) return { verdict: 'held', says, nextStep: resumeAdvice(wait.step.details.detail) }
  return { verdict: 'pending', says, nextStep: pendingAdvice(delivery, last, wait) }
}

const resumeAdvice = (reason: unknown) =>
  reason === 'endpoint_resuming' ? null : 'Resume the endpoint with mode "recover_held".'

const timesTried = (attempts: number) => (attempts === 1 ? 'One attempt' : `${attempts} attempts`)

function pendingAdvice(delivery: Delivery, last: Attempt | null, wait: Wait | null): string | null {
  switch (wait?.reason) {
    case 'nowhere':
    case 'lane_missing':
      return `Ask again in a moment; if nothing has changed, ${resend(delivery)}.`
    default:
      return last === null || last.outcome === 'succeeded'
        ? null
        : `${adviceFor(last)} It is tried again by itself; to have it at once, ${resend(delivery)}.`
  }
}

const restSentence = (reason: string | null) => {
  if (reason === 'endpoint_paused') return 'was paused when the event came'
  if (reason === 'endpoint_disabled') return 'was disabled when the event came'
  return 'is being resumed, and what was held goes out in order'
}

function cancelSentence(reason: string | null): string {
  switch (reason) {
    case 'endpoint_deleted':
      return 'The endpoint was deleted before it could be sent.'
    case 'endpoint_disabled':
      return 'The receiver answered 410 to another event, which disables its endpoint and cancels what was owed.'
    case 'cancelled_in_flight':
      return 'It was cancelled while an attempt was under way, and that attempt failed.'
    case EVENT_ERASED:
      return 'It was not sent, and what it said was erased.'
    case 'recovery_cancelled':
      return 'A recovery had taken it up and was cancelled before it was sent.'
    default:
      return `It was cancelled${reason === null ? '' : ` (${reason})`}.`
  }
}

const failedAdvice = ({ delivery, endpoint, last, isErased }: EndFacts): string | null =>
  endpoint.deleted_at === null && !isErased ? `${adviceFor(last)} Then ${resend(delivery)}.` : null

/** Nothing is sent to an endpoint that was deleted, and recovered only to one that is enabled. */
function againAdvice({ delivery, endpoint, isErased }: EndFacts, mode: 'failed' | 'held'): string | null {
  if (endpoint.deleted_at !== null || isErased) return null
  const resume = endpoint.state === 'enabled' ? '' : 'resume the endpoint and '
  return `To get it all the same, ${resend(delivery)}, or ${resume}recover with mode "${mode}".`
}

const ADVICE: Record<string, string> = {
  dns: 'Check the host name in the URL of the endpoint and its DNS records.',
  blocked_address: 'The host of the URL leads to a private or reserved address; give it a public one.',
  refused: 'Check that the receiver runs and can be reached from the internet.',
  reset: 'The receiver or something in front of it closes connections early; look at its log.',
  tls: 'Repair the certificate of the receiver.',
  timeout_connect: 'The receiver takes too long to accept connections; check that it is up and not overloaded.',
  timeout_total: 'Answer 2xx first and do the work afterwards, or raise timeout_ms of the endpoint.',
  redirect: 'Redirects are not followed; set the URL of the endpoint to where it points.',
  protocol: 'The receiver does not answer in HTTP; check the URL and what listens there.',
  too_large: 'The answer of the receiver is too large; a short one is enough.',
}

function adviceFor(last: Attempt | null): string {
  if (last === null) return 'Check the endpoint.'
  const status = last.response_status
  if (last.error_class !== 'status' || status === null) return ADVICE[last.error_class ?? ''] ?? 'Check the receiver.'
  if (status === 401 || status === 403)
    return 'The receiver refuses it; most often the signature is checked with an old secret or the decoded body. POST …/certify finds the mistake.'
  if (status === 404 || status === 405)
    return 'The receiver knows no such path or method; check the URL of the endpoint.'
  if (status === 410) return 'The receiver says it is gone; give the endpoint another URL and resume it.'
  if (status === 429) return 'The receiver wants fewer requests; set max_per_second of the endpoint.'
  return 'Look for the error in the log of the receiver at that time.'
}

import { isCutOff } from '../../platform/outbound-http/outbound-client.ts'
import type { WaitReason } from '../../platform/outbox/entries.ts'
import { type Attempt, type Delivery, EVENT_ERASED, isSkipped, REORDERING } from '../deliveries/deliveries.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import { type Ending, type Facts, type Sentence, type Step, sentence } from './explanation-codes.ts'

/** The sentences of an explanation: about one attempt, about what it waits for now, and how it ended. */
const at = (time: Date) => time.toISOString()

export const describeAttempt = (attempt: Attempt): Step => ({
  at: attempt.started_at,
  code: `attempt_${attempt.outcome}`,
  says: `Attempt ${attempt.number} (${attempt.trigger}) to ${attempt.url}${attempt.ip === null ? '' : ` at ${attempt.ip}`} ${attemptResult(attempt)} after ${Math.round(attempt.total_ms)} ms.${attempt.next_attempt_at === null ? '' : ` The next attempt was scheduled for ${at(attempt.next_attempt_at)}.`}`,
  details: {
    attempt_id: attempt.id,
    url: attempt.url,
    ip: attempt.ip,
    number: attempt.number,
    trigger: attempt.trigger,
    response_status: isCutOff(attempt.error_class) ? null : attempt.response_status,
    unfinished_status: isCutOff(attempt.error_class) ? attempt.response_status : null,
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

function attemptResult({ response_status: status, error_class: errorClass, error_detail: detail }: Attempt) {
  if (status !== null && !isCutOff(errorClass)) return `got status ${status}`
  const why = `${errorClass}${detail === null ? '' : `: ${detail.replace(/\.$/, '')}`}`
  return `got no ${status === null ? '' : 'complete '}response (${why})`
}

type Wait = { reason: WaitReason | 'nowhere'; step: Step & Sentence }

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
    says: 'It is pending, but not in the outbox.',
    details: {},
  },
})

type WaitFacts = { until: Date | null; detail: string | null; behindEntryId: string | null }

function waitSentence(reason: WaitReason, { until, detail, behindEntryId }: WaitFacts): string {
  const untilWhen = until === null ? '' : ` until ${at(until)}`
  const why = detail === null ? '' : ` (${detail})`
  switch (reason) {
    case 'in_flight':
      return 'An attempt is in progress.'
    case 'held':
      return 'It is held until a person releases it.'
    case 'lane_missing':
      return 'The endpoint has no lane in the outbox.'
    case 'lane_paused':
      return pauseSentence(detail)
    case 'lane_closed':
      return `The endpoint is closed${why}; nothing is sent to it.`
    case 'breaker_open':
      return `The endpoint kept failing, so its deliveries wait${untilWhen}. Meanwhile one at a time is sent to check whether the endpoint works again. Waiting does not use up attempts.`
    case 'lane_blocked':
      return `Nothing is sent to the endpoint${untilWhen}${why}.`
    case 'throttled':
      return `The rate limit of the endpoint (max_per_second) is reached; sending continues${until === null ? ' soon' : ` at ${at(until)}`}.`
    case 'behind_other':
      return `The endpoint receives events in order, and ${behindEntryId} is sent first.`
    case 'not_due':
      return `The next attempt is due ${until === null ? 'later' : `at ${at(until)}`}${why}.`
    case 'lane_full':
      return 'The endpoint has the highest number of simultaneous attempts; this one starts when another ends.'
    case 'ready':
      return 'It is due and will be sent in a moment.'
  }
}

function pauseSentence(reason: string | null): string {
  if (reason === 'endpoint_resuming') return 'The endpoint is being resumed, and its backlog is sorted first.'
  if (reason === REORDERING) return 'The ordering of the endpoint was changed, and pending deliveries are sorted first.'
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
  const ending = endOf({ ...facts, delivery: asGivenUp(facts) })
  if (!facts.isResending) return ending
  return { ...ending, answer: [...ending.answer, sentence('resend_under_way', 'A resend is in progress.')] }
}

/** A long backlog is given up step by step (backlog.ts); the decision is explained before its turn has come. */
function asGivenUp({ delivery, endpoint, wait }: EndFacts): Delivery {
  const isDeliverable = delivery.status === 'pending' || delivery.status === 'held'
  if (!isDeliverable || wait?.reason === 'in_flight') return delivery
  if (endpoint.deleted_at !== null) return { ...delivery, status: 'cancelled', reason: 'endpoint_deleted' }
  if (delivery.is_test) return delivery
  if (endpoint.settling === 'cancel') return { ...delivery, status: 'cancelled', reason: 'endpoint_disabled' }
  return endpoint.settling === 'skip' && isSkipped(endpoint, delivery) ? { ...delivery, status: 'skipped' } : delivery
}

function endOf(facts: EndFacts): Ending {
  const { delivery, endpoint } = facts
  switch (delivery.status) {
    case 'succeeded':
      return { verdict: 'delivered', answer: deliveredAnswer(facts), advice: [] }
    case 'pending':
      return pendingEnd(facts)
    case 'failed':
      return { verdict: 'failed', answer: failedAnswer(facts), advice: failedAdvice(facts) }
    case 'held':
      return { verdict: 'held', answer: [heldSentence(endpoint)], advice: resumeAdvice(endpoint.state === 'enabled') }
    case 'cancelled':
      return { verdict: 'cancelled', answer: [cancelSentence(delivery.reason)], advice: againAdvice(facts, 'failed') }
    case 'skipped':
      return { verdict: 'skipped', answer: [SKIPPED], advice: againAdvice(facts, 'held') }
  }
}

const SKIPPED = sentence(
  'skipped',
  'It was skipped: the endpoint was resumed with `from_now`, which skips held deliveries.',
)

const resend = ({ id }: Delivery) => `resend it with POST /deliveries/${id}/resend`

function deliveredAnswer({ delivery, attempts, last, wait }: EndFacts): Sentence[] {
  const { completed_at: arrivedAt } = delivery
  const arrived = arrivalOf(delivery, attempts)
  const when = arrivedAt === null ? '' : ` at ${at(arrivedAt)}`
  const how = arrived === undefined ? '' : ` with ${ordinal(arrived)}, which got status ${arrived.response_status}`
  const details = {
    at: arrivedAt === null ? null : at(arrivedAt),
    number: arrived?.number ?? null,
    response_status: arrived?.response_status ?? null,
  }
  const isLater = last?.outcome === 'failed'
  const arrival = isLater
    ? sentence('arrived_then_failed', `It was delivered${when}${how}; ${LATER_FAILED}`, details)
    : sentence('arrived', `It was delivered${when}${how}.`, details)
  return wait === null ? [arrival] : [arrival, sentence('sent_once_more', 'It is being resent.')]
}

const LATER_FAILED = 'a later attempt failed, which does not matter.'
const ordinal = ({ number }: Attempt) => (number === 1 ? 'the first attempt' : `attempt ${number}`)

/** Only the newest attempts are at hand, and for less long than deliveries; the one that arrived may not be among them. */
const arrivalOf = ({ completed_at: arrivedAt }: Delivery, attempts: readonly Attempt[]) =>
  attempts.find(({ outcome, started_at }) => outcome === 'succeeded' && arrivedAt !== null && started_at <= arrivedAt)

function failedAnswer({ delivery, last }: EndFacts): Sentence[] {
  const what = last === null ? [] : [lastSentence(last)]
  switch (delivery.reason) {
    case 'gone':
      return [sentence('receiver_gone', 'The receiver responded with 410: it no longer exists.'), ...what]
    case 'aborted_by_receiver':
      return [
        sentence('aborted_by_receiver', 'The receiver asked to stop this delivery (webhook-delivery: abort-message).'),
      ]
    case 'event_expired':
      return [sentence('event_expired', 'The event was deleted because of its age before it could be sent.')]
    case 'endpoint_deleted':
      return [sentence('failed_endpoint_deleted', 'The endpoint was deleted.')]
    case EVENT_ERASED:
      return [sentence('failed_erased', 'It was not delivered, and its payload was erased.'), ...what]
    default:
      return [allFailedSentence(delivery), ...what]
  }
}

function allFailedSentence({ attempts }: Delivery): Sentence {
  if (attempts === 1)
    return sentence('only_attempt_failed', 'The only attempt failed. It is not retried automatically.')
  const says = `All ${attempts} attempts failed. It is not retried automatically any more.`
  return sentence('all_attempts_failed', says, { attempts })
}

function lastSentence(last: Attempt): Sentence {
  const { response_status, error_class, error_detail } = last
  const says = `The last attempt ${attemptResult(last)}.`
  return response_status === null || isCutOff(error_class)
    ? sentence('last_attempt_unanswered', says, { error_class, error_detail })
    : sentence('last_attempt_answered', says, { response_status })
}

function pendingEnd({ delivery, last, wait }: EndFacts): Ending {
  const waiting = wait === null ? [] : [sentence(wait.step.code, wait.step.says, wait.step.details)]
  if (wait?.reason === 'in_flight') return { verdict: 'in_flight', answer: waiting, advice: [] }
  const answer = [triedSentence(delivery), ...waiting]
  const isResting = wait?.reason === 'lane_paused' || wait?.reason === 'lane_closed'
  if (isResting && wait.step.details.detail === REORDERING) return { verdict: 'pending', answer, advice: [] }
  if (isResting)
    return { verdict: 'held', answer, advice: resumeAdvice(wait.step.details.detail === 'endpoint_resuming') }
  return { verdict: 'pending', answer, advice: pendingAdvice(delivery, last, wait) }
}

function triedSentence({ attempts }: Delivery): Sentence {
  if (attempts === 0) return sentence('not_tried_yet', 'It was not attempted yet.')
  const times = attempts === 1 ? 'One attempt' : `${attempts} attempts`
  return sentence('tried_in_vain', `${times} failed so far.`, { attempts })
}

const resumeAdvice = (isResumed: boolean): Sentence[] =>
  isResumed ? [] : [sentence('resume', 'Resume the endpoint with mode "recover_held".')]

function pendingAdvice(delivery: Delivery, last: Attempt | null, wait: Wait | null): Sentence[] {
  const details = { delivery_id: delivery.id }
  if (wait?.reason === 'nowhere' || wait?.reason === 'lane_missing') {
    const says = `Check again in a moment; if nothing has changed, ${resend(delivery)}.`
    return [sentence('ask_again_or_resend', says, details)]
  }
  if (last === null || last.outcome === 'succeeded') return []
  const says = `It is retried automatically; to send it now, ${resend(delivery)}.`
  return [adviceFor(last), sentence('tried_again_by_itself', says, details)]
}

/** By what the endpoint is now: since the event came it may have been paused, disabled and resumed. */
function heldSentence({ state }: Endpoint): Sentence {
  const kept = (what: string) => `It is held: the endpoint is ${what}.`
  if (state === 'paused') return sentence('held_paused', kept('paused'))
  if (state === 'disabled') return sentence('held_disabled', kept('disabled'))
  return sentence('held_resuming', kept('being resumed, and held deliveries are sent in order'))
}

function cancelSentence(reason: string | null): Sentence {
  switch (reason) {
    case 'endpoint_deleted':
      return sentence('cancelled_endpoint_deleted', 'The endpoint was deleted before it was delivered.')
    case 'endpoint_disabled':
      return sentence(
        'cancelled_endpoint_disabled',
        'The receiver responded with 410, which disables the endpoint and cancels its pending deliveries.',
      )
    case 'cancelled_in_flight':
      return sentence('cancelled_in_flight', 'It was cancelled during an attempt, and that attempt failed.')
    case EVENT_ERASED:
      return sentence('cancelled_erased', 'It was not delivered, and its payload was erased.')
    case 'recovery_cancelled':
      return sentence('cancelled_recovery', 'It was part of a recovery that was cancelled.')
    default:
      return sentence('cancelled', `It was cancelled${reason === null ? '' : ` (${reason})`}.`, { reason })
  }
}

function failedAdvice({ delivery, endpoint, last, isErased }: EndFacts): Sentence[] {
  if (endpoint.deleted_at !== null || isErased) return []
  return [adviceFor(last), sentence('then_resend', `Then ${resend(delivery)}.`, { delivery_id: delivery.id })]
}

/** Nothing is sent to an endpoint that was deleted, and recovered only to one that is enabled. */
function againAdvice({ delivery, endpoint, isErased }: EndFacts, mode: 'failed' | 'held'): Sentence[] {
  if (endpoint.deleted_at !== null || isErased) return []
  const details = { delivery_id: delivery.id, mode }
  const again = `To send it anyway, ${resend(delivery)}, or`
  return endpoint.state === 'enabled'
    ? [sentence('resend_or_recover', `${again} recover with mode "${mode}".`, details)]
    : [
        sentence(
          'resend_or_resume_and_recover',
          `${again} resume the endpoint and recover with mode "${mode}".`,
          details,
        ),
      ]
}

const ADVICE: Record<string, Sentence> = {
  dns: sentence('check_host_name', 'Check the host name in the URL of the endpoint and its DNS records.'),
  blocked_address: sentence(
    'give_public_address',
    'The host name in the URL resolves to a private or reserved address; use a public one.',
  ),
  refused: sentence('check_running', 'Check that the receiver is running and reachable from the internet.'),
  reset: sentence(
    'look_at_early_closing',
    'The receiver or a proxy in front of it closes connections early; check its log.',
  ),
  tls: sentence('repair_certificate', 'Repair the certificate of the receiver.'),
  timeout_connect: sentence(
    'check_overload',
    'The receiver takes too long to accept connections; check that it is running and not overloaded.',
  ),
  timeout_total: sentence(
    'answer_first',
    'Respond with 2xx first and do the work afterwards, or raise timeout_ms of the endpoint.',
  ),
  redirect: sentence(
    'set_url_of_redirect',
    'Redirects are not followed; set the URL of the endpoint to the target of the redirect.',
  ),
  protocol: sentence(
    'check_protocol',
    'The receiver does not respond with HTTP; check the URL and the server behind it.',
  ),
  too_large: sentence('shorten_answer', 'The response of the receiver is too large; send a short one.'),
}

function adviceFor(last: Attempt | null): Sentence {
  if (last === null) return sentence('check_endpoint', 'Check the endpoint.')
  const { response_status: status, error_class: errorClass } = last
  if (errorClass !== 'status' || status === null)
    return ADVICE[errorClass ?? ''] ?? sentence('check_receiver', 'Check the receiver.')
  if (status === 401 || status === 403)
    return sentence(
      'check_signature',
      'The receiver rejects it; usually the signature is checked with an old secret or against the decoded body. POST …/certify finds the bug.',
    )
  if (status === 404 || status === 405)
    return sentence('check_path', 'The receiver does not accept this path or method; check the URL of the endpoint.')
  if (status === 410)
    return sentence('give_other_url', 'The receiver no longer exists; set another URL and resume the endpoint.')
  if (status === 429)
    return sentence('set_rate', 'The receiver asks for fewer requests; set max_per_second of the endpoint.')
  return sentence('look_in_log', 'Check the log of the receiver at that time.')
}

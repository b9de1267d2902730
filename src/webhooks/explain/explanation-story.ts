import { matchesEvent } from '../../events/events.ts'
import { nearestName } from '../../kernel/text.ts'
import { isOfNumber, isOperational, isOverridden } from '../deliveries/deliveries.ts'
import { findUnmet, isCloudFormat, maskUrl } from '../endpoints/endpoints.ts'
import { BODY_BYTES_ADVISED, BODY_BYTES_MAX } from '../sending/sending.ts'
import {
  type Ending,
  type Facts,
  paragraph,
  type Sentence,
  type Step,
  type Story,
  sentence,
} from './explanation-codes.ts'
import { describeAttempt, describeEnd, describeWait } from './explanation-sentences.ts'

/**
 * The story of one event and one endpoint, from what is known of it. Pure. In the order in which it is decided:
 *
 *   the event ──▶ does this endpoint get it? ──▶ has fan-out come to it? ──▶ the delivery ──▶ its attempts ──▶ now
 *
 * and it ends where the true story ends.
 */
type Account = { steps: Step[]; ending: Ending }

export function explainStory(facts: Facts, now: Date): Story {
  const { steps, ending } =
    facts.delivery === null ? explainWithout(facts) : explainDelivery(facts, facts.delivery, now)
  return {
    endpointId: facts.endpoint.id,
    url: maskUrl(facts.endpoint.url),
    deliveryId: facts.delivery?.id ?? null,
    ...ending,
    says: paragraph(ending.answer),
    nextStep: ending.advice.length === 0 ? null : paragraph(ending.advice),
    steps: [eventStep(facts), ...steps, ...erasureSteps(facts)],
  }
}

const eventStep = ({ event }: Facts): Step => ({
  at: event.created_at,
  code: 'event_recorded',
  says: event.is_test
    ? `${event.type} was recorded as a test event. It has no sequence and is not listed with real events.`
    : `${event.type} was recorded with sequence ${event.sequence}.`,
  details: {
    type: event.type,
    sequence: event.is_test ? null : event.sequence,
    subject: event.subject,
    test: event.is_test,
  },
})

/** A test has no number: its delivery is created with it, so fan-out has always passed it. */
const numberOf = ({ sequence }: Facts['event']): number => sequence ?? 0

function erasureSteps({ event }: Facts): Step[] {
  if (event.erased_at === null) return []
  const says = 'The payload of the event and the responses of receivers were erased. It can no longer be sent.'
  return [{ at: event.erased_at, code: 'payload_erased', says, details: {} }]
}

/** There is no delivery: some rule was against it, or it is not there yet. The first rule that applies is the reason. */
function explainWithout(facts: Facts): Account {
  if (facts.isBundled) return explainBundled()
  const account =
    explainTest(facts) ??
    explainTooEarly(facts) ??
    explainDeleted(facts) ??
    explainItself(facts) ??
    explainUnsubscribed(facts) ??
    explainOtherNumber(facts) ??
    explainOverridden(facts) ??
    explainFiltered(facts)
  return account ?? explainNotYet(facts)
}

function explainBundled(): Account {
  const bundled = sentence(
    'bundled',
    'It is being sent to the endpoint together with other events of about the same time.',
  )
  return {
    steps: [{ at: null, ...bundled }],
    ending: {
      verdict: 'pending',
      answer: [bundled],
      advice: [sentence('wait_a_moment', 'Wait a moment and check again.')],
    },
  }
}

type NotCreated = { reason: Sentence; at?: Date; advice: Sentence[]; answer?: Sentence }

const notCreated = ({ reason, at, advice, answer = reason }: NotCreated): Account => ({
  steps: [{ at: at ?? null, ...reason }],
  ending: { verdict: 'not_owed', answer: [answer], advice },
})

/** What brings it to the endpoint after all; nothing where nothing does. */
function adviceToGet({ event, endpoint }: Facts): Sentence[] {
  if (endpoint.deleted_at !== null || event.erased_at !== null) return []
  const details = { since: event.created_at.toISOString(), type: event.type, group: `${event.type.split('.')[0]}.*` }
  const recover = `recover with mode "missing" and since "${details.since}"`
  const subscribe = `add "${details.type}" or "${details.group}" to the events of the endpoint`
  const isSubscribed = matchesEvent(endpoint.events, event.type)
  const advise = (code: Sentence['code'], ...steps: string[]) => [
    sentence(code, `To send it anyway, ${steps.join(', then ')}.`, details),
  ]
  if (endpoint.state === 'enabled')
    return isSubscribed
      ? advise('recover_missing', recover)
      : advise('subscribe_and_recover_missing', subscribe, recover)
  return isSubscribed
    ? advise('resume_and_recover_missing', 'resume it', recover)
    : advise('subscribe_resume_and_recover_missing', subscribe, 'resume it', recover)
}

function explainTest({ event, endpoint }: Facts): Account | null {
  if (!event.is_test || event.subject === endpoint.id) return null
  const says = `This is a test event for the endpoint ${event.subject} and is sent to no other.`
  return notCreated({ reason: sentence('test_of_another', says, { endpoint_id: event.subject }), advice: [] })
}

function explainTooEarly(facts: Facts): Account | null {
  const { event, endpoint } = facts
  if (event.is_test || numberOf(event) > endpoint.subscribed_after) return null
  const says = `The endpoint was created after the event with sequence ${endpoint.subscribed_after} and receives later events. This one has sequence ${event.sequence}.`
  return notCreated({
    at: endpoint.created_at,
    reason: sentence('before_endpoint', says, { subscribed_after: endpoint.subscribed_after }),
    answer: sentence('happened_before_endpoint', 'The event happened before the endpoint was created.'),
    advice: adviceToGet(facts),
  })
}

function explainDeleted({ event, endpoint, fanOut }: Facts): Account | null {
  if (endpoint.deleted_at === null) return null
  const isAfter = endpoint.deleted_at <= event.created_at
  if (!isAfter && numberOf(event) <= fanOut.position) return null
  const says = `The endpoint was deleted ${isAfter ? 'before the event happened' : 'before its delivery was created'}.`
  return notCreated({ at: endpoint.deleted_at, reason: sentence('endpoint_deleted', says), advice: [] })
}

function explainItself({ event, endpoint }: Facts): Account | null {
  if (event.is_test || !isOperational(event.type) || event.subject !== endpoint.id) return null
  const says = `${event.type} is about this endpoint. Such events are sent only to other endpoints, so that a failing endpoint does not cause more failures.`
  return notCreated({
    reason: sentence('about_itself', says, { subject: event.subject }),
    advice: [sentence('watch_from_another', 'Receive these events with another endpoint, or read GET /events.')],
  })
}

function explainOtherNumber({ event, endpoint }: Facts): Account | null {
  if (event.is_test || event.erased_at !== null || isOfNumber(endpoint, event)) return null
  const { number_id: one, number_ids: several } = endpoint
  const limit = one === null ? `numbers ${several?.join(', ')}` : `number ${one}`
  const says = `The endpoint is limited to the business ${limit}. This event is about another one.`
  return notCreated({ reason: sentence('other_number', says, { number_id: one ?? several }), advice: [] })
}

function explainOverridden({ event, endpoint }: Facts): Account | null {
  if (event.is_test || event.erased_at !== null || !isOverridden(endpoint, event)) return null
  const says = 'A callback that is registered for the number of this event, or for its account, receives it instead.'
  return notCreated({ reason: sentence('more_specific_callback', says), advice: [] })
}

/** By the filter as it is now: earlier ones are not kept. */
function explainFiltered({ event, endpoint }: Facts): Account | null {
  const unmet = event.is_test || event.erased_at !== null ? null : findUnmet(endpoint.payload_filter, event)
  if (unmet === null) return null
  const { path, values, found } = unmet
  const has = found.length === 0 ? 'This event has no value there.' : `This event has ${found.join(', ')}.`
  const says = `The filter of the endpoint wants ${path} to be ${values.join(' or ')}. ${has}`
  const since = event.created_at.toISOString()
  const next = `To send it anyway, change the filter of the endpoint, then recover with mode "missing" and since "${since}".`
  return notCreated({
    reason: sentence('payload_filtered', says, { path, values, found }),
    advice: [sentence('change_filter_and_recover_missing', next, { since })],
  })
}

type Subscription = { filters: string[]; until: Date | null }

/**
 * What it subscribed to when the event was dealt out, if that left the event out: the earliest that does, or there would be a
 * delivery. An event that is yet to be dealt out goes by what holds now.
 */
function findLeftOut({ event, endpoint, fanOut, earlierFilters }: Facts): Subscription | null {
  const now = { filters: endpoint.events, until: null }
  const held: Subscription[] = numberOf(event) > fanOut.position ? [now] : [...earlierFilters, now]
  return held.find(({ filters }) => !matchesEvent(filters, event.type)) ?? null
}

function explainUnsubscribed(facts: Facts): Account | null {
  const { event } = facts
  const leftOut = event.is_test ? null : findLeftOut(facts)
  if (leftOut === null) return null
  const { filters, until } = leftOut
  const nearest = nearestFilter(event.type, filters)
  const hint = nearest === null ? '' : ` The most similar is ${nearest}.`
  const steps: Step[] = [
    {
      at: null,
      code: 'not_subscribed',
      says: `The endpoint ${until === null ? 'subscribes' : 'then subscribed'} to ${filters.join(', ')}; none of them includes ${event.type}.${hint}`,
      details: { filters, nearest },
    },
  ]
  if (until !== null) steps.push(filterChange(facts, until))
  return { steps, ending: { verdict: 'not_owed', answer: [unsubscribedAnswer(facts)], advice: adviceToGet(facts) } }
}

function unsubscribedAnswer({ event: { type }, endpoint, earlierFilters: [first] }: Facts): Sentence {
  if (matchesEvent(endpoint.events, type))
    return sentence('unsubscribed_then', `The endpoint did not subscribe to ${type} at that time.`, { type })
  if (first !== undefined && matchesEvent(first.filters, type))
    return sentence('unsubscribed_since', `The endpoint does not subscribe to ${type} any more.`, { type })
  return sentence('unsubscribed', `The endpoint did not subscribe to ${type}.`, { type })
}

const filterChange = ({ endpoint }: Facts, changedAt: Date): Step => ({
  at: changedAt,
  code: 'filters_changed',
  says: `The events of the endpoint were changed. Now it subscribes to ${endpoint.events.join(', ')}.`,
  details: { filters: endpoint.events },
})

/** One of the same resource, or one that differs by a slip of the fingers. */
function nearestFilter(type: string, filters: readonly string[]): string | null {
  const resource = `${type.split('.')[0]}.`
  return filters.find((filter) => filter.startsWith(resource)) ?? nearestName(type, filters)
}

function explainNotYet(facts: Facts): Account {
  const { event, fanOut } = facts
  const details = { position: fanOut.position, last_sequence: fanOut.last }
  return numberOf(event) > fanOut.position ? explainBehind(numberOf(event), details) : explainMissing(facts, details)
}

type Progress = { position: number; last_sequence: number }

function explainBehind(sequence: number, details: Progress): Account {
  const { position, last_sequence: last } = details
  const says = `Deliveries are created in order of the events, so far up to sequence ${position} of ${last}. This event has sequence ${sequence}.`
  const soon = `Its delivery will be created soon: deliveries exist up to sequence ${position} of ${last}.`
  const wait = 'Wait a moment and check again. If the number does not increase, no worker is running.'
  return {
    steps: [{ at: null, ...sentence('fan_out_behind', says, details) }],
    ending: {
      verdict: 'pending',
      answer: [sentence('fan_out_soon', soon, details)],
      advice: [sentence('wait_for_worker', wait)],
    },
  }
}

function explainMissing(facts: Facts, details: Progress): Account {
  const says = 'The endpoint subscribes to this event, but no delivery exists.'
  const trace = 'It should have been sent, but no delivery exists: its record was deleted, or this is a bug in Nexkit.'
  return {
    steps: [{ at: null, ...sentence('delivery_missing', says, details) }],
    ending: { verdict: 'unknown', answer: [sentence('no_trace', trace)], advice: adviceToGet(facts) },
  }
}

function explainDelivery(facts: Facts, delivery: NonNullable<Facts['delivery']>, now: Date): Account {
  const created: Step = {
    at: delivery.created_at,
    code: 'delivery_owed',
    says: `Delivery ${delivery.id} was created${delivery.is_thin ? ', with ids only' : ''}.`,
    details: { delivery_id: delivery.id, thin: delivery.is_thin, test: delivery.is_test },
  }
  const attempts = facts.attempts.map(describeAttempt)
  const last = facts.attempts.at(-1) ?? null
  const wait = describeWait(facts, now)
  const { endpoint, isResending } = facts
  const isErased = facts.event.erased_at !== null
  const ending = describeEnd({ delivery, endpoint, isErased, attempts: facts.attempts, last, wait, isResending })
  const close: Step = {
    at: delivery.completed_at,
    code: `delivery_${delivery.status}`,
    says: paragraph(ending.answer),
    details: { status: delivery.status, reason: delivery.reason, attempts: delivery.attempts },
  }
  const happened = inTime(delivery.status === 'pending' ? attempts : [...attempts, close])
  return { steps: [created, ...sizeSteps(facts, delivery), ...happened, ...(wait === null ? [] : [wait.step])], ending }
}

/** A resend of a delivered event comes after its delivery. A step without a time describes the current state and comes last. */
const inTime = (steps: Step[]): Step[] =>
  steps.toSorted((one, other) => (one.at?.getTime() ?? Infinity) - (other.at?.getTime() ?? Infinity) || 0)

/** Shown only where it may matter to the receiver: a thin delivery is small whatever the event is. */
function sizeSteps({ event, endpoint }: Facts, { is_thin: isThin }: NonNullable<Facts['delivery']>): Step[] {
  const bytes = Buffer.byteLength(event.body)
  if (isThin || isCloudFormat(endpoint) || bytes <= BODY_BYTES_ADVISED) return []
  const details = { bytes, bytes_advised: BODY_BYTES_ADVISED, bytes_max: BODY_BYTES_MAX }
  if (bytes <= BODY_BYTES_MAX) {
    const says = `The body has ${bytes} bytes. More than ${BODY_BYTES_ADVISED} is not recommended: some receivers reject it.`
    return [{ at: null, code: 'body_large', says, details }]
  }
  const says = `The body has ${bytes} bytes, more than the limit of ${BODY_BYTES_MAX}: only the ids are sent, with "truncated": true and "self", the path of the full event.`
  return [{ at: null, code: 'body_truncated', says, details }]
}

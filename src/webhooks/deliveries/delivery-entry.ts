import { z } from 'zod'
import { firstIdAt, type Id, idTime } from '../../kernel/ids.ts'
import type { NewEntry } from '../../platform/outbox/entries.ts'
import { type EntryClass, type RetrySchedule, standardRetrySchedule, storedId } from '../../platform/outbox/job.ts'
import { sha256Bytes } from '../../platform/runtime/hash.ts'
import {
  delaysFor,
  type EndpointRow,
  handLaneOf,
  laneOf,
  orderKeyFor,
  type RetryWishes,
} from '../endpoints/endpoints.ts'
import type { AttemptTrigger } from './attempts.sql.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

/**
 * Outbox entries for deliveries. A delivery's entry has its id, so there is at most one;
 * a resend goes under the id of its attempt, beside it. The endpoint is the lane. What must stay the same over all attempts
 * (form of the body, schedule) is in the payload, so that a change to the endpoint does not reach what is under way.
 */
export const DELIVER_JOB = 'webhooks.deliver'

const payloadSchema = z.object({
  event: storedId('evt'),
  /** When it is not the entry's own id. */
  delivery: storedId('dlv').optional(),
  trigger: z.enum(['auto', 'manual', 'recover', 'test']),
  is_thin: z.boolean().optional(),
  /** Attempts made before this entry: the first of this one has the next number. */
  attempts_before: z.number().optional(),
  retry_delays_seconds: z.array(z.number()).optional(),
  /** Attempts of the schedule it had when a recovery brought it forward. */
  hastened_after: z.number().optional(),
})

export type DeliveryPayload = z.output<typeof payloadSchema>
export const deliveryPayload = payloadSchema

type EntryDelivery = Pick<DeliveryRow, 'id' | 'event_id' | 'type' | 'subject' | 'sequence' | 'is_thin'> & {
  attempts?: number
}
type Recipient = Pick<EndpointRow, 'org_id' | 'id' | 'ordering'> & RetryWishes

export type EntryOptions = {
  trigger?: 'auto' | 'recover'
  class?: EntryClass
  dueAt?: Date
  /** Attempts of the schedule that were made elsewhere. */
  attempt?: number
}

/** For a delivery: the endpoint's lane, its order and its schedule. */
export function entryFor(endpoint: Recipient, delivery: EntryDelivery, options: EntryOptions = {}): NewEntry {
  const orderKey = orderKeyFor(endpoint, delivery.subject)
  const delays = delaysFor(endpoint, delivery.type)
  return {
    id: delivery.id,
    laneId: laneOf(endpoint.id),
    orgId: endpoint.org_id,
    job: DELIVER_JOB,
    ...(delivery.sequence !== null && { position: delivery.sequence }),
    ...(options.class !== undefined && { class: options.class }),
    ...(options.dueAt !== undefined && { dueAt: options.dueAt }),
    ...(options.attempt !== undefined && { attempt: options.attempt }),
    ...(orderKey !== undefined && { orderKey }),
    payload: {
      event: delivery.event_id,
      trigger: options.trigger ?? 'auto',
      ...(delivery.is_thin && { is_thin: true }),
      ...(delivery.attempts && { attempts_before: delivery.attempts }),
      ...(delays && { retry_delays_seconds: delays }),
    } satisfies Record<keyof DeliveryPayload | string, unknown>,
  }
}

/** A test or ping: one attempt, by hand. */
export const testEntryFor = (endpoint: Recipient, delivery: EntryDelivery): NewEntry => ({
  id: delivery.id,
  laneId: handLaneOf(endpoint.id),
  orgId: endpoint.org_id,
  job: DELIVER_JOB,
  payload: { event: delivery.event_id, trigger: 'test', ...(delivery.is_thin && { is_thin: true }) },
})

export const resendEntryFor = (delivery: DeliveryRow, attemptId: Id<'att'>): NewEntry => ({
  id: attemptId,
  laneId: handLaneOf(delivery.endpoint_id),
  orgId: delivery.org_id,
  job: DELIVER_JOB,
  payload: {
    event: delivery.event_id,
    delivery: delivery.id,
    trigger: 'manual',
    attempts_before: delivery.attempts,
    ...(delivery.is_thin && { is_thin: true }),
  },
})

/** By hand means once. */
export function scheduleOf(payload: DeliveryPayload): RetrySchedule {
  if (payload.trigger === 'manual' || payload.trigger === 'test') return { delaysMs: [], jitter: 0 }
  if (payload.retry_delays_seconds === undefined) return standardRetrySchedule
  return { ...standardRetrySchedule, delaysMs: payload.retry_delays_seconds.map((seconds) => seconds * 1000) }
}

export const triggerOf = (payload: DeliveryPayload, isProbe: boolean): AttemptTrigger =>
  isProbe && payload.trigger !== 'manual' && payload.trigger !== 'test' ? 'probe' : payload.trigger

/** The delivery that an entry of the lane by hand sends again; undefined for a test. */
export const resentDeliveryOf = ({ payload }: { payload: unknown }): string | undefined =>
  (payload as Partial<DeliveryPayload>).delivery

/** A resend goes under the id of its attempt. */
export const deliveryOf = ({ id, payload }: { id: string; payload: DeliveryPayload }): Id<'dlv'> =>
  payload.delivery ?? (id as Id<'dlv'>)

/**
 * The id of the delivery of an event to an endpoint is computed from the two. So there is one per pair, however often
 * it is created; anyone who knows the pair knows the id; and since it begins like the event's id, the
 * deliveries of an event lie side by side and deliveries sort as their events do.
 */
const PREFIX_LENGTH = 'evt_'.length
/** Time, version, counter and variant of the event's UUIDv7: 68 of its bits, all that gives it its place in time. */
const SHARED_CHARACTERS = 14
/** Five bits each: with the shared part, two of the at most 50 endpoints of an event will not meet. */
const OWN_CHARACTERS = 12
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export function deliveryIdFor(eventId: Id<'evt'>, endpointId: Id<'wep'>): Id<'dlv'> {
  const digest = sha256Bytes(`${eventId} ${endpointId}`)
  spelling.write(sharedPart(eventId), PREFIX_LENGTH, 'latin1')
  for (let index = 0; index < OWN_CHARACTERS; index++)
    spelling[OWN_AT + index] = LETTERS[(digest[index] as number) & 31] as number
  return spelling.toString('latin1') as Id<'dlv'>
}

/** Spelled into this and read out whole, as in ids.ts: joined from pieces, the first read would have to flatten it. */
const OWN_AT = PREFIX_LENGTH + SHARED_CHARACTERS
const spelling = Buffer.from(`dlv_${' '.repeat(SHARED_CHARACTERS + OWN_CHARACTERS)}`)
const LETTERS = Uint8Array.from(Buffer.from(ALPHABET))

/** All deliveries of the event have ids from the first, to below the second. */
export function deliveryIdRange(eventId: Id<'evt'>): { from: Id<'dlv'>; to: string } {
  const shared = sharedPart(eventId)
  return { from: `dlv_${shared}${'0'.repeat(OWN_CHARACTERS)}`, to: `dlv_${shared}~` }
}

const sharedPart = (eventId: Id<'evt'>) => eventId.slice(PREFIX_LENGTH, PREFIX_LENGTH + SHARED_CHARACTERS)

/** A resend may have been asked for by a process whose clock is a little behind. */
const CLOCK_LEEWAY_MS = 60_000

/** Lower than the id of any attempt of the delivery: days before it need not be looked at. */
export const firstAttemptIdOf = (deliveryId: Id<'dlv'>): Id<'att'> =>
  firstIdAt('att', new Date(idTime(deliveryId).getTime() - CLOCK_LEEWAY_MS))

import { z } from 'zod'
import type { Id } from '../../kernel/ids.ts'
import type { NewEntry } from '../../platform/outbox/entries.ts'
import { type EntryClass, type RetrySchedule, standardRetrySchedule } from '../../platform/outbox/job.ts'
import { handLaneOf, laneOf, orderKeyFor } from '../endpoints/endpoint-lanes.ts'
import type { EndpointRow } from '../endpoints/endpoints.sql.ts'
import { delaysFor, type RetryWishes } from '../endpoints/retry-delays.ts'
import type { AttemptTrigger } from './attempts.sql.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

/**
 * Outbox entries for deliveries. A delivery's entry has its id, so there is at most one;
 * a resend goes under the id of its attempt, beside it. The endpoint is the lane. What must stay the same over all attempts
 * (form of the body, schedule) is in the payload, so that a change to the endpoint does not reach what is under way.
 */
export const DELIVER_JOB = 'webhooks.deliver'

const payloadSchema = z.object({
  event: z.string().transform((id) => id as Id<'evt'>),
  /** When it is not the entry's own id. */
  delivery: z
    .string()
    .transform((id) => id as Id<'dlv'>)
    .optional(),
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

/** A resend goes under the id of its attempt. */
export const deliveryOf = ({ id, payload }: { id: string; payload: DeliveryPayload }): Id<'dlv'> =>
  payload.delivery ?? (id as Id<'dlv'>)

import type { EventBody } from '../../events/events.ts'
import { defineJob, type Job, type Outcome, unseenOr } from '../../platform/outbox/job.ts'
import {
  DELIVER_JOB,
  type DeliveryPayload,
  deliveryOf,
  deliveryPayload,
  EVENT_ERASED,
  scheduleOf,
} from '../deliveries/deliveries.ts'
import { endpointOfLane, isCloudFormat, isHandLane, laneOf } from '../endpoints/endpoints.ts'
import type { AttemptVerdict } from './attempt-verdict.ts'
import { type AttemptOptions, type DeliveryEntry, makeAttempt } from './delivery-attempt.ts'
import { type RunData, recordArrived, recordRuns } from './delivery-results.ts'

/** The longest timeout of an endpoint, and some for loading and signing. */
export const RUN_TIMEOUT_MS = 35_000

/** An event in Meta's shape; null when what it is about is no longer there. */
export type RenderCloudBody = (event: EventBody) => Promise<string | null>

type DeliverOptions = AttemptOptions & { renderCloudBody: RenderCloudBody }

/** One delivery, one attempt. */
export const createDeliverJob = (options: DeliverOptions): Job =>
  defineJob<DeliveryPayload, RunData>({
    name: DELIVER_JOB,
    payload: deliveryPayload,
    retry: (entry) => scheduleOf(entry.payload),
    timeoutMs: RUN_TIMEOUT_MS,
    // A resend by hand may end what waits in the lane of its endpoint, or disable the endpoint.
    alsoLocks: ({ laneId }) => (isHandLane(laneId) ? [laneOf(endpointOfLane(laneId))] : []),
    run: (entry, { signal }) => deliver(options, entry, signal),
    record: async (tx, results, lanes) => (await recordRuns(options, tx, results, lanes)).length > 0,
    recordDone: recordArrived,
  })

async function deliver(options: DeliverOptions, entry: DeliveryEntry, signal: AbortSignal): Promise<Outcome<RunData>> {
  const { orgId, laneId, payload } = entry
  const { event, endpoint, lastNumber } = await options.source.load({
    orgId,
    eventId: payload.event,
    endpointId: endpointOfLane(laneId),
    deliveryId: mayHaveEarlier(entry) ? deliveryOf(entry) : null,
    handedOver: entry.isGranted || entry.isLent ? entry.id : null,
  })
  if (endpoint === null) return unseenOr(entry, { kind: 'failed', reason: 'endpoint_deleted' })
  if (endpoint.row.deleted_at !== null) return { kind: 'failed', reason: 'endpoint_deleted' }
  if (event === null) return unseenOr(entry, { kind: 'failed', reason: 'event_expired' })
  if (event.erased_at !== null) return { kind: 'failed', reason: EVENT_ERASED }
  const isRendered = isCloudFormat(endpoint.row) && !event.is_test
  const rendered = isRendered ? await options.renderCloudBody(event) : undefined
  if (rendered === null) return { kind: 'failed', reason: 'event_expired' }
  const { verdict, data } = await makeAttempt(options, entry, { event, endpoint, lastNumber, rendered }, signal)
  return { ...outcomeFor(entry, verdict), data }
}

/** No resend by hand comes and goes within this time of the event. */
const PROMPT_MS = 1000

/** Most deliveries are sent as soon as they are created, for the first time: for these nothing more is asked. */
function mayHaveEarlier({ attempt, payload, claimedAt, enqueuedAt }: DeliveryEntry): boolean {
  const isPrompt = claimedAt.getTime() - enqueuedAt.getTime() < PROMPT_MS
  const isBySelf = payload.trigger === 'auto' || payload.trigger === 'test'
  return attempt > 1 || payload.attempts_before !== undefined || !isPrompt || !isBySelf
}

/** By hand there is one attempt: a failure is the end of it, and says nothing about the lane. */
function outcomeFor({ payload }: DeliveryEntry, { outcome }: AttemptVerdict): Outcome {
  if (outcome.kind !== 'retry' || (payload.trigger !== 'manual' && payload.trigger !== 'test')) return outcome
  return { kind: 'failed', reason: outcome.reason }
}

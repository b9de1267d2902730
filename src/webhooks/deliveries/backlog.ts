import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { cancelEntries, enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, standardRetrySchedule } from '../../platform/outbox/job.ts'
import { deleteLane, ensureLane, holdLane, resumeLane } from '../../platform/outbox/lanes.ts'
import type { Wake } from '../../platform/outbox/outbox.ts'
import {
  type EndpointRow,
  endSettling,
  findAnyEndpoint,
  findEndpoint,
  handLaneOf,
  laneOf,
  lockSubscriptions,
  upkeepLane,
} from '../endpoints/endpoints.ts'
import { listRepeats } from './backlog.sql.ts'
import { type DeliveryRow, listUndelivered, moveDeliveries } from './deliveries.sql.ts'
import { hastenRetries, requeueDeliveries } from './delivery-creation.ts'
import { isReordering, reorderSome } from './reordering.ts'

/**
 * What happens to an endpoint's backlog when the endpoint changes. A backlog may be millions, so this goes in steps of a
 * bounded transaction each, as an outbox job that survives a restart; the first step runs in the transaction of the
 * change itself, which is all it takes for most. The request is in the endpoint's row (`settling`), so a later one replaces
 * an earlier one.
 *
 *   release   resumed: what was held goes into the outbox, oldest first, and retries that wait are made now
 *   skip      resumed from now: what waited or was held up to `skipped_until` is skipped; what came after it is released
 *   cancel    deleted or gone: all of it is cancelled
 *
 * With `skip` and `cancel` goes what a recovery was to send once more although it had arrived.
 *
 * Ahead of these, but for `cancel`, comes a new order (reordering.ts), which is no state of the endpoint and may meet any.
 *
 * While it lasts the endpoint is still holding, so new deliveries are held too and follow in order.
 * The last step finds nothing more, opens the lane and ends the holding, with fan-out locked out: no event can slip between
 * the last look and the end, and none can overtake.
 */
export const SETTLE_JOB = 'webhooks.settle'

/**
 * The same under another name while a new order is brought about. A process of a version that knows nothing of
 * reordering would find nothing to do under the first name, and the lane would stand still for ever; a job whose name
 * it does not know it leaves to others.
 */
const REORDER_JOB = 'webhooks.reorder'

export const STEP_DELIVERIES = 1000

/** `isMoreDue`: there is something for the outbox to look at. */
type Settled = { isDone: boolean; isMoreDue: boolean }

/** The caller holds the lock on subscriptions, alone. */
async function settleStep(tx: Tx, endpoint: EndpointRow, now: Date): Promise<Settled> {
  const { org_id: orgId, id, settling } = endpoint
  if (
    isReordering(endpoint) &&
    settling !== 'cancel' &&
    !(await reorderSome(tx, endpoint, { limit: STEP_DELIVERIES, now }))
  )
    return { isDone: false, isMoreDue: false }
  if (settling === null) return { isDone: true, isMoreDue: true }
  if (settling !== 'release' && !(await giveUp(tx, endpoint, now))) return { isDone: false, isMoreDue: false }
  if (settling !== 'cancel') {
    const released = await releaseSome(tx, endpoint, now)
    const hastened = settling === 'release' ? await hastenRetries(tx, endpoint, { limit: STEP_DELIVERIES, now }) : 0
    if (Math.max(released.length, hastened) === STEP_DELIVERIES) return { isDone: false, isMoreDue: true }
    await resumeLane(tx, { orgId, id: laneOf(id) })
  } else if (endpoint.deleted_at !== null) {
    for (const laneId of [laneOf(id), handLaneOf(id)]) await deleteLane(tx, { orgId, id: laneId })
  }
  await endSettling(tx, orgId, { id, now })
  return { isDone: true, isMoreDue: true }
}

/** True when that was the last of it. */
async function giveUp(tx: Tx, endpoint: EndpointRow, now: Date): Promise<boolean> {
  const given = await giveUpSome(tx, endpoint, now)
  return given.length < STEP_DELIVERIES && (await dropRepeats(tx, endpoint)) < STEP_DELIVERIES
}

/** A delivery that had arrived is not pending, so its repeat is looked for separately. */
async function dropRepeats(tx: Tx, { org_id: orgId, id }: EndpointRow): Promise<number> {
  const repeats = await listRepeats(tx, orgId, { laneId: laneOf(id), limit: STEP_DELIVERIES })
  const ids = repeats.map((repeat) => repeat.id)
  if (ids.length > 0) await cancelEntries(tx, { orgId, id: laneOf(id) }, ids)
  return ids.length
}

/**
 * What is in flight at this moment may still succeed; it is not tried again. Tests are sent by hand, whatever happens to the
 * backlog, unless the endpoint is deleted.
 */
async function giveUpSome(tx: Tx, endpoint: EndpointRow, now: Date): Promise<DeliveryRow[]> {
  const isSkip = endpoint.settling === 'skip'
  const rows = await listUndelivered(tx, endpoint.org_id, {
    endpointId: endpoint.id,
    statuses: ['pending', 'held'],
    untilSequence: isSkip ? endpoint.skipped_until : null,
    ...(endpoint.deleted_at === null && { isTest: false }),
    limit: STEP_DELIVERIES,
  })
  if (rows.length === 0) return rows
  const ids = rows.map((row) => row.id)
  await cancelEntries(tx, { orgId: endpoint.org_id, id: laneOf(endpoint.id) }, ids)
  await moveDeliveries(tx, endpoint.org_id, {
    ids,
    from: ['pending', 'held'],
    to: isSkip ? 'skipped' : 'cancelled',
    reason: isSkip ? 'resumed_from_now' : cancelReason(endpoint),
    now,
  })
  return rows
}

const cancelReason = (endpoint: EndpointRow) =>
  endpoint.deleted_at === null ? 'endpoint_disabled' : 'endpoint_deleted'

/** An ordered lane keeps its line; elsewhere what is new goes before what was held. */
async function releaseSome(tx: Tx, endpoint: EndpointRow, now: Date): Promise<DeliveryRow[]> {
  const held = await listUndelivered(tx, endpoint.org_id, {
    endpointId: endpoint.id,
    statuses: ['held'],
    limit: STEP_DELIVERIES,
  })
  const ids = held.map((row) => row.id)
  return requeueDeliveries(tx, endpoint, {
    ids,
    from: ['held'],
    now,
    class: endpoint.ordering === 'none' ? 'bulk' : 'fresh',
  })
}

/** In the transaction of the change: the first step, and a job for what is left. The caller rings. */
export async function beginSettling(tx: Tx, endpoint: EndpointRow, job: { id: string; now: Date }): Promise<void> {
  const { isDone } = await settleStep(tx, endpoint, job.now)
  if (!isDone) await enqueueSettling(tx, endpoint, job.id)
}

/** For a change made where no step can be run: in an acknowledgement, which must not take the lock on subscriptions. */
export async function enqueueSettling(tx: Tx, endpoint: EndpointRow, jobId: string): Promise<void> {
  const lane = upkeepLane(endpoint.org_id)
  await ensureLane(tx, lane)
  const payload = { endpoint: endpoint.id }
  const job = isReordering(endpoint) ? REORDER_JOB : SETTLE_JOB
  await enqueue(tx, [{ id: jobId, laneId: lane.id, orgId: endpoint.org_id, job, payload }])
}

/** One step of the job. The lane before the endpoint: an acknowledgement that disables it holds the lane alone. */
export async function continueSettling(
  tx: Tx,
  orgId: OrgId,
  { endpointId, now }: { endpointId: string; now: Date },
): Promise<Settled> {
  await lockSubscriptions(tx, orgId, 'alone')
  await holdLane(tx, { orgId, id: laneOf(endpointId as Id<'wep'>) })
  const endpoint = await findAnyEndpoint(tx, orgId, endpointId)
  return endpoint === null ? { isDone: true, isMoreDue: false } : settleStep(tx, endpoint, now)
}

/** Works through the backlog of an endpoint, a step per run. A step that is lost with its process is simply done again. */
export const createSettleJobs = (options: SettleOptions) =>
  [SETTLE_JOB, REORDER_JOB].map((name) => createSettleJob(name, options))

type SettleOptions = {
  database: Database
  clock: Clock
  wake: Wake
  /** Ends a recovery of the endpoint, which is on its way in the backlog that is given up. */
  endRecovery: (tx: Tx, orgId: OrgId, end: { endpointId: string; reason: string; now: Date }) => Promise<void>
}

const createSettleJob = (name: string, { database, clock, wake, endRecovery }: SettleOptions) =>
  defineJob({
    name,
    payload: z.object({ endpoint: z.string() }),
    retry: standardRetrySchedule,
    async run(entry) {
      const at = { endpointId: entry.payload.endpoint, now: new Date(clock.now()) }
      const { isDone, isMoreDue } = await database.transaction((tx) => settle(tx, entry.orgId, { ...at, endRecovery }))
      if (isMoreDue) wake([entry.orgId])
      return isDone ? { kind: 'done' } : { kind: 'repeat' }
    },
  })

/** What disables an endpoint that is gone is an acknowledgement, which holds its lane and cannot end its recovery. */
async function settle(
  tx: Tx,
  orgId: OrgId,
  { endpointId, now, endRecovery }: { endpointId: string; now: Date } & Pick<SettleOptions, 'endRecovery'>,
): Promise<Settled> {
  await lockSubscriptions(tx, orgId, 'alone')
  const endpoint = await findEndpoint(tx, orgId, endpointId)
  if (endpoint?.settling === 'cancel') await endRecovery(tx, orgId, { endpointId, reason: 'endpoint_disabled', now })
  return continueSettling(tx, orgId, { endpointId, now })
}

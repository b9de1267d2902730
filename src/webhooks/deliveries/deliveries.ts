import type { PartitionedTable } from '../../platform/database/daily-partitions.ts'
import { isAnyPending } from './deliveries.sql.ts'

/**
 * A delivery: one event for one endpoint.
 *
 *   (fan-out) ──▶ pending      an entry in the outbox; in flight while an attempt runs
 *   (fan-out) ──▶ held         the endpoint is paused or disabled; no entry
 *   pending ── 2xx ──▶ succeeded
 *   pending ── the last attempt of the schedule fails, or the receiver wants no more of it ──▶ failed
 *   pending, held ── the endpoint is deleted, or answers 410 ──▶ cancelled
 *   pending, held ── the endpoint is resumed from now ──▶ skipped
 *   held ── the endpoint is resumed ──▶ pending
 *   failed, cancelled, skipped, held ── recovered ──▶ pending
 *   any ── a resend by hand succeeds ──▶ succeeded, and the entry is taken out
 *
 * What was pending when its endpoint began to rest keeps its row and its entry, of which there may be any number, and is
 * shown as held for as long as the endpoint rests.
 *
 *   create   fan-out while events are recorded (inline-fan-out.ts) or by the follower (fan-out.ts), singly or bundled (bundles.ts)
 *   read     the log (delivery-log.ts)
 *   settle   the backlog of an endpoint that was resumed, deleted or given another order (backlog.ts, reordering.ts)
 */
export const DELIVERY_RETENTION_DAYS = 90
const ATTEMPT_RETENTION_DAYS = 30

/** Deliveries are kept at least as long as events: one that is created late lies on the day of its event. */
export const deliveryTables: PartitionedTable[] = [
  { table: 'webhook_deliveries', idPrefix: 'dlv', retentionDays: DELIVERY_RETENTION_DAYS },
  { table: 'webhook_attempts', idPrefix: 'att', retentionDays: ATTEMPT_RETENTION_DAYS },
]

/** Pending deliveries keep their events beyond their time, until they succeed or their rows end too. */
export const areDeliveriesPending: NonNullable<PartitionedTable['isNeeded']> = isAnyPending

export { type AttemptRow, attemptColumns, emptyResponses, listLastNumbers } from './attempts.sql.ts'

export { beginSettling, enqueueSettling, STEP_DELIVERIES } from './backlog.ts'
export {
  BUNDLE_JOB,
  type BundlePayload,
  bundlePayload,
  createLeftover,
  dissolveBundles,
  type Leftover,
  listBundledEvents,
} from './bundles.ts'
export { deliveryQuery } from './deliveries.routes.ts'
export {
  countHeld,
  countRecent,
  type DeliveryCounts,
  type DeliveryRow,
  type ErasableDelivery,
  EVENT_ERASED,
  findDelivery,
  hastenDeliveries,
  listDeliveriesById,
  listDeliveriesIn,
  markErased,
  moveDeliveries,
  restoreGone,
  type StoredStatus,
} from './deliveries.sql.ts'
export { createDeliveries, hastenRetries, isSkipped, requeueDeliveries } from './delivery-creation.ts'
export {
  DELIVER_JOB,
  type DeliveryPayload,
  deliveryIdFor,
  deliveryIdRange,
  deliveryOf,
  deliveryPayload,
  entryFor,
  firstAttemptIdOf,
  resentDeliveryOf,
  scheduleOf,
  triggerOf,
} from './delivery-entry.ts'
export {
  type Attempt,
  attemptStatistics,
  type Delivery,
  type DeliveryQuery,
  deliverySummaries,
  getAttempts,
  getDelivery,
  listDeliveries,
  listInFlight,
  presentAttempt,
  presentDelivery,
  resendDelivery,
} from './delivery-log.ts'
export { isOfNumber, isOperational, isOverridden, isWanted } from './fan-out.ts'
export type { RememberedDelivery } from './inline-fan-out.ts'
export { changeLane, isReordering, REORDERING } from './reordering.ts'

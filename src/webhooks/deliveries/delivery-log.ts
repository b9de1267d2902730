import type { z } from 'zod'
import { listEventBodies } from '../../events/events.ts'
import { firstIdAt, type Id, idTime, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import type { SummarySource } from '../../platform/database/hourly-summaries.ts'
import { enqueue, inFlightAmong } from '../../platform/outbox/entries.ts'
import { findEndpoint, type InactiveEndpoint, listInactive, lockSubscriptions } from '../endpoints/endpoints.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { type AttemptRow, countAttempts, listAttempts } from './attempts.sql.ts'
import { deliveryNotFound, deliveryNotSendable } from './deliveries.errors.ts'
import type { WebhookAttempt, WebhookDelivery } from './deliveries.schemas.ts'
import {
  countDeliveries,
  type DeliveryCounts,
  type DeliveryFilter,
  type DeliveryRow,
  EVENT_ERASED,
  findDelivery,
  listAmongNewest,
  listDeliveryRows,
  listOfEachEndpoint,
} from './deliveries.sql.ts'
import { restReason } from './delivery-creation.ts'
import { deliveryIdRange, firstAttemptIdOf, resendEntryFor } from './delivery-entry.ts'

/** The log of deliveries: read, shown by the API, counted by the hour, and sent once more by hand. */
export type Delivery = DeliveryRow
export type Attempt = AttemptRow

const DAY_MS = 24 * 3600 * 1000

function withCurrentState(row: DeliveryRow, inactive: readonly InactiveEndpoint[]): Delivery {
  const endpoint = inactive.find(({ id }) => id === row.endpoint_id)
  if (endpoint === undefined || row.status !== 'pending' || row.is_test) return row
  return { ...row, status: 'held', reason: restReason(endpoint), next_attempt_at: null }
}

export async function getDelivery(queries: Queries, orgId: OrgId, id: string): Promise<Delivery> {
  const row = isId('dlv', id) ? await findDelivery(queries, orgId, id) : null
  if (row === null) throw deliveryNotFound({ params: { id } })
  return row.status === 'pending' ? withCurrentState(row, await listInactive(queries, orgId)) : row
}

/** What may have an entry in the outbox: what is held in the lane of an endpoint that rests may be in flight still. */
const isMoving = ({ status }: Delivery) => status === 'pending' || status === 'held'

/** Which of these are being sent at this moment. */
export const listInFlight = (
  queries: Queries,
  orgId: OrgId,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<string>> =>
  inFlightAmong(
    queries,
    orgId,
    deliveries.filter(isMoving).map(({ id }) => id),
  )

const ATTEMPTS_SHOWN_MAX = 100

/** The newest ones, oldest first. A resend has had its id since it was asked for, so ids alone do not tell the order. */
export async function getAttempts(queries: Queries, delivery: Delivery): Promise<Attempt[]> {
  const newest = await listAttempts(queries, delivery.org_id, {
    deliveryId: delivery.id,
    fromId: firstAttemptIdOf(delivery.id),
    limit: ATTEMPTS_SHOWN_MAX,
  })
  return newest.reverse().sort((one, other) => one.started_at.getTime() - other.started_at.getTime())
}

export type DeliveryQuery = Omit<DeliveryFilter, 'fromId' | 'inactiveIds'> & { since?: Date }

/** Newest first. */
export async function listDeliveries(
  queries: Queries,
  orgId: OrgId,
  { since, ...query }: DeliveryQuery,
): Promise<Delivery[]> {
  const inactive = await listInactive(queries, orgId)
  const list = query.eventId === undefined ? listByDays : listStored
  const rows = await list(queries, orgId, {
    ...query,
    inactiveIds: inactive.map(({ id }) => id),
    ...(since !== undefined && { fromId: firstIdAt('dlv', since) }),
  })
  return rows.map((row) => withCurrentState(row, inactive))
}

/** The days that are looked at first, then next, and so on; after them all that is older. */
const WINDOW_DAYS = [2, 8, 32]

/**
 * Newest first, a stretch of days at a time: nearly every page is filled by the newest, and a statement locks only the
 * partitions of the days that it names. Over three months of deliveries a single statement would take hundreds of locks.
 */
async function listByDays(queries: Queries, orgId: OrgId, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const newest = filter.beforeId === undefined ? new Date() : idTime(filter.beforeId as Id<'dlv'>)
  const rows: DeliveryRow[] = []
  let beforeId = filter.beforeId
  for (const days of [...WINDOW_DAYS, null]) {
    const start = days === null ? undefined : firstIdAt('dlv', new Date(newest.getTime() - days * DAY_MS))
    const isLast = start === undefined || (filter.fromId !== undefined && filter.fromId >= start)
    const fromId = isLast ? filter.fromId : start
    const window = { ...(fromId !== undefined && { fromId }), ...(beforeId !== undefined && { beforeId }) }
    rows.push(...(await listStored(queries, orgId, { ...filter, ...window, limit: filter.limit - rows.length })))
    if (isLast || rows.length >= filter.limit) break
    beforeId = start
  }
  return rows
}

/** Which way to read depends on what narrows it down most. */
function listStored(queries: Queries, orgId: OrgId, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  if (filter.eventId !== undefined) return listOfEvent(queries, orgId, filter, filter.eventId)
  const isUndelivered = filter.statuses !== undefined && !filter.statuses.includes('succeeded')
  if (filter.endpointId !== undefined || filter.isTest === true) return listDeliveryRows(queries, orgId, filter)
  if (isUndelivered) return listOfEachEndpoint(queries, orgId, filter)
  return filter.type === undefined ? listDeliveryRows(queries, orgId, filter) : listOfType(queries, orgId, filter)
}

/** A frequent one fills the page from the newest deliveries. */
async function listOfType(queries: Queries, orgId: OrgId, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const newest = await listAmongNewest(queries, orgId, filter)
  return newest.length === filter.limit ? newest : listOfEachEndpoint(queries, orgId, filter)
}

/** They lie side by side. */
async function listOfEvent(
  queries: Queries,
  orgId: OrgId,
  filter: DeliveryFilter,
  eventId: string,
): Promise<Delivery[]> {
  if (!isId('evt', eventId)) return []
  const { from, to } = deliveryIdRange(eventId)
  const [fromId, beforeId] = [filter.fromId ?? from, filter.beforeId ?? to]
  return listDeliveryRows(queries, orgId, {
    ...filter,
    fromId: fromId > from ? fromId : from,
    beforeId: beforeId < to ? beforeId : to,
  })
}

type Resend = { attemptId: Id<'att'>; delivery: Delivery }

/**
 * One more attempt now, by hand: same `webhook-id`, same bytes, new timestamp and signature. It neither uses up nor resets
 * the automatic attempts; if it succeeds, none of those follow.
 */
export async function resendDelivery(context: WebhooksContext, tx: Tx, orgId: OrgId, id: string): Promise<Resend> {
  // Or the endpoint could be deleted meanwhile, and with it the lane.
  await lockSubscriptions(tx, orgId, 'shared')
  const delivery = await getDelivery(tx, orgId, id)
  const [endpoint, events] = await Promise.all([
    findEndpoint(tx, orgId, delivery.endpoint_id),
    listEventBodies(tx, orgId, [delivery.event_id]),
  ])
  if (endpoint === null) throw deliveryNotSendable({ params: { reason: 'endpoint_deleted' } })
  const [event] = events
  if (event === undefined) throw deliveryNotSendable({ params: { reason: 'event_expired' } })
  if (event.erased_at !== null) throw deliveryNotSendable({ params: { reason: EVENT_ERASED } })
  const attemptId = newId('att', context.clock.now())
  const entry = resendEntryFor(delivery, attemptId)
  await enqueue(tx, [entry])
  tx.afterCommit(() => context.wake([entry.orgId]))
  return { attemptId, delivery }
}

/** The standard schedule of retries ends within this; what is resent later by hand changes the chart no more. */
const SETTLES_AFTER_MS = 4 * 24 * 3_600_000

/** Deliveries by the hour of their event, and how they stand. */
export const deliverySummaries = (database: Database): SummarySource<DeliveryCounts> => ({
  kind: 'deliveries',
  settlesAfterMs: SETTLES_AFTER_MS,
  summarize: (orgId, hours) =>
    countDeliveries(
      database,
      orgId,
      hours.map(({ from, to }) => ({ fromId: firstIdAt('dlv', from), beforeId: firstIdAt('dlv', to) })),
    ),
})

/** Deliveries whose attempts a chart reads, and for how long a delivery may have waited for them. */
const CHART_DELIVERIES_MAX = 5000
const OLDEST_DELIVERY_MS = 3 * 24 * 3_600_000

type AttemptStatistics = {
  at: string
  succeeded: number
  failed: number
  p50_ms: number | null
  p95_ms: number | null
}

/** Outcomes and latency of the attempts at an endpoint, in complete buckets, oldest first. */
export async function attemptStatistics(
  queries: Queries,
  orgId: OrgId,
  {
    endpointId,
    from,
    buckets,
    bucketSeconds,
  }: { endpointId: string; from: Date; buckets: number; bucketSeconds: number },
): Promise<AttemptStatistics[]> {
  const rows = await countAttempts(queries, orgId, {
    endpointId,
    from,
    fromDeliveryId: firstIdAt('dlv', new Date(from.getTime() - OLDEST_DELIVERY_MS)),
    fromAttemptId: firstIdAt('att', from),
    bucketSeconds,
    limit: CHART_DELIVERIES_MAX,
  })
  const found = new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]))
  return Array.from({ length: buckets }, (_, bucket) => ({
    at: new Date(from.getTime() + bucket * bucketSeconds * 1000).toISOString(),
    ...(found.get(bucket) ?? { succeeded: 0, failed: 0, p50_ms: null, p95_ms: null }),
  }))
}

const time = (date: Date | null) => date?.toISOString() ?? null

export const presentDelivery = (row: Delivery, isInFlight = false): z.input<typeof WebhookDelivery> => ({
  object: 'webhook_delivery',
  id: row.id,
  event_id: row.event_id,
  endpoint_id: row.endpoint_id,
  type: row.type,
  sequence: row.sequence,
  status: isInFlight && (row.status === 'pending' || row.status === 'held') ? 'in_flight' : row.status,
  reason: row.reason,
  test: row.is_test,
  attempt_count: row.attempts,
  last_response_status: row.last_response_status,
  last_error_class: row.last_error_class,
  created_at: row.created_at.toISOString(),
  first_attempt_at: time(row.first_attempt_at),
  next_attempt_at: time(row.next_attempt_at),
  completed_at: time(row.completed_at),
})

export const presentAttempt = (row: Attempt): z.input<typeof WebhookAttempt> => ({
  object: 'webhook_attempt',
  id: row.id,
  number: row.number,
  trigger: row.trigger,
  outcome: row.outcome,
  url: row.url,
  ip: row.ip,
  http_version: row.http_version,
  request_headers: row.request_headers,
  request_bytes: row.request_bytes,
  body_sha256: row.body_sha256,
  started_at: row.started_at.toISOString(),
  dns_ms: row.dns_ms,
  connect_ms: row.connect_ms,
  tls_ms: row.tls_ms,
  ttfb_ms: row.ttfb_ms,
  total_ms: row.total_ms,
  throttled_ms: row.throttled_ms,
  response_status: row.response_status,
  response_headers: row.response_headers,
  response_body: row.response_body,
  response_encoding: row.is_response_base64 ? 'base64' : 'utf8',
  response_truncated: row.is_response_truncated,
  error_class: row.error_class,
  error_detail: row.error_detail,
  retry_after_ms: row.retry_after_ms,
  next_attempt_at: time(row.next_attempt_at),
  worker_id: row.worker_id,
  lease_token: String(row.lease_number),
})

import { type Event, listEventBodies } from '../../events/events.ts'
import { firstIdAt, type Id, idTime, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { enqueue, hastenEntries, inFlightAmong } from '../../platform/outbox/entries.ts'
import { laneOf } from '../endpoints/endpoint-lanes.ts'
import {
  type EndpointRow,
  findEndpoint,
  type InactiveEndpoint,
  listInactive,
  lockSubscriptions,
} from '../endpoints/endpoints.sql.ts'
import { EVENT_ERASED } from '../erasure/event-erasure.sql.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { type AttemptRow, listAttempts } from './attempts.sql.ts'
import { deliveryNotFound, deliveryNotSendable } from './deliveries.errors.ts'
import {
  type DeliveryFilter,
  type DeliveryRow,
  findDelivery,
  hastenDeliveries,
  insertDeliveries,
  listAmongNewest,
  listOfEachEndpoint,
  listDeliveries as listRows,
  moveDeliveries,
  type NewDelivery,
  type StoredStatus,
} from './deliveries.sql.ts'
import { type EntryOptions, entryFor, resendEntryFor, testEntryFor } from './delivery-entry.ts'
import { deliveryIdFor, deliveryIdRange, firstAttemptIdOf } from './delivery-id.ts'

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
 */
export type Delivery = DeliveryRow
export type Attempt = AttemptRow

export const DELIVERY_RETENTION_DAYS = 90
const DAY_MS = 24 * 3600 * 1000

export type DeliverableEvent = Pick<Event, 'id' | 'type' | 'subject' | 'sequence' | 'is_test'>
export type DueDelivery = { endpoint: EndpointRow; event: DeliverableEvent }

export type Owing = { now: Date } & Pick<EntryOptions, 'trigger' | 'class' | 'attempt'>

/**
 * Creates deliveries and puts them in the outbox, in the caller's transaction. Existing ones are left as they are, so
 * doing it twice is doing it once. Answers with how many are new and the lanes to ring after the commit.
 */
export async function createDeliveries(
  tx: Tx,
  orgId: OrgId,
  due: readonly DueDelivery[],
  options: Owing,
): Promise<{ created: number; laneIds: Set<string> }> {
  if (due.length === 0) return { created: 0, laneIds: new Set() }
  const rows = due.map(newDelivery)
  const created = new Set((await insertDeliveries(tx, orgId, rows, options.now)).map((row) => row.id))
  const entries = rows.flatMap((row, index) => {
    if (row.status !== 'pending' || !created.has(row.id)) return []
    const { endpoint } = due[index] as DueDelivery
    return [row.is_test ? testEntryFor(endpoint, row) : entryFor(endpoint, row, options)]
  })
  await enqueue(tx, entries)
  return { created: created.size, laneIds: new Set(entries.map((entry) => entry.laneId)) }
}

export function newDelivery({ endpoint, event }: DueDelivery): NewDelivery {
  return {
    id: deliveryIdFor(event.id, endpoint.id),
    endpoint_id: endpoint.id,
    event_id: event.id,
    type: event.type,
    subject: event.subject,
    sequence: event.is_test ? null : event.sequence,
    is_test: event.is_test,
    is_thin: endpoint.payload === 'thin',
    ...firstStatus(endpoint, event),
  }
}

function firstStatus(endpoint: EndpointRow, event: DeliverableEvent): Pick<NewDelivery, 'status' | 'reason'> {
  if (event.is_test) return { status: 'pending', reason: null }
  if (endpoint.deleted_at !== null) return { status: 'cancelled', reason: 'endpoint_deleted' }
  if (isSkipped(endpoint, event)) return { status: 'skipped', reason: 'resumed_from_now' }
  if (!endpoint.is_holding) return { status: 'pending', reason: null }
  return { status: 'held', reason: restReason(endpoint) }
}

/** Resumed from now since it was recorded. Tests are never skipped. */
export const isSkipped = (
  { skipped_until: skippedUntil }: Pick<EndpointRow, 'skipped_until'>,
  { sequence }: Pick<DeliverableEvent, 'sequence'>,
): boolean => sequence !== null && sequence <= (skippedUntil ?? 0)

const restReason = ({ state }: InactiveEndpoint) => (state === 'enabled' ? 'endpoint_resuming' : `endpoint_${state}`)

function withCurrentState(row: DeliveryRow, inactive: readonly InactiveEndpoint[]): Delivery {
  const endpoint = inactive.find(({ id }) => id === row.endpoint_id)
  if (endpoint === undefined || row.status !== 'pending' || row.is_test) return row
  return { ...row, status: 'held', reason: restReason(endpoint), next_attempt_at: null }
}

/** Those that are in one of the statuses go back into the outbox; the others are left alone. The caller rings the lane. */
export async function requeueDeliveries(
  tx: Tx,
  endpoint: EndpointRow,
  { ids, from, ...options }: Owing & { ids: string[]; from: StoredStatus[] },
): Promise<Delivery[]> {
  if (ids.length === 0) return []
  const rows = await moveDeliveries(tx, endpoint.org_id, { ids, from, to: 'pending', reason: null, now: options.now })
  await enqueue(
    tx,
    rows.map((row) => entryFor(endpoint, row, options)),
  )
  return rows
}

/** Retries that wait for their time are made now, up to a limit. Answers with how many. The caller rings the lane. */
export async function hastenRetries(
  tx: Tx,
  endpoint: EndpointRow,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const ids = await hastenEntries(tx, { orgId: endpoint.org_id, id: laneOf(endpoint.id) }, { limit, now })
  if (ids.length > 0) await hastenDeliveries(tx, endpoint.org_id, { ids, now })
  return ids.length
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
  if (filter.endpointId !== undefined || filter.isTest === true) return listRows(queries, orgId, filter)
  if (isUndelivered) return listOfEachEndpoint(queries, orgId, filter)
  return filter.type === undefined ? listRows(queries, orgId, filter) : listOfType(queries, orgId, filter)
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
  return listRows(queries, orgId, {
    ...filter,
    fromId: fromId > from ? fromId : from,
    beforeId: beforeId < to ? beforeId : to,
  })
}

export type Resend = { attemptId: Id<'att'>; delivery: Delivery }

/**
 * One more attempt now, by hand: same `webhook-id`, same bytes, new timestamp and signature. It neither uses up nor resets
 * the attempts that are made by themselves; if it succeeds, none of those follow.
 */
export async function resendDelivery(context: WebhooksContext, tx: Tx, orgId: OrgId, id: string): Promise<Resend> {
  // Or the endpoint could be deleted meanwhile, and with it the lane.
  await lockSubscriptions(tx, orgId, 'shared')
  const delivery = await getDelivery(tx, orgId, id)
  const [endpoint, events] = await Promise.all([
    findEndpoint(tx, orgId, delivery.endpoint_id),
    listEventBodies(tx, [orgId], [delivery.event_id]),
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

import type { Event } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue, hastenEntries } from '../../platform/outbox/entries.ts'
import {
  type EndpointRow,
  type InactiveEndpoint,
  isCloudFormat,
  laneOf,
  type ScopedEvent,
  scopeOf,
} from '../endpoints/endpoints.ts'
import {
  type DeliveryRow,
  hastenDeliveries,
  insertDeliveries,
  moveDeliveries,
  type NewDelivery,
  type StoredStatus,
} from './deliveries.sql.ts'
import { deliveryIdFor, type EntryOptions, entryFor, testEntryFor } from './delivery-entry.ts'

/** Creates deliveries and puts them in the outbox, in the caller's transaction. */
export type DeliverableEvent = Pick<Event, 'id' | 'type' | 'subject' | 'sequence' | 'is_test'>
export type DueDelivery = {
  endpoint: EndpointRow
  event: DeliverableEvent & Partial<ScopedEvent> & { traceparent?: string | null }
}

type Owing = { now: Date } & Pick<EntryOptions, 'trigger' | 'class' | 'attempt'>

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
  const entries = due.flatMap(({ endpoint, event: { traceparent = null } }, index) => {
    const row = rows[index]
    if (row?.status !== 'pending' || !created.has(row.id)) return []
    return [{ ...(row.is_test ? testEntryFor(endpoint, row) : entryFor(endpoint, row, options)), traceparent }]
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
    subject: orderSubject(endpoint, event),
    sequence: event.is_test ? null : event.sequence,
    is_test: event.is_test,
    is_thin: endpoint.payload === 'thin',
    ...firstStatus(endpoint, event),
  }
}

/** What a delivery is kept in order by: the resource, or in Meta's format the chat. */
const orderSubject = (endpoint: EndpointRow, event: DueDelivery['event']): string =>
  isCloudFormat(endpoint) && isScoped(event) ? (scopeOf(event).chatId ?? event.subject) : event.subject

const isScoped = (event: Partial<ScopedEvent>): event is ScopedEvent => 'tail' in event || 'body' in event

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

export const restReason = ({ state }: InactiveEndpoint) =>
  state === 'enabled' ? 'endpoint_resuming' : `endpoint_${state}`

/** Those that are in one of the statuses go back into the outbox; the others are left alone. The caller rings the lane. */
export async function requeueDeliveries(
  tx: Tx,
  endpoint: EndpointRow,
  { ids, from, ...options }: Owing & { ids: string[]; from: StoredStatus[] },
): Promise<DeliveryRow[]> {
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

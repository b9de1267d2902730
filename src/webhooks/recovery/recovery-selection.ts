import {
  type EventHead,
  findFollowerProgress,
  listEventBodies,
  listEventHeads,
  matchesEvent,
} from '../../events/events.ts'
import { firstIdAt, type Id } from '../../kernel/ids.ts'
import { itemAt } from '../../kernel/lists.ts'
import type { Queries } from '../../platform/database/database.ts'
import { deliveryIdFor, isWanted, listBundledEvents, type StoredStatus } from '../deliveries/deliveries.ts'
import { asSubscriber, type EndpointRow, isCloudFormat, type ScopedEvent } from '../endpoints/endpoints.ts'
import {
  listDeliveriesByIds,
  listUndeliveredBetween,
  type OwedRow,
  type RecoveryMode,
  type RecoveryRow,
} from './recovery.sql.ts'

/**
 * What a recovery is about, a page at a time. The estimate, the count before the start and the run itself all look through
 * this one function, so what was counted is what is sent.
 *
 * `failed` and `held` read the deliveries of the endpoint, `missing` and `all` the events of the organization. Both are
 * sorted by the time of the event, so a position in either is a moment, and days outside the window are not touched. A
 * page is a number of rows looked at, not of rows found: its cost is bounded however rare the wanted ones are.
 */
export type Selector = Pick<RecoveryRow, 'mode' | 'include_before_creation' | 'since' | 'until' | 'types' | 'statuses'>

/** What is to be done about one event. */
export type Chosen =
  /** Ended without a success: goes back into the outbox. */
  | { act: 'requeue'; type: string; id: Id<'dlv'> }
  /** Waits for its next attempt: is tried now. */
  | { act: 'hasten'; type: string; id: Id<'dlv'> }
  /** Arrived before: is sent once more and stays a success whatever comes of it. */
  | { act: 'replay'; type: string; id: Id<'dlv'> }
  /** Has no delivery yet: gets one. */
  | { act: 'create'; type: string; event: SelectedEvent }

/** With its body where the format or the filter of the endpoint looks into it. */
type SelectedEvent = EventHead & Partial<Extract<ScopedEvent, { body: string }>>

type Page = { chosen: Chosen[]; position: string; isLast: boolean }
type PageRequest = { position: string; limit: number; now: Date }

export const statusesOfMode: Record<RecoveryMode, readonly StoredStatus[]> = {
  failed: ['failed', 'cancelled', 'skipped', 'held', 'pending'],
  held: ['held', 'skipped'],
  missing: [],
  all: ['succeeded', 'failed', 'cancelled', 'skipped', 'held', 'pending'],
}

export const selectPage = (
  queries: Queries,
  endpoint: EndpointRow,
  selector: Selector,
  request: PageRequest,
): Promise<Page> =>
  selector.mode === 'failed' || selector.mode === 'held'
    ? selectDeliveries(queries, endpoint, selector, request)
    : selectEvents(queries, endpoint, selector, request)

async function selectDeliveries(
  queries: Queries,
  endpoint: EndpointRow,
  selector: Selector,
  { position, limit, now }: PageRequest,
): Promise<Page> {
  const rows = await listUndeliveredBetween(queries, endpoint.org_id, {
    endpointId: endpoint.id,
    window: windowOf('dlv', selector, position, limit),
    now,
  })
  const chosen = rows.flatMap((row) => (row.is_test ? [] : chooseExisting(selector, row.type, row)))
  return pageOf(rows, chosen, position, limit)
}

async function selectEvents(
  queries: Queries,
  given: EndpointRow,
  selector: Selector,
  { position, limit, now }: PageRequest,
): Promise<Page> {
  const endpoint = await asSubscriber(queries, given)
  // Read before the deliveries: all that fan-out has passed by then, it has made or bundled.
  const fanOut = await findFollowerProgress(queries, endpoint.org_id)
  const bundled = await listBundledEvents(queries, { orgId: endpoint.org_id, endpointId: endpoint.id })
  const events = await listSelected(queries, endpoint, windowOf('evt', selector, position, limit))
  const ids = events.map((event) => deliveryIdFor(event.id, endpoint.id))
  const existing = new Map(
    (await listDeliveriesByIds(queries, endpoint.org_id, { ids, now })).map((row) => [row.id, row]),
  )
  const chosen = events.flatMap((event, index) => {
    if (event.is_test || event.sequence === null) return []
    const row = existing.get(itemAt(ids, index))
    if (row !== undefined) return chooseExisting(selector, event.type, row)
    const isOnItsWay = event.sequence > fanOut.position || bundled.has(event.id)
    return isOnItsWay ? [] : chooseMissing(selector, endpoint, event)
  })
  return pageOf(events, chosen, position, limit)
}

async function listSelected(
  queries: Queries,
  endpoint: EndpointRow,
  window: Parameters<typeof listEventHeads>[2],
): Promise<SelectedEvent[]> {
  const heads = await listEventHeads(queries, endpoint.org_id, window)
  if (!isCloudFormat(endpoint) && endpoint.payload_filter === null) return heads
  const ids = heads.filter(({ type }) => matchesEvent(endpoint.events, type)).map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await listEventBodies(queries, endpoint.org_id, ids)
  const bodies = new Map(rows.map(({ id, body }) => [id, body]))
  return heads.map((head) => ({ ...head, body: bodies.get(head.id) ?? '{}' }))
}

const windowOf = (prefix: 'dlv' | 'evt', { since, until }: Selector, position: string, limit: number) => ({
  afterId: position === '' ? firstIdAt(prefix, since) : position,
  beforeId: firstIdAt(prefix, until),
  limit,
})

const pageOf = (rows: { id: string }[], chosen: Chosen[], position: string, limit: number): Page => ({
  chosen,
  position: rows.at(-1)?.id ?? position,
  isLast: rows.length < limit,
})

/** A first attempt that is due or running is left alone: it is on its way. */
function chooseExisting(selector: Selector, type: string, { id, status, is_retrying: isRetrying }: OwedRow): Chosen[] {
  const statuses = selector.statuses ?? statusesOfMode[selector.mode]
  if (!statuses.includes(status) || !isOfTypes(selector, type)) return []
  if (status === 'pending') return isRetrying ? [{ act: 'hasten', type, id }] : []
  return [{ act: status === 'succeeded' ? 'replay' : 'requeue', type, id }]
}

/** When certain statuses are asked for, an event without a delivery is not selected. */
const chooseMissing = (selector: Selector, endpoint: EndpointRow, event: SelectedEvent): Chosen[] =>
  selector.statuses === null &&
  isOfTypes(selector, event.type) &&
  isWanted(endpoint, { ...event, body: event.body ?? '{}' }) &&
  (isAfterCreation(endpoint, event) || selector.mode === 'missing' || selector.include_before_creation)
    ? [{ act: 'create', type: event.type, event }]
    : []

const isAfterCreation = ({ subscribed_after: last }: EndpointRow, { sequence }: EventHead) =>
  sequence !== null && sequence > last

const isOfTypes = ({ types }: Selector, type: string) => types === null || matchesEvent(types, type)

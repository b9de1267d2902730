import { matchesEvent } from '../../events/events.ts'
import type { Id } from '../../kernel/ids.ts'
import type { LaneOptions } from '../../platform/outbox/lanes.ts'
import type { DelaysByEvent, EndpointRow } from './endpoints.sql.ts'

/**
 * The lanes of the outbox that webhooks travel in.
 *
 *   the endpoint's own      its deliveries; has the breaker, the rate, the order, and stops when paused
 *   its lane by hand        resends, tests and pings: the caller wants it now, also from an endpoint that is
 *                           paused or failing, and its outcome must not count for or against the endpoint
 *   the organization's      work on the backlog, not sending
 */
export const laneOf = (endpointId: Id<'wep'>): string => endpointId

const BY_HAND = ':by-hand'
export const handLaneOf = (endpointId: Id<'wep'>): string => `${endpointId}${BY_HAND}`
export const isHandLane = (laneId: string): boolean => laneId.endsWith(BY_HAND)

export const endpointOfLane = (laneId: string): Id<'wep'> => laneId.split(':')[0] as Id<'wep'>

const upkeepLaneOf = (orgId: Id<'org'>): string => `${orgId}:webhooks`

/** At most this many requests at a time to one endpoint; the outbox starts lower and adapts. */
const IN_FLIGHT_MAX = 8
/** Of these, what may be a replay or the backlog of a pause. */
const BULK_IN_FLIGHT_MAX = 4
const BY_HAND_IN_FLIGHT_MAX = 2

type LaneSource = Pick<EndpointRow, 'ordering' | 'max_per_second' | 'url'>

export const destinationOf = (url: string): string => new URL(url).hostname

export const laneSettings = (endpoint: LaneSource) => ({
  concurrencyMax: IN_FLIGHT_MAX,
  bulkConcurrencyMax: BULK_IN_FLIGHT_MAX,
  isAdaptive: true,
  hasBreaker: true,
  ordering: endpoint.ordering === 'none' ? ('none' as const) : ('by_key' as const),
  ratePerSecond: endpoint.max_per_second,
  destination: destinationOf(endpoint.url),
})

export const endpointLanes = (endpoint: Pick<EndpointRow, 'org_id' | 'id'> & LaneSource): LaneOptions[] => [
  { id: laneOf(endpoint.id), orgId: endpoint.org_id, kind: 'webhooks', pool: 'webhooks', ...laneSettings(endpoint) },
  {
    id: handLaneOf(endpoint.id),
    orgId: endpoint.org_id,
    kind: 'webhooks by hand',
    pool: 'webhooks',
    destination: destinationOf(endpoint.url),
    concurrencyMax: BY_HAND_IN_FLIGHT_MAX,
    isAdaptive: false,
    hasBreaker: false,
    ordering: 'none',
  },
]

export const upkeepLane = (orgId: Id<'org'>): LaneOptions => ({
  id: upkeepLaneOf(orgId),
  orgId,
  kind: 'webhooks upkeep',
  pool: 'webhooks',
  concurrencyMax: 2,
  isAdaptive: false,
  hasBreaker: false,
  ordering: 'none',
})

export const STRICT_KEY = 'strict'

/** One key for the whole lane keeps everything in line; a key per resource only what belongs together. */
export function orderKeyFor(endpoint: Pick<EndpointRow, 'ordering'>, subject: string): string | undefined {
  if (endpoint.ordering === 'none') return undefined
  return endpoint.ordering === 'strict' ? STRICT_KEY : subject
}

export type RetryWishes = {
  /** Null is the standard schedule. */
  retry_delays_seconds: number[] | null
  retry_delays_by_event: DelaysByEvent | null
}

/** For an event of this type: what the filter says that names it most closely, else what the endpoint says of all. */
export function delaysFor({ retry_delays_seconds, retry_delays_by_event }: RetryWishes, type: string): number[] | null {
  if (retry_delays_by_event === null) return retry_delays_seconds
  let closest = retry_delays_seconds
  let closestLength = 0
  for (const filter in retry_delays_by_event) {
    const delays = retry_delays_by_event[filter]
    if (delays === undefined || !matchesEvent([filter], type)) continue
    if (filter === type) return delays
    if (filter.length <= closestLength) continue
    closest = delays
    closestLength = filter.length
  }
  return closest
}

/** Sorted, so that equal settings are stored equally; null when empty. */
export function tidyDelays(delays: DelaysByEvent | null | undefined): DelaysByEvent | null {
  const given = Object.entries(delays ?? {})
  return given.length === 0 ? null : Object.fromEntries(given.sort(([one], [other]) => (one < other ? -1 : 1)))
}

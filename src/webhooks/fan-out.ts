import { findEventType } from '../events/event-types.ts'
import type { Event } from '../events/events.ts'
import type { Follower } from '../events/followers.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Owed, type OwedEvent, oweDeliveries } from './deliveries.ts'
import { type EndpointRow, listSubscribers, lockSubscriptions } from './endpoints.sql.ts'
import { matchesEvent } from './event-filter.ts'
import type { LaneBell } from './lane-bell.ts'

/**
 * Works out what is owed to whom: for each page of events of an organization, a delivery for every endpoint that wants the
 * event, with its outbox entry. In the transaction that moves the follower on, so each event is fanned out exactly once.
 * Endpoints cannot change meanwhile (shared lock), so an endpoint that begins or ceases to hold does so between two pages.
 */
export const FAN_OUT = 'webhooks.fan-out'

export const createFanOut = ({ clock, bell }: { clock: Clock; bell: LaneBell }): Follower => ({
  name: FAN_OUT,
  async handle(tx, orgId, events) {
    await lockSubscriptions(tx, orgId, 'shared')
    const endpoints = await listSubscribers(tx, orgId)
    if (endpoints.length === 0) return
    const owed = events.flatMap((event) => owedBy(event, endpoints))
    const { laneIds } = await oweDeliveries(tx, orgId, owed, { now: new Date(clock.now()) })
    if (laneIds.size > 0) bell.ringAfterCommit(tx, laneIds)
  },
})

const owedBy = (event: Event, endpoints: readonly EndpointRow[]): Owed[] =>
  endpoints.filter((endpoint) => isOwed(endpoint, event)).map((endpoint) => ({ endpoint, event }))

/** A test is owed to the endpoint it is about, whatever that wants; anything else to whoever wanted it by then. */
export const isOwed = (endpoint: EndpointRow, event: OwedEvent): boolean =>
  event.is_test
    ? event.subject === endpoint.id
    : event.sequence > endpoint.subscribed_after && isWanted(endpoint, event)

/** What an endpoint does must not come back to it as an event, or a failing one would feed on its own failures. */
export const isWanted = (
  endpoint: Pick<EndpointRow, 'id' | 'events'>,
  event: Pick<OwedEvent, 'type' | 'subject'>,
): boolean => matchesEvent(endpoint.events, event.type) && !(isOperational(event.type) && event.subject === endpoint.id)

export const isOperational = (type: string): boolean => findEventType(type)?.isOperational === true

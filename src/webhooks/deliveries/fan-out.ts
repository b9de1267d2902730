import {
  type Event,
  envelopeOf,
  type Follower,
  findEventType,
  matchesEvent,
  upgradeEvent,
} from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue, type NewEntry } from '../../platform/outbox/entries.ts'
import { listFlowingLanes } from '../../platform/outbox/lanes.ts'
import type { Wake } from '../../platform/outbox/outbox.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  type EndpointRow,
  findUnmet,
  laneOf,
  listSubscribers,
  type ScopedEvent,
  scopeOf,
  tryLockSubscriptions,
} from '../endpoints/endpoints.ts'
import { bundleEntries, isBundleable } from './bundles.ts'
import { createDeliveries, type DeliverableEvent, type DueDelivery } from './delivery-creation.ts'

/**
 * Creates the deliveries that follow from events: for each page of events of an organization, a delivery for every endpoint that wants the
 * event, with its outbox entry, or a bundle of events in one entry. In the transaction that moves the follower on, so each event is fanned out exactly once.
 * Endpoints cannot change meanwhile (shared lock), so an endpoint that begins or ceases to hold does so between two pages.
 */
const FAN_OUT = 'webhooks.fan-out'

type FanOutOptions = { clock: Clock; wake: Wake; watchShape: BodyShapeWatch }

export const createFanOut = ({ clock, wake, watchShape }: FanOutOptions): Follower => ({
  name: FAN_OUT,
  async handle(tx, orgId, events) {
    watchShape(events)
    if (!(await tryLockSubscriptions(tx, orgId))) return false
    const endpoints = await listSubscribers(tx, orgId)
    if (endpoints.length === 0) return true
    const now = new Date(clock.now())
    const { bundles, others } = await sortOut(tx, orgId, eventsForEach(endpoints, events), now)
    const { created } = await createDeliveries(tx, orgId, others, { now })
    await enqueue(tx, bundles)
    if (created + bundles.length > 0) tx.afterCommit(() => wake([orgId]))
    return true
  },
})

type SubscriberEvents = { endpoint: EndpointRow; events: Event[]; tests: Event[] }

const eventsForEach = (endpoints: readonly EndpointRow[], events: readonly Event[]): SubscriberEvents[] =>
  endpoints.map((endpoint) => {
    const wanted = events.filter((event) => isDeliverable(endpoint, event))
    return {
      endpoint,
      events: wanted.filter(({ is_test }) => !is_test),
      tests: wanted.filter(({ is_test }) => is_test),
    }
  })

/** What goes out in bundles (bundles.ts), and what is written down one by one. */
async function sortOut(
  tx: Tx,
  orgId: OrgId,
  subscribers: SubscriberEvents[],
  now: Date,
): Promise<{ bundles: NewEntry[]; others: DueDelivery[] }> {
  const candidates = subscribers.filter(({ endpoint, events }) => isBundleable(endpoint, events.length))
  const laneIds = candidates.map(({ endpoint }) => laneOf(endpoint.id))
  const flowing = laneIds.length === 0 ? new Set() : await listFlowingLanes(tx, orgId, { laneIds, now })
  const bundled = candidates.filter(({ endpoint }) => flowing.has(laneOf(endpoint.id)))
  const isBundled = new Set(bundled.map(({ endpoint }) => endpoint.id))
  return {
    bundles: bundled.flatMap(({ endpoint, events }) => bundleEntries(endpoint, events, now)),
    others: subscribers.flatMap(({ endpoint, events, tests }) =>
      (isBundled.has(endpoint.id) ? tests : [...events, ...tests]).map((event) => ({ endpoint, event })),
    ),
  }
}

/** Tests come here only where version 0.1 recorded them: with a number, and without a delivery. */
const isDeliverable = (endpoint: EndpointRow, event: DeliverableEvent & ScopedEvent): boolean =>
  event.is_test
    ? event.subject === endpoint.id
    : event.sequence !== null && event.sequence > endpoint.subscribed_after && isWanted(endpoint, event)

/** What an endpoint does must not come back to it as an event, or a failing one would feed on its own failures. */
export const isWanted = (
  endpoint: Pick<EndpointRow, 'id' | 'events' | 'payload_filter' | 'number_id' | 'number_ids' | 'overrides'>,
  event: Pick<DeliverableEvent, 'type' | 'subject'> & ScopedEvent,
): boolean =>
  matchesEvent(endpoint.events, event.type) &&
  !(isOperational(event.type) && event.subject === endpoint.id) &&
  isOfNumber(endpoint, event) &&
  !isOverridden(endpoint, event) &&
  findUnmet(endpoint.payload_filter, event) === null

/** Whether the event is about one of the business numbers that the endpoint is limited to, if it is. */
export function isOfNumber(
  { number_id: one, number_ids: several }: Pick<EndpointRow, 'number_id' | 'number_ids'>,
  event: ScopedEvent,
): boolean {
  const numbers: readonly string[] | null = one === null ? several : [one]
  return numbers === null || numbers.includes(scopeOf(event).numberId ?? '')
}

/** Whether a more specific callback gets the event in its place. */
export const isOverridden = ({ overrides = [] }: Pick<EndpointRow, 'overrides'>, event: ScopedEvent): boolean =>
  overrides.some((other) => isOfNumber(other, event))

export const isOperational = (type: string): boolean => findEventType(type)?.isOperational === true

/**
 * Alarms when an event is not what its type promises: a bug of ours, which receivers would be the first to find. It is
 * delivered all the same. Of each type one is looked at every few seconds: looking at all of them would cost as much as
 * dealing them out, and a type that is wrong is seldom wrong once. What the event says stays out of the log.
 */
export type BodyShapeWatch = (events: readonly WatchedEvent[]) => void

type WatchedEvent = Pick<Event, 'org_id' | 'id' | 'type' | 'body' | 'erased_at'>

const LOOK_AGAIN_MS = 10_000
const PROBLEMS_TOLD_MAX = 10

export function createBodyShapeWatch({ clock, log }: { clock: Clock; log: Log }): BodyShapeWatch {
  const lookedAtMs = new Map<string, number>()
  return (events) => {
    const nowMs = clock.now()
    for (const event of events) {
      if (nowMs - (lookedAtMs.get(event.type) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) continue
      lookedAtMs.set(event.type, nowMs)
      const problems = problemsOf(event)
      if (problems.length === 0) continue
      const { org_id, id, type } = event
      log.error(
        { org_id, event_id: id, type, problems },
        'an event is not what its type promises; it is delivered as it is',
      )
    }
  }
}

/** An event of a type that this version does not know was recorded by another one. What was erased promises nothing. */
function problemsOf({ type: name, body, erased_at }: WatchedEvent): string[] {
  const type = erased_at === null ? findEventType(name) : null
  const result = type === null ? null : envelopeOf(type).safeParse(upgradeEvent(name, JSON.parse(body)))
  const issues = result?.error?.issues ?? []
  return issues.slice(0, PROBLEMS_TOLD_MAX).map(({ path, code }) => `${path.join('.')} ${code}`)
}

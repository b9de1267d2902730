import type { EventBody, PreparedEvent, RecordedEvents, RecordingFollower } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Ending, Queries } from '../../platform/database/database.ts'
import { areClear } from '../../platform/outbox/entries.sql.ts'
import { bornEntry, type RecordedEntry, recordedEntries, traceEnqueued } from '../../platform/outbox/entries.ts'
import type { HandOver } from '../../platform/outbox/grants.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { isTracing } from '../../platform/telemetry/spans.ts'
import {
  destinationOf,
  type EndpointRow,
  readSubscriptions,
  type Subscriptions,
  sharesSubscriptions,
} from '../endpoints/endpoints.ts'
import { isBundleable } from './bundles.ts'
import { recordedDeliveries } from './deliveries.sql.ts'
import { newDelivery } from './delivery-creation.ts'
import { entryFor } from './delivery-entry.ts'
import { type BodyShapeWatch, isWanted } from './fan-out.ts'
import { isReordering } from './reordering.ts'

/**
 * Fan-out while events are recorded: the deliveries and their outbox entries are written by the statement that writes the
 * events, from the subscriptions that this process remembers. The database compares their version and leaves the events to
 * the follower (fan-out.ts) where it differs; so a stale memory costs a few milliseconds and nothing else.
 *
 * Left to the follower as well: what an organization records before this process has read its subscriptions, many
 * deliveries at once or more than an endpoint keeps up with (which it writes in bundles), and all that happens while work on a backlog or a new order is under way.
 */
type InlineFanOutOptions = {
  database: Database
  clock: Clock
  log: Log
  wake: (orgIds: readonly OrgId[]) => void
  watchShape: BodyShapeWatch
  handOver: HandOver
  /** Events that something else follows too, which only the follower does. */
  isLeft: (type: string) => boolean
  /** Of the job that delivers. */
  leaseMs: number
  /** What the run of a delivery that is handed over need not read. */
  remember: (deliveryId: string, recorded: RememberedDelivery) => void
}

/** A delivery that was recorded a moment ago in this process: its event, and its endpoint as it was then. */
export type RememberedDelivery = { event: EventBody; endpoint: EndpointRow }

const DELIVERIES_MAX = 64
const ORGANIZATIONS_KEPT_MAX = 10_000

type Pair = { endpoint: EndpointRow; event: PreparedEvent }

export function createInlineFanOut(options: InlineFanOutOptions): RecordingFollower {
  const { database, log } = options
  const known = new Map<OrgId, Subscriptions>()
  const reading = new Set<OrgId>()

  const remember = (orgId: OrgId, subscriptions: Subscriptions) => {
    known.delete(orgId)
    const [oldest] = known.size >= ORGANIZATIONS_KEPT_MAX ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(orgId, subscriptions)
  }
  const read = async (orgId: OrgId) => {
    if (reading.has(orgId)) return
    reading.add(orgId)
    try {
      remember(orgId, await readSubscriptions(database, orgId))
    } catch (error) {
      log.debug({ org_id: orgId, err: error }, 'the subscriptions of an organization could not be read')
    } finally {
      reading.delete(orgId)
    }
  }

  return {
    plan(orgId, events) {
      if (events.some(({ type }) => options.isLeft(type))) return null
      const subscriptions = known.get(orgId)
      if (subscriptions === undefined || subscriptions.endpoints.some(isUnsettled)) {
        void read(orgId)
        return null
      }
      const pairs = pairsOf(subscriptions.endpoints, events)
      if (pairs.length > DELIVERIES_MAX) return null
      const { version } = subscriptions
      const deliveries = pairs.length === 0 ? null : planDeliveries(options, orgId, { pairs, events })
      if (deliveries === 'full') return null
      return {
        version,
        write: deliveries?.write ?? null,
        onWritten(recorded, ending) {
          if (recorded.version !== version) void read(orgId)
          if (recorded.is_followed)
            options.watchShape(events.map((event, index) => bodyOf(orgId, event, recorded.already + index + 1)))
          deliveries?.onWritten(recorded, ending)
        },
        onFailed: () => deliveries?.onFailed(),
      }
    },
  }
}

/** What is recorded while this lasts goes after what waits. */
const isUnsettled = (endpoint: EndpointRow) => endpoint.settling !== null || isReordering(endpoint)

const pairsOf = (endpoints: readonly EndpointRow[], events: readonly PreparedEvent[]): Pair[] =>
  endpoints.flatMap((endpoint) =>
    events.filter((event) => isWanted(endpoint, event)).map((event) => ({ endpoint, event })),
  )

const bodyOf = (orgId: OrgId, event: PreparedEvent, sequence: number): EventBody => ({
  org_id: orgId,
  id: event.id,
  type: event.type,
  subject: event.subject,
  sequence,
  is_test: false,
  traceparent: event.traceparent,
  body: `${event.head}${sequence}${event.tail}`,
  erased_at: null,
})

type Planned = RecordedEntry & Pair

function planDeliveries(
  options: InlineFanOutOptions,
  orgId: OrgId,
  { pairs, events }: { pairs: readonly Pair[]; events: readonly PreparedEvent[] },
) {
  const { handOver, leaseMs, clock } = options
  const now = new Date(clock.now())
  const rows = pairs.map(({ endpoint, event }) =>
    newDelivery({ endpoint, event: { ...event, sequence: null, is_test: false } }),
  )
  const entries = pairs.flatMap((pair, index): Planned[] => {
    const row = rows[index]
    if (row?.status !== 'pending') return []
    return [{ ...entryFor(pair.endpoint, row), ...pair, sourceId: pair.event.id, isOffered: false, isBorrowing: false }]
  })
  const release = (left: readonly Planned[]) => {
    for (const { laneId } of left) handOver.release(laneId, 1)
  }
  const { offered, isFull } = offer(handOver, orgId, entries)
  if (isFull) {
    release(offered)
    return 'full' as const
  }
  if (isTracing())
    for (const entry of entries) entry.traceparent = traceEnqueued({ ...entry, traceparent: entry.event.traceparent })
  const lending = { now, inFlightMax: handOver.borrowMax() }
  const laneIds = [...new Set(offered.map(({ laneId }) => laneId))]
  return {
    write: (queries: Queries) => ({
      gate: queries.part`${sharesSubscriptions(queries, orgId)} and ${areClear(queries, orgId, laneIds)}`,
      parts: queries.part`
        deliveries as (${recordedDeliveries(queries, orgId, { rows, now })}),
        ${recordedEntries(queries, orgId, { entries, offer: { processId: handOver.processId, leaseMs }, lending })}`,
      result: queries.part`(select array_agg(id) from entries where state = 'leased')`,
    }),
    onWritten({ is_followed, already, result }: RecordedEvents, ending: Ending) {
      const handed = new Set(is_followed ? (result as string[] | null) : null)
      const [taken, left] = [entries.filter(({ id }) => handed.has(id)), offered.filter(({ id }) => !handed.has(id))]
      release(left)
      if (!is_followed) return
      ending.afterRollback(() => release(taken.filter(({ isOffered }) => isOffered)))
      ending.afterCommit(() => {
        if (entries.some(({ id }) => !handed.has(id))) options.wake([orgId])
        for (const { id, endpoint, event } of taken)
          options.remember(id, { event: bodyOf(orgId, event, already + 1 + events.indexOf(event)), endpoint })
        const begun = { leaseMs, now: new Date(clock.now()) }
        for (const entry of taken)
          handOver.start([bornEntry({ ...entry, orgId }, { ...begun, isLent: entry.isBorrowing })], {
            pool: 'webhooks',
            destination: destinationOf(entry.endpoint.url),
          })
      })
    },
    onFailed: () => release(offered),
  }
}

/**
 * Those whose lane has a slot that this process holds; of a lane it does not hold, the first may borrow one. A lane with an
 * order or a rate is the claim's alone. Full means that the follower does better: a lane that is held has too few slots left, or one that is not held, as in a burst, would get more
 * single entries than it runs at a time, where the follower writes a few bundles.
 */
function offer(handOver: HandOver, orgId: OrgId, entries: readonly Planned[]): { offered: Planned[]; isFull: boolean } {
  const isFree = ({ endpoint }: Planned) => endpoint.ordering === 'none' && endpoint.max_per_second === null
  const offered: Planned[] = []
  let isFull = false
  for (const [laneId, ofLane] of Map.groupBy(entries.filter(isFree), (entry) => entry.laneId)) {
    const lane = { orgId, id: laneId }
    const slots = handOver.reserve(lane, ofLane.length)
    const [first] = ofLane
    if (first === undefined) continue
    isFull ||= slots < ofLane.length && (handOver.holds(laneId) || isBundleable(first.endpoint, ofLane.length))
    if (slots === 0 && handOver.mayBorrow(lane)) first.isBorrowing = true
    for (const entry of ofLane.slice(0, slots)) {
      entry.isOffered = true
      offered.push(entry)
    }
  }
  return { offered, isFull }
}

import type { PreparedEvent } from '../events/events.ts'
import type { FollowPlan, RecordingFollower } from '../events/recording.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Queries } from '../platform/database/database.ts'
import { recordedEntries } from '../platform/outbox/entries.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { BodyShapeWatch } from './body-shape-watch.ts'
import { newDelivery } from './deliveries.ts'
import { entryFor } from './delivery-entry.ts'
import { type EndpointRow, sharesSubscriptions } from './endpoints.sql.ts'
import { isWanted } from './fan-out.ts'
import { readSubscriptions, recordedDeliveries, type Subscriptions } from './inline-fan-out.sql.ts'
import { isReordering } from './reordering.ts'

/**
 * Fan-out while events are recorded: the deliveries and their outbox entries are written by the statement that writes the
 * events, from the subscriptions that this process remembers. The database compares their version and leaves the events to
 * the follower (fan-out.ts) where it differs; so a stale memory costs a few milliseconds and nothing else.
 *
 * Left to the follower as well: what an organization records before this process has read its subscriptions, many
 * deliveries at once (which it writes in bundles), and all that happens while work on a backlog or a new order is under way.
 */
export type InlineFanOutOptions = {
  database: Database
  clock: Clock
  log: Log
  wake: (laneIds: string[]) => void
  watchShape: BodyShapeWatch
}

const DELIVERIES_MAX = 64
const ORGANIZATIONS_KEPT_MAX = 10_000

type Pair = { endpoint: EndpointRow; event: PreparedEvent }

export function createInlineFanOut({ database, clock, log, wake, watchShape }: InlineFanOutOptions): RecordingFollower {
  const known = new Map<OrgId, Subscriptions>()
  const reading = new Set<OrgId>()

  const remember = (orgId: OrgId, subscriptions: Subscriptions) => {
    known.delete(orgId)
    if (known.size >= ORGANIZATIONS_KEPT_MAX) known.delete(known.keys().next().value as OrgId)
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
      const subscriptions = known.get(orgId)
      if (subscriptions === undefined) {
        void read(orgId)
        return null
      }
      if (subscriptions.endpoints.some(isUnsettled)) {
        void read(orgId)
        return null
      }
      const pairs = pairsOf(subscriptions.endpoints, events)
      if (pairs.length > DELIVERIES_MAX) return null
      const { version } = subscriptions
      const written = pairs.length === 0 ? null : planDeliveries(orgId, pairs, new Date(clock.now()))
      return {
        version,
        write: written?.write ?? null,
        onWritten(recorded, ending) {
          if (recorded.version !== version) void read(orgId)
          if (!recorded.is_followed) return
          watchShape(events.map((event, index) => bodyOf(orgId, event, recorded.already + index + 1)))
          if (written !== null && written.laneIds.length > 0) ending.afterCommit(() => wake(written.laneIds))
        },
      } satisfies FollowPlan
    },
  }
}

const bodyOf = (orgId: OrgId, { id, type, head, tail }: PreparedEvent, sequence: number) => ({
  org_id: orgId,
  id,
  type,
  body: `${head}${sequence}${tail}`,
  erased_at: null,
})

/** What is recorded while this lasts goes after what waits. */
const isUnsettled = (endpoint: EndpointRow) => endpoint.settling !== null || isReordering(endpoint)

const pairsOf = (endpoints: readonly EndpointRow[], events: readonly PreparedEvent[]): Pair[] =>
  endpoints.flatMap((endpoint) =>
    events.filter((event) => isWanted(endpoint, event)).map((event) => ({ endpoint, event })),
  )

function planDeliveries(orgId: OrgId, pairs: readonly Pair[], now: Date) {
  const rows = pairs.map(({ endpoint, event }) =>
    newDelivery({ endpoint, event: { ...event, sequence: null, is_test: false } }),
  )
  const entries = rows.flatMap((row, index) => {
    const { endpoint, event } = pairs[index] as Pair
    return row.status === 'pending' ? [{ ...entryFor(endpoint, row), sourceId: event.id }] : []
  })
  return {
    laneIds: [...new Set(entries.map(({ laneId }) => laneId))],
    write: (queries: Queries) => ({
      gate: sharesSubscriptions(queries, orgId),
      parts: queries.part`
        deliveries as (${recordedDeliveries(queries, orgId, { rows, now })}),
        entries as (${recordedEntries(queries, entries)})`,
      result: queries.part`null`,
    }),
  }
}

import type { OrgId } from '../kernel/ids.ts'
import type { Ending, Queries, Tx } from '../platform/database/database.ts'
import { bumpSubscriptions, type FollowPlan, insertEvents, type PreparedEvent } from './events.sql.ts'

/**
 * Writes what a transaction recorded, right before its commit, and lets the follower of this process take part: what
 * follows from the events (deliveries) is written by the same statement, so that nothing has to be read again to find out.
 *
 *   planned    the follower knows the organization's subscriptions, and says what to write
 *   followed   the counter row, which the statement locks, proves that what it knew is current and that no earlier event
 *              waits to be followed; then its parts are written with the events
 *   behind     otherwise: the organization is listed (event_backlog), and the follower comes by (followers.ts)
 *
 * A change of the subscriptions raises their version in the counter row of the same organization, so it lies before an
 * event or after it, never beside it.
 */
export type RecordingFollower = { plan(orgId: OrgId, events: readonly PreparedEvent[]): FollowPlan | null }

/** Poked when events were recorded and not followed. */
export const EVENTS_CHANNEL = 'nexkit_events'

const followers = new WeakMap<object, RecordingFollower>()

/** From now on this process follows what it records in the database. */
export const followRecording = (database: object, follower: RecordingFollower): void => {
  followers.set(database, follower)
}

export type Recorded = { orgId: OrgId; event: PreparedEvent | null }

/** In a transaction that changes what follows from events. */
export const noteSubscriptionsChanged = (tx: Tx, orgId: OrgId): void => tx.atEnd(writeRecorded, { orgId, event: null })

/** The counters of several organizations are taken in one order by all transactions. */
export async function writeRecorded(queries: Queries, recorded: Recorded[], ending: Ending): Promise<void> {
  const byOrg = Map.groupBy(recorded, ({ orgId }) => orgId)
  const orgIds = [...byOrg.keys()].sort()
  await Promise.all(orgIds.map((orgId) => writeOf(queries, orgId, byOrg.get(orgId) ?? [], ending)))
}

async function writeOf(queries: Queries, orgId: OrgId, recorded: Recorded[], ending: Ending): Promise<void> {
  const events = recorded.flatMap(({ event }) => event ?? [])
  const isChange = events.length < recorded.length
  if (events.length === 0) {
    await bumpSubscriptions(queries, orgId)
    return
  }
  const plan = isChange ? null : (followers.get(ending.database)?.plan(orgId, events) ?? null)
  try {
    const answer = await insertEvents(queries, orgId, { events, plan, isChange })
    if (!answer.is_followed) ending.poke(EVENTS_CHANNEL)
    plan?.onWritten(answer, ending)
  } catch (error) {
    plan?.onFailed()
    throw error
  }
}

import { firstIdAt, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

export type ParkedEvent = { follower: string; sequence: number; eventId: string; error: string }

export const insertParkedEvent = (tx: Tx, orgId: OrgId, { follower, sequence, eventId, error }: ParkedEvent) => tx.run`
  insert into parked_events (org_id, follower, sequence, event_id, error)
  values (${orgId}, ${follower}, ${sequence}, ${eventId}, ${error}) on conflict do nothing`

/** Of all organizations, for as long as their events are kept. */
export const countParkedEvents = async (queries: Queries): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(org_id)::int as count from parked_events where parked_at > now() - interval '30 days'`
  ).count

/** Whether a follower has not come to an event between these moments, in any organization. */
export const isAnyUnfollowed = async (
  queries: Queries,
  follower: string,
  { from, before }: { from: Date; before: Date },
): Promise<boolean> =>
  (await queries.maybeOne<{ org_id: OrgId }>`
    select counter.org_id from event_counters counter
    left join event_followers follower on follower.org_id = counter.org_id and follower.follower = ${follower}
    where counter.last_sequence > coalesce(follower.last_sequence, 0) and exists (
      select from events
      where events.org_id = counter.org_id and events.sequence > coalesce(follower.last_sequence, 0)
        and events.id >= ${firstIdAt('evt', from)} and events.id < ${firstIdAt('evt', before)})
    limit 1`) !== null

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

/** Whether an event between these moments is not followed yet, in any organization. */
export const isAnyUnfollowed = async (
  queries: Queries,
  { from, before }: { from: Date; before: Date },
): Promise<boolean> =>
  (await queries.maybeOne<{ org_id: OrgId }>`
    select backlog.org_id from event_backlog backlog
    join event_counters counter on counter.org_id = backlog.org_id
    where exists (
      select from events
      where events.org_id = counter.org_id and events.sequence > counter.followed_until
        and events.id >= ${firstIdAt('evt', from)} and events.id < ${firstIdAt('evt', before)})
    limit 1`) !== null

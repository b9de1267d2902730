import { firstIdAt, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { EVENT_RETENTION_DAYS, eventColumns, type NumberedEvent } from './events.sql.ts'

export const insertCounter = (tx: Tx, orgId: OrgId) => tx.run`
  insert into event_counters (org_id, last_sequence) values (${orgId}, 0) on conflict (org_id) do nothing`

export const lockCounter = (tx: Tx, orgId: OrgId) => tx.one<{ last_sequence: number }>`
  select last_sequence from event_counters where org_id = ${orgId} for update`

export const findCounter = (queries: Queries, orgId: OrgId) => queries.maybeOne<{ last_sequence: number }>`
  select last_sequence from event_counters where org_id = ${orgId}`

export type FollowerProgress = { position: number; last: number }

export const findFollower = (queries: Queries, orgId: OrgId) => queries.maybeOne<FollowerProgress>`
  select followed_until as position, last_sequence as last from event_counters where org_id = ${orgId}`

/** Organizations with events that are not followed, by their ids: a page of them after one. */
export const listBehind = (queries: Queries, { after, limit }: { after: string; limit: number }) =>
  queries.many<{ org_id: OrgId }>`
    select org_id from event_backlog where org_id > ${after} order by org_id limit ${limit}`

export type BacklogPage = { after: number; since: Date; limit: number }

/** Of several workers one gets the organization, the others turn to another one. */
export const tryLockBacklog = (tx: Tx, orgId: OrgId) => tx.maybeOne<{ since: Date }>`
  select coalesce(nullif(since, '-infinity'), to_timestamp(0)) as since
  from event_backlog where org_id = ${orgId} for update skip locked`

/** Followed so far. Where that is all there is, the organization is listed no longer. The caller has locked the backlog. */
export const moveFollowed = (tx: Tx, orgId: OrgId, { sequence, since }: { sequence: number; since: Date }) => tx.run`
  with counter as (
    update event_counters set followed_until = ${sequence} where org_id = ${orgId} and followed_until < ${sequence}
    returning followed_until = last_sequence as is_level),
  done as (delete from event_backlog where org_id = ${orgId} and (select is_level from counter))
  update event_backlog set since = ${since} where org_id = ${orgId} and not (select is_level from counter)`

/** Nothing is left of it: followed by hand, or older than what is kept. */
export const endBacklog = (tx: Tx, orgId: OrgId, sequence: number) => tx.run`
  with counter as (
    update event_counters set followed_until = greatest(followed_until, ${sequence}) where org_id = ${orgId}
    returning followed_until = last_sequence as is_level)
  delete from event_backlog where org_id = ${orgId} and (select is_level from counter)`

/** How much older than its neighbours an event's id may be: transactions last, and clocks differ. */
const IDS_APART_MS = 3_600_000

/** Forward, for the follower. Test events that version 0.1 recorded have numbers, and are among them. */
export const listNumberedAfter = (queries: Queries, orgId: OrgId, { after, since, limit }: BacklogPage) =>
  queries.many<NumberedEvent>`
    select ${eventColumns(queries)} from events
    where org_id = ${orgId} and sequence > ${after} and id >= ${firstIdAt('evt', new Date(since.getTime() - IDS_APART_MS))}
    order by sequence limit ${limit}`

type ParkedEvent = { follower: string; sequence: number; eventId: string; error: string }

export const insertParkedEvent = (tx: Tx, orgId: OrgId, { follower, sequence, eventId, error }: ParkedEvent) => tx.run`
  insert into parked_events (org_id, follower, sequence, event_id, error)
  values (${orgId}, ${follower}, ${sequence}, ${eventId}, ${error}) on conflict do nothing`

/** Of all organizations, for as long as their events are kept. */
export const countParkedEvents = async (queries: Queries): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(org_id)::int as count from parked_events where parked_at > now() - make_interval(days => ${EVENT_RETENTION_DAYS})`
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

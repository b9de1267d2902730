import type { OrgId } from '../../kernel/ids.ts'
import { shiftTime } from '../cluster/time-shifts.ts'
import type { Database, Queries } from '../database/database.ts'
import type { LaneKey } from './ack.sql.ts'
import { allWorkingLanes, nextDueOf, waitingByLane } from './claim.sql.ts'
import { isOneOf } from './entries.sql.ts'
import type { LaneOfOrg } from './grants.sql.ts'
import type { Breaker } from './lane-health.ts'

/** The statements that put right what a crash, a lost notification or a mistake left behind. */

/** Counts the leases and grants of lanes. The caller has locked them; after that this is true whatever happened before. */
export const refreshLanes = (tx: Queries, orgId: OrgId, laneIds: string[]) => tx.run`
  update outbox_lanes l
  set in_flight = counted.total,
      bulk_in_flight = counted.bulk,
      granted = held.slots,
      granted_rate = held.rate
  from unnest(${laneIds}::text[]) as locked (id)
  cross join lateral (
    select count(*)::int as total, (count(*) filter (where e.class = 2))::int as bulk
    from outbox_entries e
    where e.org_id = ${orgId} and e.lane_id = locked.id and e.state = 'leased' and not e.is_granted
  ) counted
  cross join lateral (
    select coalesce(sum(g.slots), 0)::int as slots, coalesce(sum(g.rate), 0) as rate
    from outbox_grants g where g.org_id = ${orgId} and g.lane_id = locked.id
  ) held
  where l.org_id = ${orgId} and l.id = locked.id`

/**
 * A lease is lost when it ran out, or when the process that holds it is dead (platform/cluster). Such a process may have
 * been given a minute; but what it holds counts against the caps of lane and tenant all that time. One that never gave a
 * sign of life is judged by its leases alone. Both by PostgreSQL's clock, which stamped them.
 */
const isLost = (db: Queries, deadIds: readonly string[]) =>
  db.part`state = 'leased' and (lease_until <= now() or leased_by = any(${[...deadIds]}::text[]))`

/** All leases are read; there are never more than what is in flight. */
export const listExpiredLanes = (db: Queries, deadIds: readonly string[]) => db.many<LaneOfOrg>`
  select distinct org_id, lane_id from outbox_entries where ${isLost(db, deadIds)} order by org_id, lane_id limit 200`

export type Lost = { laneIds: string[]; deadIds: readonly string[] }

export type ReapedRow = { id: string; lane_id: string; order_key: string | null }

/** An expired lease whose entry was cancelled meanwhile ends here; the cancellation is already recorded. */
export const deleteExpired = (tx: Queries, orgId: OrgId, { laneIds, deadIds }: Lost) => tx.many<ReapedRow>`
  delete from outbox_entries
  where org_id = ${orgId} and lane_id = any(${laneIds}::text[]) and ${isLost(tx, deadIds)} and on_release = 'cancel'
  returning id, lane_id, order_key`

/** The attempt stays counted: it may have been made. A fresh entry comes back as a retry, which is what it now is. */
export const returnExpired = (
  tx: Queries,
  orgId: OrgId,
  { laneIds, deadIds, now }: Lost & { now: Date },
) => tx.many<ReapedRow>`
  update outbox_entries
  set state = case when on_release = 'hold' then 'held' else 'waiting' end,
      class = greatest(class, 1), due_at = ${now}, reason = 'lease_expired',
      lease_until = null, leased_by = null, on_release = null, is_granted = false
  where org_id = ${orgId} and lane_id = any(${laneIds}::text[]) and ${isLost(tx, deadIds)}
  returning id, lane_id, order_key`

/** Lanes whose counters do not match their leases. One statement, one snapshot: what it finds is really so. */
export const listDriftedLanes = (db: Queries) => db.many<LaneOfOrg>`
  with leased as (
    select org_id, lane_id, count(*)::int as total, (count(*) filter (where class = 2))::int as bulk
    from outbox_entries where state = 'leased' and not is_granted group by org_id, lane_id
  ),
  held as (select org_id, lane_id, sum(slots)::int as slots from outbox_grants group by org_id, lane_id)
  select l.org_id, l.id as lane_id from outbox_lanes l
  left join leased on leased.org_id = l.org_id and leased.lane_id = l.id
  left join held on held.org_id = l.org_id and held.lane_id = l.id
  where (l.in_flight + l.granted > 0 or leased.lane_id is not null or held.lane_id is not null)
    and (l.in_flight, l.bulk_in_flight, l.granted)
      is distinct from (coalesce(leased.total, 0), coalesce(leased.bulk, 0), coalesce(held.slots, 0))
  order by l.org_id, l.id limit 500`

export type Renewal = { id: string; leaseNumber: number; leaseMs: number }

const renewedUntil = (db: Queries) => shiftTime(db, db.part`now()`, db.part`renewal.lease_ms * interval '1 ms'`)

/** Without the lane's lock: only the end of a live lease moves, and no other statement touches a live lease's end. */
export const renewLeases = (db: Queries, orgId: OrgId, renewals: Renewal[]) => db.many<{ id: string }>`
  update outbox_entries e set lease_until = ${renewedUntil(db)}
  from unnest(
    ${renewals.map((renewal) => renewal.id)}::text[], ${renewals.map((renewal) => renewal.leaseNumber)}::int[],
    ${renewals.map((renewal) => renewal.leaseMs)}::int[]
  ) as renewal(id, lease_number, lease_ms)
  where e.org_id = ${orgId} and e.id = renewal.id and e.lease_number = renewal.lease_number and e.state = 'leased' and e.lease_until > now()
    and ${isOneOf(
      db,
      renewals.map((renewal) => renewal.id),
    )}
  returning e.id`

export type DueRow = { org_id: OrgId; due_at: Date | null; missing_lane_ids: string[] | null }

/**
 * The organizations with work that may go until then, and when the first of it may. Steps from lane to lane through the
 * index of waiting entries, one probe for each lane with work, however many entries it has and however many lanes are idle.
 */
export const listDue = (db: Queries, until: Date) =>
  db.isSharded() ? listDueOfShards(db, until) : listDueByLane(db, until)

const listDueByLane = (db: Queries, until: Date) => db.many<DueRow>`
  with recursive ${allWorkingLanes(db)}
  select working.org_id, min(greatest(next.due_at, l.blocked_until)) as due_at,
    array_agg(working.lane_id) filter (where l.id is null) as missing_lane_ids
  from working
  left join outbox_lanes l on l.org_id = working.org_id and l.id = working.lane_id
  left join lateral (select l.id, l.bulk_in_flight < l.bulk_concurrency_max as has_bulk_room) lane on true
  left join lateral (${nextDueOf(db, db.part`working.org_id`)}) next on l.id is not null
  where l.id is null
    or (l.state = 'open' and l.in_flight + l.granted < l.slots and greatest(next.due_at, l.blocked_until) <= ${until})
  group by working.org_id`

/** The same in a cluster, where no statement steps from shard to shard: each shard reads the index of what waits on it. */
const listDueOfShards = (db: Queries, until: Date) => db.many<DueRow>`
  select waiting.org_id, min(greatest(next.due_at, l.blocked_until)) filter (where l.id is not null) as due_at,
    array_agg(waiting.lane_id) filter (where l.id is null) as missing_lane_ids
  from ${waitingByLane(db)} waiting
  left join outbox_lanes l on l.org_id = waiting.org_id and l.id = waiting.lane_id
  cross join lateral (
    select case when l.bulk_in_flight < l.bulk_concurrency_max then waiting.due_at else waiting.other_due_at end as due_at) next
  where l.id is null
    or (l.state = 'open' and l.in_flight + l.granted < l.slots and greatest(next.due_at, l.blocked_until) <= ${until})
  group by waiting.org_id`

export const deleteKeyGaps = (db: Queries, now: Date) => db.run`
  delete from outbox_key_gaps where free_at <= ${now}`

/** Leaves out what another process is vacuuming, and keeps the files at their size: they fill up again at once. */
export const vacuumOutbox = (database: Database) =>
  database.script('vacuum (skip_locked, truncate false) outbox_lanes, outbox_entries, outbox_grants, outbox_key_gaps')

export const keysOf = (rows: ReapedRow[]): LaneKey[] =>
  rows.flatMap((row) => (row.order_key === null ? [] : [{ laneId: row.lane_id, orderKey: row.order_key }]))

/** Due now, in open lanes and others alike: what waits in a paused lane is still due. */
export const countBacklog = (db: Queries, countMax: number, now: Date) =>
  db.one<{ due: number; oldest_due_at: Date | null }>`
    select count(*)::int as due, min(due_at) as oldest_due_at
    from (select due_at from outbox_entries where state = 'waiting' and due_at <= ${now} limit ${countMax + 1}) counted`

/** Shards on a node that is away are left out. */
const deadRowsOfShards = (db: Queries) => db.part`(
  select coalesce(sum(result::bigint) filter (where success), 0)::bigint
  from run_command_on_shards('outbox_entries', 'select pg_stat_get_dead_tuples(''%s''::regclass)'))`

/** Rows that are dead make every claim slower; a transaction that is left open keeps them from being cleared away. */
export const findBloat = (db: Queries) => db.one<{ dead_rows: number; oldest_transaction_ms: number }>`
  select
    ${db.isSharded() ? deadRowsOfShards(db) : db.part`pg_stat_get_dead_tuples('outbox_entries'::regclass)`} as dead_rows,
    coalesce((
      select extract(epoch from clock_timestamp() - min(xact_start)) * 1000 from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    ), 0)::float8 as oldest_transaction_ms`

export type BusyLaneRow = { id: string; org_id: OrgId; kind: string; in_flight: number; slots: number }

export const listBusyLanes = (db: Queries) => db.many<BusyLaneRow>`
  select l.id, l.org_id, l.kind, leased.count as in_flight, l.slots
  from (
    select org_id, lane_id, count(*)::int as count from outbox_entries where state = 'leased' group by org_id, lane_id
  ) leased join outbox_lanes l on l.org_id = leased.org_id and l.id = leased.lane_id
  order by l.org_id, l.id limit 10000`

export type UnwellLaneRow = { id: string; org_id: OrgId; kind: string; breaker: Breaker; blocked_until: Date | null }

export const listUnwellLanes = (db: Queries) => db.many<UnwellLaneRow>`
  select id, org_id, kind, breaker, blocked_until from outbox_lanes where breaker <> 'closed' order by org_id, id limit 10000`

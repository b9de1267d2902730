import { deadProcessIds } from '../cluster/live-processes.sql.ts'
import type { Database, Queries } from '../database/database.ts'
import type { LaneKey } from './ack.sql.ts'
import { nextDueOf } from './outbox.sql.ts'

/** The statements that put right what a crash, a lost notification or a mistake left behind. */

/**
 * Counts a lane's leases and finds where it stands, from its entries alone. The caller has locked the lanes; after that
 * this is true whatever happened before.
 */
export const refreshLanes = (tx: Queries, laneIds: string[], now: Date) => tx.run`
  update outbox_lanes l
  set in_flight = counted.total,
      bulk_in_flight = counted.bulk,
      granted = coalesce((select sum(g.slots)::int from outbox_grants g where g.lane_id = locked.id), 0),
      granted_rate = coalesce((select sum(g.rate) from outbox_grants g where g.lane_id = locked.id), 0),
      is_ready = coalesce(next.due_at <= ${now}, false) and coalesce(l.blocked_until <= ${now}, true),
      wakes_at = case when next.due_at is not null then greatest(next.due_at, l.blocked_until) end
  from outbox_lanes locked
  cross join lateral (
    select count(*)::int as total, (count(*) filter (where e.class = 2))::int as bulk
    from outbox_entries e where e.lane_id = locked.id and e.state = 'leased' and not e.is_granted
  ) counted
  cross join lateral (
    ${nextDueOf(tx, tx.part`locked.id`, tx.part`counted.bulk < locked.bulk_concurrency_max`)}
  ) next
  where locked.id = any(${laneIds}::text[]) and l.id = locked.id`

/**
 * A lease is lost when it ran out, or when the process that holds it is dead (platform/cluster). Such a process may have
 * been given a minute; but what it holds counts against the caps of lane and tenant all that time. One that never gave a
 * sign of life is judged by its leases alone. Both by PostgreSQL's clock, which stamped them.
 */
const isLost = (db: Queries) =>
  db.part`state = 'leased' and (lease_until <= now() or leased_by in (${deadProcessIds(db)}))`

/** All leases are read; there are never more than what is in flight. */
export const listExpiredLanes = (db: Queries) => db.many<{ lane_id: string }>`
  select distinct lane_id from outbox_entries where ${isLost(db)} order by lane_id limit 200`

export type ReapedRow = { id: string; lane_id: string; order_key: string | null }

/** An expired lease whose entry somebody wanted cancelled meanwhile ends here; they have already written that down. */
export const deleteExpired = (tx: Queries, laneIds: string[]) => tx.many<ReapedRow>`
  delete from outbox_entries
  where lane_id = any(${laneIds}::text[]) and ${isLost(tx)} and on_release = 'cancel'
  returning id, lane_id, order_key`

/** The attempt stays counted: it may have been made. A fresh entry comes back as a retry, which is what it now is. */
export const returnExpired = (tx: Queries, laneIds: string[], now: Date) => tx.many<ReapedRow>`
  update outbox_entries
  set state = case when on_release = 'hold' then 'held' else 'waiting' end,
      class = greatest(class, 1), due_at = ${now}, reason = 'lease_expired',
      lease_until = null, leased_by = null, on_release = null, is_granted = false
  where lane_id = any(${laneIds}::text[]) and ${isLost(tx)}
  returning id, lane_id, order_key`

/** Lanes whose counters do not match their leases. One statement, one snapshot: what it finds is really so. */
export const listDriftedLanes = (db: Queries) => db.many<{ id: string }>`
  with leased as (
    select lane_id, count(*)::int as total, (count(*) filter (where class = 2))::int as bulk
    from outbox_entries where state = 'leased' and not is_granted group by lane_id
  ),
  held as (select lane_id, sum(slots)::int as slots from outbox_grants group by lane_id)
  select l.id from outbox_lanes l
  left join leased on leased.lane_id = l.id left join held on held.lane_id = l.id
  where (l.in_flight + l.granted > 0 or leased.lane_id is not null or held.lane_id is not null)
    and (l.in_flight, l.bulk_in_flight, l.granted)
      is distinct from (coalesce(leased.total, 0), coalesce(leased.bulk, 0), coalesce(held.slots, 0))
  order by l.id limit 500`

export type Renewal = { id: string; leaseNumber: number; leaseMs: number }

/** Without the lane's lock: only the end of a live lease moves, and nobody else touches a live lease's end. */
export const renewLeases = (db: Queries, renewals: Renewal[]) => db.many<{ id: string }>`
  update outbox_entries e set lease_until = clock_timestamp() + renewal.lease_ms * interval '1 ms'
  from unnest(
    ${renewals.map((renewal) => renewal.id)}::text[], ${renewals.map((renewal) => renewal.leaseNumber)}::int[],
    ${renewals.map((renewal) => renewal.leaseMs)}::int[]
  ) as renewal(id, lease_number, lease_ms)
  where e.id = renewal.id and e.lease_number = renewal.lease_number and e.state = 'leased' and e.lease_until > now()
  returning e.id`

export type SleeperRow = { lane_id: string; is_missing: boolean }

/**
 * Lanes with waiting entries that nobody is going to look at in time. Steps from lane to lane through the index of waiting
 * entries, one probe for each lane with work, however many entries it has and however many lanes are idle.
 */
export const listSleepers = (db: Queries, now: Date) => db.many<SleeperRow>`
  with recursive working(lane_id) as (
    (select lane_id from outbox_entries where state = 'waiting' order by lane_id limit 1)
    union all
    select (
      select e.lane_id from outbox_entries e
      where e.state = 'waiting' and e.lane_id > working.lane_id
      order by e.lane_id limit 1)
    from working where working.lane_id is not null
  )
  select working.lane_id, l.id is null as is_missing
  from working
  left join outbox_lanes l on l.id = working.lane_id
  left join lateral (
    ${nextDueOf(db, db.part`working.lane_id`, db.part`l.bulk_in_flight < l.bulk_concurrency_max`, db.part`not l.is_ready and l.state = 'open'`)}
  ) next on true
  where working.lane_id is not null
    and (l.id is null or (not l.is_ready and l.state = 'open'
      and greatest(next.due_at, l.blocked_until) < coalesce(l.wakes_at, 'infinity')
      and (l.wakes_at is null or l.wakes_at > ${now})))`

export const deleteKeyGaps = (db: Queries, now: Date) => db.run`
  delete from outbox_key_gaps where free_at <= ${now}`

/** Leaves out what another process is vacuuming, and keeps the files at their size: they fill up again at once. */
export const vacuumOutbox = (database: Database) =>
  database.script('vacuum (skip_locked, truncate false) outbox_lanes, outbox_entries, outbox_grants, outbox_key_gaps')

export const keysOf = (rows: ReapedRow[]): LaneKey[] =>
  rows.flatMap((row) => (row.order_key === null ? [] : [{ laneId: row.lane_id, orderKey: row.order_key }]))

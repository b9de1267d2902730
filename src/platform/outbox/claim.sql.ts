import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import { fromHome, homeOrg } from '../database/organization-filter.ts'
import type { Breaker } from './lane-health.ts'
import { halfOf, type Load, type Pool, SILENT_CAPS, SILENT_MS } from './pools.ts'

/**
 * The statements of a claim, in the order they run in its one transaction. All of them are about one organization.
 *
 * One rule keeps all of this free of races: what changes an entry (claim, acknowledgement, reaper, cancel, hold) first
 * locks its lane's row, and looks at entries in a later statement, whose snapshot is then younger than the lock. A claim and
 * the reaper skip lanes that are locked and come back; all others wait for them in id order. Enqueueing locks nothing.
 *
 * Every time but that of a lease is a parameter, so a test can hold the clock still.
 *
 * Rejected:
 *   - one claim for all organizations: on a cluster each lives on one machine, and its work must be claimed there.
 *   - a mark on each lane for "has work": every claim and acknowledgement wrote it, and a lost one needed a search.
 *   - taking the oldest due entries over all lanes: one stuck lane with 100,000 entries hides all others.
 *   - a counter row per organization: every acknowledgement would queue for it. The sum over its busy lanes, under an
 *     advisory lock that only claims take, costs one index range and writes nothing.
 */

/**
 * Sixteen turns of a busy lane, dealt by class: every fourth is a retry's, one is bulk's, the others are fresh. Turns of a
 * class with nothing due go to the next in line, so this is a floor, not a share.
 */
export const TURNS = 16
const FRESH_TURNS = [0, 1, 2, 4, 5, 6, 9, 10, 12, 13, 14]
const RETRY_TURNS = [3, 7, 11, 15]
const BULK_TURNS = [8]

/** The first half of an advisory lock's key; the other half is the tenant. Arbitrary, but ours alone. */
const TENANT_LOCK_CLASS = 0x6f7562

/**
 * Whether no other claim of this organization runs, until the end of the transaction. No statement of it waits for a lock
 * longer than `lockMs`, and each is planned once per connection instead of at every call, without the just-in-time compiler,
 * which would take longer than the statement. To a connection that plans while the outbox is empty everything looks cheap: a
 * scan of the table, or of all entries of the organization with a sort. Neither is allowed, so a plan reads the entries of
 * a lane in the order of its index and stops where it has enough, whatever the backlog is later. In a cluster a plan is made for
 * each call: it depends on the organization where the statement runs.
 */
export const beginClaim = (
  tx: Queries,
  orgId: OrgId,
  { lockMs, isSharded }: { lockMs: number; isSharded: boolean },
) => tx.one<{ is_locked: boolean }>`
  select set_config('lock_timeout', ${String(lockMs)}, true), set_config('plan_cache_mode', ${isSharded ? 'auto' : 'force_generic_plan'}, true),
         set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true), ${tryLock(tx, orgId)} as is_locked`

const tryLock = (tx: Queries, orgId: OrgId) =>
  tx.part`pg_try_advisory_xact_lock(${TENANT_LOCK_CLASS}::int, hashtext(${orgId}))`

/** The same for those who count what an organization has in flight without claiming; they wait for a claim to end. */
export const lockTenant = (tx: Queries, orgId: OrgId) => tx.run`
  select pg_advisory_xact_lock(${TENANT_LOCK_CLASS}::int, hashtext(${orgId}))`

export type TurnLaneRow = {
  id: string
  pool: Pool
  destination: string | null
  answered_at: Date | null
  slots: number
  in_flight: number
  /** Slots that processes hold (grants.ts). */
  granted: number
  bulk_concurrency_max: number
  bulk_in_flight: number
  ordering: 'none' | 'by_key'
  key_gap_ms: number
  rate_per_second: number | null
  rate_tokens: number | null
  rate_at: Date | null
  throttled_at: Date | null
  breaker: Breaker
  turn: number
  /** What its pool has in flight. */
  active: number
  silent: number
}

/** What each pool has in flight, by whether its lane answered or was served within the last second. Grants count as used. */
const loadsOf = (tx: Queries, orgId: OrgId, now: Date) => {
  const silentSince = new Date(now.getTime() - SILENT_MS)
  const isSilent = tx.part`served_at <= ${silentSince} and coalesce(answered_at <= ${silentSince}, true)`
  return tx.part`
    select pool,
      (coalesce(sum(in_flight) filter (where not (${isSilent})), 0) + sum(granted))::int as active,
      coalesce(sum(in_flight) filter (where ${isSilent}), 0)::int as silent
    from outbox_lanes where org_id = ${orgId} and in_flight + granted > 0
    group by pool`
}

export type PoolLoad = Load & { pool: Pool }

/** Sent after the lock is held, as a separate statement: one snapshot older and another's claim would be missed. */
export const sumInFlight = (tx: Queries, orgId: OrgId, now: Date) => tx.many<PoolLoad>`${loadsOf(tx, orgId, now)}`

/** The lanes of an organization in which something waits: one step through the index from each to the next. */
const workingLanes = (tx: Queries, orgId: OrgId) => tx.part`
  working(lane_id) as (
    (select lane_id from outbox_entries where org_id = ${orgId} and state = 'waiting' order by lane_id limit 1)
    union all
    select (
      select e.lane_id from outbox_entries e
      where e.org_id = ${orgId} and e.state = 'waiting' and e.lane_id > working.lane_id
      order by e.lane_id limit 1)
    from working where working.lane_id is not null
  )`

/** The same over all organizations, for those who look at all of them. */
export const allWorkingLanes = (db: Queries) => db.part`
  working(org_id, lane_id) as (
    (select org_id, lane_id from outbox_entries where state = 'waiting' order by org_id, lane_id limit 1)
    union all
    select next.* from working cross join lateral (
      select e.org_id, e.lane_id from outbox_entries e
      where e.state = 'waiting' and (e.org_id, e.lane_id) > (working.org_id, working.lane_id)
      order by e.org_id, e.lane_id limit 1) next
  )`

/** Lanes with waiting entries, each with its earliest: over all, and without bulk. For a cluster, where each shard answers for itself. */
export const waitingByLane = (db: Queries) => db.part`(
  select org_id, lane_id, min(due_at) as due_at, min(due_at) filter (where class < 2) as other_due_at,
    max(due_at) filter (where class < 2) as last_due_at
  from outbox_entries where state = 'waiting' group by org_id, lane_id)`

export type TurnRequest = {
  orgId: OrgId
  lanesMax: number
  tenantInFlightMax: number
  fullPools: readonly Pool[]
  fullDestinations: readonly string[]
  now: Date
}

export type TurnRow = (TurnLaneRow | { id: null }) & {
  /** How many lanes should have been in the answer; those that are not are locked elsewhere. */
  wanted: number
  /** Whether lanes with work that is due were left out because something else is full. */
  is_held_back: boolean
  /** When the next lane is due that is not yet. */
  next_at: Date | null
}

/**
 * The lanes with due work and room, least recently served first, leaving out what is full, and of pools that are used to half the
 * lanes that have something in flight and do not answer: they would lead the queue and get nothing. One row without an id
 * when there is none.
 */
export const lockTurn = (tx: Queries, request: TurnRequest) => tx.many<TurnRow>`
  with recursive ${workingLanes(tx, request.orgId)},
  loads as materialized (${loadsOf(tx, request.orgId, request.now)}),
  full_pools as materialized (
    select pool from loads
    where active + least(silent, ${halfOf(request.tenantInFlightMax)}::int) >= ${request.tenantInFlightMax}::int
      or silent >= ${SILENT_CAPS * request.tenantInFlightMax}::int
  ),
  half_used as materialized (
    select pool from loads where active + silent >= ${halfOf(request.tenantInFlightMax)}::int
  ),
  open as materialized (
    select l.id, l.served_at, greatest(next.due_at, l.blocked_until) as next_at,
      l.pool not in (select pool from full_pools)
        and l.pool <> all(${request.fullPools}::text[])
        and coalesce(l.destination <> all(${request.fullDestinations}::text[]), true)
        and not (l.in_flight > 0 and coalesce(l.answered_at <= ${new Date(request.now.getTime() - SILENT_MS)}, true)
          and l.pool in (select pool from half_used)) as has_room
    from working
    join outbox_lanes l on l.org_id = ${request.orgId} and l.id = working.lane_id
    cross join lateral (select l.id, l.bulk_in_flight < l.bulk_concurrency_max as has_bulk_room) lane
    cross join lateral (${nextDueOf(tx, request.orgId)}) next
    where l.state = 'open' and l.in_flight + l.granted < l.slots and next.due_at is not null
  ),
  wanted as materialized (
    select id from open where next_at <= ${request.now} and has_room order by served_at, id limit ${request.lanesMax}
  ),
  locked as materialized (
    select id, pool, destination, answered_at, slots, in_flight, granted, bulk_concurrency_max,
           bulk_in_flight, ordering, key_gap_ms, rate_per_second - granted_rate as rate_per_second, rate_tokens, rate_at,
           throttled_at, breaker, turn, served_at
    from outbox_lanes
    where org_id = ${request.orgId} and id = any(array(select id from wanted))
      and state = 'open' and in_flight + granted < slots and coalesce(blocked_until <= ${request.now}, true)
    order by served_at, id
    for update skip locked
  )
  select locked.*, coalesce(loads.active, 0) as active, coalesce(loads.silent, 0) as silent,
    (select count(*) from wanted)::int as wanted,
    (select count(*) from open where next_at <= ${request.now}) > (select count(*) from wanted) as is_held_back,
    (select min(next_at) from open where next_at > ${request.now}) as next_at
  from (values (1)) as once left join locked on true left join loads on loads.pool = locked.pool
  order by locked.served_at, locked.id`

export type LaneRoom = {
  laneId: string
  pool: Pool
  /** What its pool may have more in flight. */
  poolRoom: number
  room: number
  bulkRoom: number
  turn: number
  isProbe: boolean
  isOrdered: boolean
  /** How far an ordered lane looks past entries that must wait for an earlier one of their key. What it meets is parked. */
  lookahead: number
  keyGapMs: number
}

export type LeaseRequest = {
  orgId: OrgId
  rooms: LaneRoom[]
  entriesMax: number
  jobNames: string[]
  jobLeasesMs: number[]
  unknownLeaseMs: number
  processId: string
  now: Date
}

export type LeasedRow = {
  state: 'leased'
  id: string
  lane_id: string
  job: string
  class: number
  order_key: string | null
  attempt: number
  lease_number: number
  due_at: Date
  enqueued_at: Date
  payload: unknown
  traceparent: string | null
}

/** A lane in which entries were put off, with nothing else filled in. */
export type PutOffRow = { state: 'behind' | 'postponed'; lane_id: string }

/**
 * Takes what fits, in three parts: what is due and may go, who of those gets a turn, and the changes.
 *
 * The entries are changed through an array of ids, each by one look into the primary key. A join has the planner read the
 * whole table when a lane holds a large part of it (95 ms instead of 5), and for an array of ctids it may prefer to read all
 * entries of the organization.
 */
export const leaseEntries = (tx: Queries, request: LeaseRequest) => tx.many<LeasedRow | PutOffRow>`
  with ${judgedEntries(tx, request)},
  ${pickedEntries(tx, request)},
  gaps as (
    insert into outbox_key_gaps (org_id, lane_id, order_key, free_at)
    select ${homeOrg(tx, request.orgId)}, lane_id, order_key, ${request.now}::timestamptz + key_gap_ms * interval '1 ms'
    from ${fromHome(tx, request.orgId)} picked where key_gap_ms > 0 and order_key is not null
    on conflict (org_id, lane_id, order_key) do update set free_at = excluded.free_at
  ),
  parked as (
    update outbox_entries set state = 'behind'
    where org_id = ${request.orgId} and id = any(array(select id from judged where is_behind))
    returning lane_id
  ),
  postponed as (
    update outbox_entries e set due_at = gap.free_at
    from outbox_key_gaps gap
    where e.org_id = ${request.orgId} and e.id = any(array(select id from judged where not is_behind and free_at is not null))
      and gap.org_id = ${request.orgId} and gap.lane_id = e.lane_id and gap.order_key = e.order_key
    returning e.lane_id
  ),
  jobs(name, lease_ms) as (
    select * from unnest(${request.jobNames}::text[], ${request.jobLeasesMs}::int[])
  ),
  leased as (
    update outbox_entries e
    set state = 'leased', attempt = e.attempt + 1, lease_number = e.lease_number + 1, leased_by = ${request.processId},
        lease_until = now() + interval '1 ms' *
          coalesce((select lease_ms from jobs where name = e.job), ${request.unknownLeaseMs})
    where e.org_id = ${request.orgId} and e.id = any(array(select id from picked))
    returning e.id, e.lane_id, e.job, e.class, e.order_key, e.attempt, e.lease_number, e.due_at, e.enqueued_at, e.payload,
      e.traceparent
  )
  select 'leased' as state, leased.* from leased
  union all
  select put_off.state, null, put_off.lane_id, null, null, null, null, null, null, null, null, null
  from (select 'behind' as state, lane_id from parked union select 'postponed', lane_id from postponed) put_off`

/**
 * `due`: each lane's earliest entries by class. `judged`: which of them must not go yet, because they are behind an earlier
 * one of their key (these are parked, so that they are met once and not at every claim) or within the key's gap (these
 * are moved to its end).
 */
const judgedEntries = (tx: Queries, { orgId, rooms, now }: LeaseRequest) => tx.part`
  rooms as materialized (
    select * from unnest(
      ${rooms.map((room) => room.laneId)}::text[], ${rooms.map((room) => room.pool)}::text[],
      ${rooms.map((room) => room.poolRoom)}::int[], ${rooms.map((room) => room.room)}::int[],
      ${rooms.map((room) => room.bulkRoom)}::int[], ${rooms.map((room) => room.turn)}::int[],
      ${rooms.map((room) => room.isProbe)}::bool[], ${rooms.map((room) => room.isOrdered)}::bool[],
      ${rooms.map((room) => room.lookahead)}::int[], ${rooms.map((room) => room.keyGapMs)}::int[]
    ) with ordinality
      as room(lane_id, pool, pool_room, room, bulk_room, turn, is_probe, is_ordered, lookahead, key_gap_ms, place)
  ),
  classes(class, turns) as (
    values (0, ${FRESH_TURNS}::int[]), (1, ${RETRY_TURNS}::int[]), (2, ${BULK_TURNS}::int[])
  ),
  due as materialized (
    select rooms.*, classes.class, classes.turns, entry.*
    from rooms cross join classes cross join lateral (
      select e.id, e.due_at, e.order_key, e.position
      from outbox_entries e
      where e.org_id = ${orgId} and e.lane_id = rooms.lane_id and e.class = classes.class and e.state = 'waiting' and e.due_at <= ${now}
      order by e.due_at, e.id
      limit rooms.lookahead + case when classes.class = 2 then rooms.bulk_room else rooms.room end
    ) entry
  ),
  judged as materialized (
    select due.*, gap.free_at,
      due.is_ordered and due.order_key is not null and (
        exists (select from outbox_entries other
          where other.org_id = ${orgId} and other.lane_id = due.lane_id and other.order_key = due.order_key and other.state = 'leased')
        or exists (select from outbox_entries other
          where other.org_id = ${orgId} and other.lane_id = due.lane_id and other.order_key = due.order_key
            and (other.position, other.id) < (due.position, due.id))
      ) as is_behind
    from due left join outbox_key_gaps gap
      on due.key_gap_ms > 0 and gap.org_id = ${orgId} and gap.lane_id = due.lane_id and gap.order_key = due.order_key and gap.free_at > ${now}
  )`

/**
 * `dealt`: the turn each entry that may go has within its lane, by class. `fitted`: its place among all lanes, everyone's
 * first before anyone's second. `picked`: cut at the pool's room and at the total.
 */
const pickedEntries = (tx: Queries, { entriesMax }: LeaseRequest) => tx.part`
  free as (
    select judged.*, row_number() over (partition by lane_id, class order by due_at, id) - 1 as nth
    from judged where not is_behind and free_at is null
  ),
  numbered as (
    select free.*, width_bucket(turn - 1, turns) + nth as number, cardinality(turns) as turns_count
    from free where class <> 2 or nth < bulk_room
  ),
  dealt as (
    select numbered.*, row_number() over (partition by lane_id order by
      case when is_probe then 0 else ${TURNS}::int * (number / turns_count) + turns[1 + number % turns_count] end,
      due_at, id) as seat
    from numbered
  ),
  fitted as (
    select dealt.*,
      row_number() over (partition by pool order by seat, place) as pool_nth,
      row_number() over (order by seat, place) as overall_nth
    from dealt where seat <= room
  ),
  picked as materialized (
    select id, lane_id, order_key, key_gap_ms from fitted
    where pool_nth <= pool_room and overall_nth <= ${entriesMax}
  )`

export type LaneServed = {
  laneId: string
  taken: number
  bulkTaken: number
  hasBulkRoom: boolean
  turn: number
  tokens: number | null
  throttledUntil: Date | null
}

/** After the leases: counters, the bucket, and whether something that is due is left in each. */
export const moveServedLanes = (tx: Queries, orgId: OrgId, { lanes, now }: { lanes: LaneServed[]; now: Date }) =>
  tx.many<{ id: string; has_more: boolean }>`
    update outbox_lanes l
    set in_flight = l.in_flight + lane.taken, bulk_in_flight = l.bulk_in_flight + lane.bulk_taken,
        turn = lane.turn, rate_tokens = lane.tokens, rate_at = ${now},
        throttled_at = case when lane.throttled_until is not null then coalesce(l.throttled_at, ${now}) end,
        blocked_until = lane.throttled_until,
        blocked_reason = case when lane.throttled_until is not null then 'throttled' end,
        breaker = case when l.breaker = 'open' and lane.taken > 0 then 'half_open' else l.breaker end,
        served_at = case when lane.taken > 0 then ${now} else l.served_at end
    from unnest(
      ${lanes.map((lane) => lane.laneId)}::text[], ${lanes.map((lane) => lane.taken)}::int[],
      ${lanes.map((lane) => lane.bulkTaken)}::int[], ${lanes.map((lane) => lane.hasBulkRoom)}::bool[],
      ${lanes.map((lane) => lane.turn)}::smallint[], ${lanes.map((lane) => lane.tokens)}::float8[],
      ${lanes.map((lane) => lane.throttledUntil)}::timestamptz[]
    ) as lane(id, taken, bulk_taken, has_bulk_room, turn, tokens, throttled_until)
    cross join lateral (${nextDueOf(tx, orgId)}) next
    where l.org_id = ${orgId} and l.id = lane.id
    returning l.id, lane.throttled_until is null and coalesce(next.due_at <= ${now}, false) as has_more`

/**
 * The earliest waiting entry of `lane (id, has_bulk_room)`, by one index probe per class. Bulk does not count while its own
 * cap is used up.
 */
export const nextDueOf = (tx: Queries, orgId: unknown) => tx.part`
  select min(first.due_at) as due_at
  from (values (0), (1), (2)) as classes(class)
  cross join lateral (
    select e.due_at from outbox_entries e
    where e.org_id = ${orgId} and e.lane_id = lane.id and e.class = classes.class and e.state = 'waiting'
    order by e.due_at limit 1
  ) first
  where classes.class < 2 or lane.has_bulk_room`

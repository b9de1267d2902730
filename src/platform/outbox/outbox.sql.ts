import type { Queries } from '../database/database.ts'
import type { Breaker } from './lane-health.ts'
import { halfOf, type Load, type Pool, SILENT_CAPS, SILENT_MS } from './pools.ts'

/**
 * The statements of a claim, in the order they run in its one transaction.
 *
 * One rule keeps all of this free of races: whoever changes an entry (claim, acknowledgement, reaper, cancel, hold) first
 * locks its lane's row, and looks at entries in a later statement, whose snapshot is then younger than the lock. A claim,
 * the reaper and the scout skip lanes that are locked and come back; everyone else waits for them in id order.
 * Enqueueing locks nothing.
 *
 * Every time but that of a lease is a parameter, so a test can hold the clock still.
 *
 * Measured on 2 shared cores, PostgreSQL 18, execution time of all statements of a claim together:
 *   10,000 lanes holding 100,000 entries, 40,000 idle lanes beside them, 256 entries from 32 lanes: 7.5 ms
 *   one lane holding 100,000 entries, 50,000 idle lanes beside it: 8 entries 1.3 ms, 256 entries 12 ms
 * and through claim, empty handler and acknowledgement in one process 7,000 to 9,000 entries a second in both cases.
 * Rejected:
 *   - `exists (entry due)` per lane in served_at order: walks every idle lane, 40,000 index probes when little is due.
 *   - taking the oldest due entries over all lanes: one stuck lane with 100,000 entries hides all others.
 *   - a counter row per tenant: every acknowledgement of a tenant would queue for it. The sum over its busy lanes, under
 *     an advisory lock that only claims take, costs one index range and writes nothing.
 *   - a next-due column maintained on enqueue: the insert would lock lane rows and wait for claims.
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
 * No statement of the transaction waits for a lock longer than `lockMs`. And until its end, or `unsettlePlans`: plan each statement once per connection instead of at every
 * call, never as a scan of a whole table, which is what looks cheapest to a connection that first planned while the outbox
 * was empty, and without the just-in-time compiler, which would take longer than the statement. Planning was two thirds
 * of a small claim (3.5 against 1.8 s of PostgreSQL's time for the same fifty histories).
 */
export const settlePlans = (tx: Queries, lockMs: number) => tx.run`
  select set_config('lock_timeout', ${String(lockMs)}, true), set_config('plan_cache_mode', 'force_generic_plan', true),
         set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

/** No statement of the transaction waits for a lock longer than that. */
export const limitLockWaits = (tx: Queries, lockMs: number) => tx.run`
  select set_config('lock_timeout', ${String(lockMs)}, true)`

export const lockLanes = (tx: Queries, laneIds: string[]) => tx.run`
  select 1 from outbox_lanes where id = any(${laneIds}::text[]) order by id for update`

/** For those who come by again: without the lanes that are locked elsewhere, which are not in the answer. */
export const lockFreeLanes = async (tx: Queries, laneIds: string[]): Promise<string[]> =>
  (
    await tx.many<{ id: string }>`
      select id from outbox_lanes where id = any(${laneIds}::text[]) order by id for update skip locked`
  ).map((row) => row.id)

/**
 * Lanes that were said to have new work become ready. Answers with those that are locked elsewhere, which are left out: a
 * claim that holds such a lane may have looked too early and be about to put it to sleep, so they are to be roused again.
 */
export const rouseLanes = (tx: Queries, laneIds: string[], now: Date) => tx.many<{ id: string }>`
  with locked as materialized (
    select id from outbox_lanes where id = any(${laneIds}::text[]) order by id for update skip locked
  ),
  roused as (
    update outbox_lanes
    set is_ready = coalesce(blocked_until <= ${now}, true),
        wakes_at = case when blocked_until > ${now} then blocked_until else wakes_at end
    where id = any(array(select id from locked)) and not is_ready
  )
  select id from outbox_lanes where id = any(${laneIds}::text[]) and id not in (select id from locked)`

/** Lanes whose moment has come: a retry is due, a pause is over, a token is there. */
export const wakeDueLanes = (tx: Queries, now: Date) => tx.run`
  update outbox_lanes set is_ready = true
  where id = any(array(
    select id from outbox_lanes
    where not is_ready and state = 'open' and wakes_at is not null and wakes_at <= ${now}
    order by wakes_at limit 500 for update skip locked))`

export type ReadyLaneRow = {
  id: string
  org_id: string
  /** Organization and pool: whose slots it takes. */
  share: string
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
}

const shareOf = (tx: Queries) => tx.part`org_id || ' ' || pool`

/** What each share has in flight, by whether its lane answered or was served within the last second. Grants count as used. */
const loadsOf = (tx: Queries, now: Date, where: unknown) => {
  const silentSince = new Date(now.getTime() - SILENT_MS)
  const isSilent = tx.part`served_at <= ${silentSince} and coalesce(answered_at <= ${silentSince}, true)`
  return tx.part`
    select ${shareOf(tx)} as share,
      (coalesce(sum(in_flight) filter (where not (${isSilent})), 0) + sum(granted))::int as active,
      coalesce(sum(in_flight) filter (where ${isSilent}), 0)::int as silent
    from outbox_lanes where in_flight + granted > 0 and ${where}
    group by org_id, pool`
}

export type ReadyLanesRequest = {
  lanesMax: number
  tenantInFlightMax: number
  skipShares: string[]
  fullPools: readonly Pool[]
  fullDestinations: readonly string[]
  now: Date
}

/**
 * The least recently served lanes with room, leaving out what is full and what sits this one out, and of shares that are
 * used to half the lanes that have something in flight and do not answer: they would lead the queue and get nothing.
 */
export const lockReadyLanes = (tx: Queries, request: ReadyLanesRequest) => tx.many<ReadyLaneRow>`
  with loads as materialized (${loadsOf(tx, request.now, tx.part`true`)}),
  full_shares as materialized (
    select share from loads
    where active + least(silent, ${halfOf(request.tenantInFlightMax)}::int) >= ${request.tenantInFlightMax}::int
      or silent >= ${SILENT_CAPS * request.tenantInFlightMax}::int
  ),
  half_used as materialized (
    select share from loads where active + silent >= ${halfOf(request.tenantInFlightMax)}::int
  )
  select id, org_id, ${shareOf(tx)} as share, pool, destination, answered_at, slots, in_flight, granted, bulk_concurrency_max,
         bulk_in_flight, ordering, key_gap_ms, rate_per_second - granted_rate as rate_per_second, rate_tokens, rate_at,
         throttled_at, breaker, turn
  from outbox_lanes
  where is_ready and state = 'open' and in_flight + granted < slots
    and ${shareOf(tx)} <> all(${request.skipShares}::text[])
    and ${shareOf(tx)} not in (select share from full_shares)
    and pool <> all(${request.fullPools}::text[])
    and coalesce(destination <> all(${request.fullDestinations}::text[]), true)
    and not (in_flight > 0 and coalesce(answered_at <= ${new Date(request.now.getTime() - SILENT_MS)}, true)
      and ${shareOf(tx)} in (select share from half_used))
  order by served_at, id
  limit ${request.lanesMax}
  for update skip locked`

/** Until the end of the transaction no other claim adds to what these tenants have in flight. */
export const tryLockTenants = (tx: Queries, orgIds: string[]) => tx.many<{ org_id: string; is_locked: boolean }>`
  select org_id, pg_try_advisory_xact_lock(${TENANT_LOCK_CLASS}::int, hashtext(org_id)) as is_locked
  from unnest(${orgIds}::text[]) as org_id`

/** Sent after the locks are held, as a statement of its own: one snapshot older and a rival's claim would be missed. */
export const sumTenantsInFlight = (tx: Queries, orgIds: string[], now: Date) =>
  tx.many<TenantLoad>`${loadsOf(tx, now, tx.part`org_id = any(${orgIds}::text[])`)}`

export type TenantLoad = Load & { share: string }

export type LaneRoom = {
  laneId: string
  share: string
  /** What its share may have more in flight. */
  shareRoom: number
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
}

/** A lane in which entries were put off, with nothing else filled in. */
export type PutOffRow = { state: 'behind' | 'postponed'; lane_id: string }

/**
 * Takes what fits, in three parts: what is due and may go, who of those gets a turn, and the changes.
 *
 * The entries are changed through an array of ctids: nobody else moves them while the lane is locked, and a join, by id
 * or by ctid, has the planner read the whole table when a lane holds a large part of it (95 ms instead of 5).
 */
export const leaseEntries = (tx: Queries, request: LeaseRequest) => tx.many<LeasedRow | PutOffRow>`
  with ${judgedEntries(tx, request)},
  ${pickedEntries(tx, request)},
  gaps as (
    insert into outbox_key_gaps (lane_id, order_key, free_at)
    select lane_id, order_key, ${request.now}::timestamptz + key_gap_ms * interval '1 ms'
    from picked where key_gap_ms > 0 and order_key is not null
    on conflict (lane_id, order_key) do update set free_at = excluded.free_at
  ),
  parked as (
    update outbox_entries set state = 'behind'
    where ctid = any(array(select tid from judged where is_behind))
    returning lane_id
  ),
  postponed as (
    update outbox_entries e set due_at = gap.free_at
    from outbox_key_gaps gap
    where e.ctid = any(array(select tid from judged where not is_behind and free_at is not null))
      and gap.lane_id = e.lane_id and gap.order_key = e.order_key
    returning e.lane_id
  ),
  jobs(name, lease_ms) as (
    select * from unnest(${request.jobNames}::text[], ${request.jobLeasesMs}::int[])
  ),
  leased as (
    update outbox_entries e
    set state = 'leased', attempt = e.attempt + 1, lease_number = e.lease_number + 1, leased_by = ${request.processId},
        lease_until = clock_timestamp() + interval '1 ms' *
          coalesce((select lease_ms from jobs where name = e.job), ${request.unknownLeaseMs})
    where e.ctid = any(array(select tid from picked))
    returning e.id, e.lane_id, e.job, e.class, e.order_key, e.attempt, e.lease_number, e.due_at, e.enqueued_at, e.payload
  )
  select 'leased' as state, leased.* from leased
  union all
  select put_off.state, null, put_off.lane_id, null, null, null, null, null, null, null, null
  from (select 'behind' as state, lane_id from parked union select 'postponed', lane_id from postponed) put_off`

/**
 * `due`: each lane's earliest entries by class. `judged`: which of them must not go yet, because they are behind an earlier
 * one of their key (these are parked, so that they are met once and not at every claim) or within the key's gap (these
 * are moved to its end).
 */
const judgedEntries = (tx: Queries, { rooms, now }: LeaseRequest) => tx.part`
  rooms as materialized (
    select * from unnest(
      ${rooms.map((room) => room.laneId)}::text[], ${rooms.map((room) => room.share)}::text[],
      ${rooms.map((room) => room.shareRoom)}::int[], ${rooms.map((room) => room.room)}::int[],
      ${rooms.map((room) => room.bulkRoom)}::int[], ${rooms.map((room) => room.turn)}::int[],
      ${rooms.map((room) => room.isProbe)}::bool[], ${rooms.map((room) => room.isOrdered)}::bool[],
      ${rooms.map((room) => room.lookahead)}::int[], ${rooms.map((room) => room.keyGapMs)}::int[]
    ) with ordinality
      as room(lane_id, share, share_room, room, bulk_room, turn, is_probe, is_ordered, lookahead, key_gap_ms, place)
  ),
  classes(class, turns) as (
    values (0, ${FRESH_TURNS}::int[]), (1, ${RETRY_TURNS}::int[]), (2, ${BULK_TURNS}::int[])
  ),
  due as materialized (
    select rooms.*, classes.class, classes.turns, entry.*
    from rooms cross join classes cross join lateral (
      select e.ctid as tid, e.id, e.due_at, e.order_key, e.position
      from outbox_entries e
      where e.lane_id = rooms.lane_id and e.class = classes.class and e.state = 'waiting' and e.due_at <= ${now}
      order by e.due_at, e.id
      limit rooms.lookahead + case when classes.class = 2 then rooms.bulk_room else rooms.room end
    ) entry
  ),
  judged as materialized (
    select due.*, gap.free_at,
      due.is_ordered and due.order_key is not null and (
        exists (select from outbox_entries other
          where other.lane_id = due.lane_id and other.order_key = due.order_key and other.state = 'leased')
        or exists (select from outbox_entries other
          where other.lane_id = due.lane_id and other.order_key = due.order_key
            and (other.position, other.id) < (due.position, due.id))
      ) as is_behind
    from due left join outbox_key_gaps gap
      on due.key_gap_ms > 0 and gap.lane_id = due.lane_id and gap.order_key = due.order_key and gap.free_at > ${now}
  )`

/**
 * `dealt`: the turn each entry that may go has within its lane, by class. `fitted`: its place among all lanes, everyone's
 * first before anyone's second. `picked`: cut at the share's room and at the total.
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
      row_number() over (partition by share order by seat, place) as share_nth,
      row_number() over (order by seat, place) as overall_nth
    from dealt where seat <= room
  ),
  picked as materialized (
    select tid, lane_id, order_key, key_gap_ms from fitted
    where share_nth <= share_room and overall_nth <= ${entriesMax}
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

/** After the leases: counters, the bucket, and where the lane stands now. Answers with whether each is still ready. */
export const moveServedLanes = (tx: Queries, lanes: LaneServed[], now: Date) => tx.many<{
  id: string
  is_ready: boolean
}>`
  update outbox_lanes l
  set in_flight = l.in_flight + served.taken,
      bulk_in_flight = l.bulk_in_flight + served.bulk_taken,
      turn = served.turn,
      rate_tokens = served.tokens,
      rate_at = ${now},
      throttled_at = case when served.throttled_until is not null then coalesce(l.throttled_at, ${now}) end,
      blocked_until = served.throttled_until,
      blocked_reason = case when served.throttled_until is not null then 'throttled' end,
      breaker = case when l.breaker = 'open' and served.taken > 0 then 'half_open' else l.breaker end,
      served_at = case when served.taken > 0 then ${now} else l.served_at end,
      is_ready = served.throttled_until is null and coalesce(next.due_at <= ${now}, false),
      wakes_at = case when next.due_at is not null then greatest(next.due_at, served.throttled_until) end
  from unnest(
    ${lanes.map((lane) => lane.laneId)}::text[], ${lanes.map((lane) => lane.taken)}::int[],
    ${lanes.map((lane) => lane.bulkTaken)}::int[], ${lanes.map((lane) => lane.hasBulkRoom)}::bool[],
    ${lanes.map((lane) => lane.turn)}::smallint[], ${lanes.map((lane) => lane.tokens)}::float8[],
    ${lanes.map((lane) => lane.throttledUntil)}::timestamptz[]
  ) as served(id, taken, bulk_taken, has_bulk_room, turn, tokens, throttled_until)
  cross join lateral (${nextDueOf(tx, tx.part`served.id`, tx.part`served.has_bulk_room`)}) next
  where l.id = served.id
  returning l.id, l.is_ready`

/**
 * A lane's earliest waiting entry, by one index probe per class. Bulk does not count while its own cap is used up. The
 * conditions stand inside, where a false one saves the probe.
 */
export const nextDueOf = (
  tx: Queries,
  laneId: unknown,
  hasBulkRoom: unknown,
  isWanted: unknown = tx.part`true`,
) => tx.part`
  select min(first.due_at) as due_at
  from (values (0), (1), (2)) as classes(class)
  cross join lateral (
    select e.due_at from outbox_entries e
    where e.lane_id = ${laneId} and e.class = classes.class and e.state = 'waiting'
    order by e.due_at limit 1
  ) first
  where ${isWanted} and (classes.class < 2 or ${hasBulkRoom})`

export const findNextWake = (tx: Queries) => tx.one<{ wakes_at: Date | null }>`
  select min(wakes_at) as wakes_at from outbox_lanes
  where not is_ready and state = 'open' and wakes_at is not null`

import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import { unsizedList } from '../database/plain-lists.ts'
import { nextDueOf } from './claim.sql.ts'
import { BORN_LEASE, isOneOf } from './entries.sql.ts'
import type { Breaker, HealthMemory } from './lane-health.ts'

/** The statements of an acknowledgement. The lanes are locked first and in order, so two of them never wait in a ring. */
export type AckLaneRow = {
  id: string
  org_id: OrgId
  concurrency_max: number
  bulk_concurrency_max: number
  is_adaptive: boolean
  has_breaker: boolean
  concurrency: number
  bulk_in_flight: number
  breaker: Breaker
  health: Partial<HealthMemory>
  blocked_until: Date | null
  blocked_reason: string | null
}

/**
 * From here on no statement of the transaction waits for a lock longer than `lockMs`: rows are locked once the join has them. In a
 * cluster the setting would reach one node only, so the caller sets it before.
 */
export const lockAckLanes = (tx: Queries, orgId: OrgId, { laneIds, lockMs }: { laneIds: string[]; lockMs: number }) =>
  tx.many<AckLaneRow>`
    with waits as materialized (select set_config('lock_timeout', ${String(lockMs)}, true) as lock_timeout)
    select lane.id, lane.org_id, lane.concurrency_max, lane.bulk_concurrency_max, lane.is_adaptive, lane.has_breaker,
      lane.concurrency, lane.bulk_in_flight, lane.breaker, lane.health, lane.blocked_until, lane.blocked_reason
    from waits cross join outbox_lanes lane
    where waits.lock_timeout is not null and lane.org_id = ${orgId} and lane.id = any(${unsizedList(tx, tx.part`${laneIds}::text[]`)})
    order by lane.id for update of lane`

export type FencedRow = {
  id: string
  lease_number: number
  order_key: string | null
  on_release: 'cancel' | 'hold' | null
  is_granted: boolean
}

/** The fence: of the entries we ran, those whose lease is still the one we ran them under. */
export const findFenced = (
  tx: Queries,
  orgId: OrgId,
  { ids, leaseNumbers }: { ids: string[]; leaseNumbers: number[] },
) => tx.many<FencedRow>`
  select e.id, e.lease_number, e.order_key, e.on_release, e.is_granted
  from unnest(${ids}::text[], ${leaseNumbers}::int[]) as ran(id, lease_number)
  join outbox_entries e on e.org_id = ${orgId} and e.id = ran.id and e.lease_number = ran.lease_number and e.state = 'leased'
    and ${isOneOf(tx, ids)}`

/**
 * The fence and the end in one statement, for runs after which no entry comes back; what `unparkKeys` does is done with it. The
 * caller has locked the lanes in an earlier statement. `has_unparked`: the next of a key may go.
 */
export const endFenced = (
  tx: Queries,
  orgId: OrgId,
  { ids, leaseNumbers }: { ids: string[]; leaseNumbers: number[] },
) => tx.many<FencedRow & { has_unparked: boolean }>`
  with acked as (
    delete from outbox_entries e
    where e.org_id = ${orgId} and e.id = any(${unsizedList(tx, tx.part`${ids}::text[]`)}) and e.state = 'leased'
      and exists (
        select from unnest(${ids}::text[], ${leaseNumbers}::int[]) as ran(id, lease_number)
        where ran.id = e.id and ran.lease_number = e.lease_number)
    returning e.id, e.lane_id, e.lease_number, e.order_key, e.on_release, e.is_granted),
  unparked as (
    update outbox_entries e set state = 'waiting'
    where e.org_id = ${orgId} and e.state = 'behind' and e.id = any(array(
      select first.id from (select distinct lane_id, order_key from acked where order_key is not null) freed
      cross join lateral (
        select o.id from outbox_entries o
        where o.org_id = ${orgId} and o.lane_id = freed.lane_id and o.order_key = freed.order_key
          and o.id <> all(array(select id from acked))
        order by o.position, o.id limit 1
      ) first))
    returning e.id)
  select id, lease_number, order_key, on_release, is_granted, exists (select from unparked) as has_unparked from acked`

export const deleteEntries = (tx: Queries, orgId: OrgId, ids: string[]) => tx.run`
  delete from outbox_entries where org_id = ${orgId} and id = any(${ids}::text[])`

/**
 * Ends entries that were born leased on slots taken while they were recorded, and gives the slots back. The lanes are locked
 * first, as everywhere; the delete is the fence. `recorded` may refer to `acked (id)`. `has_more`: something that is due waits
 * in the lane.
 */
export const endLent = (
  queries: Queries,
  {
    orgId,
    laneIds,
    ids,
    processId,
    recorded,
    now,
  }: { orgId: OrgId; laneIds: string[]; ids: string[]; processId: string; recorded: unknown | null; now: Date },
) => queries.many<{ id: string; has_more: boolean }>`
  with locked as materialized (
    select id from outbox_lanes where org_id = ${orgId} and id = any(${laneIds}::text[]) order by id for update
  ),
  acked as (
    delete from outbox_entries
    where org_id = ${orgId} and id = any(${ids}::text[]) and lane_id = any(array(select id from locked))
      and lease_number = ${BORN_LEASE} and state = 'leased' and not is_granted and leased_by = ${processId}
    returning id, lane_id),
  answered as (
    update outbox_lanes l
    set in_flight = l.in_flight - done.count, answered_at = ${now},
        health = l.health || ${JSON.stringify({ lastSuccessMs: now.getTime() })}::text::jsonb
    from (select lane_id, count(*)::int as count from acked group by lane_id) done
    where l.org_id = ${orgId} and l.id = done.lane_id)
  ${recorded === null ? queries.part`` : queries.part`, ${recorded}`}
  select acked.id, next.due_at is not null and next.due_at <= ${now} as has_more
  from acked cross join lateral (select acked.lane_id as id, true as has_bulk_room) lane
  cross join lateral (${nextDueOf(queries, orgId)}) next`

/** Ends entries that were born leased; the delete is the fence. `recorded` may refer to `acked (id)`. */
export const endGranted = (
  queries: Queries,
  { orgId, ids, processId, recorded }: { orgId: OrgId; ids: string[]; processId: string; recorded: unknown | null },
) => queries.many<{ id: string }>`
  with acked as (
    delete from outbox_entries
    where org_id = ${orgId} and id = any(${unsizedList(queries, queries.part`${ids}::text[]`)}) and lease_number = ${BORN_LEASE}
      and state = 'leased' and is_granted and leased_by = ${processId}
    returning id)
  ${recorded === null ? queries.part`` : queries.part`, ${recorded}`}
  select id from acked`

export type EntryReturn = {
  id: string
  state: 'waiting' | 'held'
  class: number
  dueAt: Date
  attempt: number
  reason: string | null
  /** As JSON text; null keeps what is there. */
  payload: string | null
}

export const returnEntries = (tx: Queries, orgId: OrgId, entries: EntryReturn[]) => tx.run`
  update outbox_entries e
  set state = back.state, class = back.class, due_at = back.due_at, attempt = back.attempt, reason = back.reason,
      payload = coalesce(back.payload::jsonb, e.payload), lease_until = null, leased_by = null, on_release = null, is_granted = false
  from unnest(
    ${entries.map((entry) => entry.id)}::text[], ${entries.map((entry) => entry.state)}::text[],
    ${entries.map((entry) => entry.class)}::smallint[], ${entries.map((entry) => entry.dueAt)}::timestamptz[],
    ${entries.map((entry) => entry.attempt)}::int[], ${entries.map((entry) => entry.reason)}::text[],
    ${entries.map((entry) => entry.payload)}::text[]
  ) as back(id, state, class, due_at, attempt, reason, payload)
  where e.org_id = ${orgId} and e.id = back.id and ${isOneOf(
    tx,
    entries.map((entry) => entry.id),
  )}`

export type LaneKey = { laneId: string; orderKey: string }

/**
 * After anything of a key came back or went away, the first of that key must not stay parked. Its turn may have passed to
 * an entry with a lower position that was committed later, so "first" is looked up, not remembered.
 */
export const unparkKeys = (tx: Queries, orgId: OrgId, keys: LaneKey[]) => tx.run`
  update outbox_entries e set state = 'waiting'
  where e.org_id = ${orgId} and e.state = 'behind' and e.id = any(array(
    select first.id
    from unnest(${keys.map((key) => key.laneId)}::text[], ${keys.map((key) => key.orderKey)}::text[]) as freed(lane_id, order_key)
    cross join lateral (
      select o.id from outbox_entries o
      where o.org_id = ${orgId} and o.lane_id = freed.lane_id and o.order_key = freed.order_key
      order by o.position, o.id limit 1
    ) first))`

export type LaneAcked = {
  laneId: string
  released: number
  bulkReleased: number
  hasBulkRoom: boolean
  /** The other side answered, and well. */
  hasAnswered: boolean
  concurrency: number
  slots: number
  breaker: Breaker
  memory: HealthMemory
  blockedUntil: Date | null
  blockedReason: string | null
}

/** Answers with those that have something left that is due and may go. */
export const moveAckedLanes = (tx: Queries, orgId: OrgId, { lanes, now }: { lanes: LaneAcked[]; now: Date }) =>
  tx.many<{ has_more: boolean }>`
    update outbox_lanes l
    set in_flight = l.in_flight - lane.released,
        bulk_in_flight = l.bulk_in_flight - lane.bulk_released,
        answered_at = case when lane.has_answered then ${now} else l.answered_at end,
        concurrency = lane.concurrency,
        slots = lane.slots,
        breaker = lane.breaker,
        health = lane.health::jsonb,
        blocked_until = lane.blocked_until,
        blocked_reason = lane.blocked_reason
    from unnest(
      ${lanes.map((lane) => lane.laneId)}::text[], ${lanes.map((lane) => lane.released)}::int[],
      ${lanes.map((lane) => lane.bulkReleased)}::int[], ${lanes.map((lane) => lane.hasBulkRoom)}::bool[],
      ${lanes.map((lane) => lane.concurrency)}::int[], ${lanes.map((lane) => lane.slots)}::int[],
      ${lanes.map((lane) => lane.breaker)}::text[], ${lanes.map((lane) => JSON.stringify(lane.memory))}::text[],
      ${lanes.map((lane) => lane.blockedUntil)}::timestamptz[], ${lanes.map((lane) => lane.blockedReason)}::text[],
      ${lanes.map((lane) => lane.hasAnswered)}::bool[]
    ) as lane(id, released, bulk_released, has_bulk_room, concurrency, slots, breaker, health, blocked_until,
      blocked_reason, has_answered)
    cross join lateral (${nextDueOf(tx, orgId)}) next
    where l.org_id = ${orgId} and l.id = lane.id
    returning coalesce(next.due_at <= ${now}, false) and coalesce(lane.blocked_until <= ${now}, true) as has_more`

import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import type { Breaker, HealthMemory } from './lane-health.ts'
import type { Pool } from './pools.ts'

/** Statements on lanes, for those who own one: an endpoint, a business number, a payment account. */

/** A lane belongs to an organization, and so does everything in it. */
export type Lane = { orgId: OrgId; id: string }

export type LaneState = 'open' | 'paused' | 'closed'
export type LaneOrdering = 'none' | 'by_key'

export type LaneRow = {
  id: string
  org_id: OrgId
  kind: string
  state: LaneState
  state_reason: string | null
  concurrency_max: number
  bulk_concurrency_max: number
  is_adaptive: boolean
  concurrency: number
  slots: number
  in_flight: number
  granted: number
  bulk_in_flight: number
  ordering: LaneOrdering
  key_gap_ms: number
  rate_per_second: number | null
  destination: string | null
  has_breaker: boolean
  breaker: Breaker
  health: Partial<HealthMemory>
  blocked_until: Date | null
  blocked_reason: string | null
  throttled_at: Date | null
}

const laneColumns = (db: Queries) => db.part`
  id, org_id, kind, state, state_reason, concurrency_max, bulk_concurrency_max, is_adaptive, concurrency, slots,
  in_flight, granted, bulk_in_flight, ordering, key_gap_ms, rate_per_second, destination, has_breaker, breaker, health,
  blocked_until, blocked_reason, throttled_at`

export type LaneSettings = {
  concurrencyMax: number
  bulkConcurrencyMax: number
  isAdaptive: boolean
  hasBreaker: boolean
  ordering: LaneOrdering
  keyGapMs: number
  ratePerSecond: number | null
  /** The receiver, where lanes of several organizations may have the same. */
  destination: string | null
}

export type NewLane = LaneSettings & { id: string; orgId: OrgId; kind: string; pool: Pool; concurrency: number }

export const insertLane = (tx: Queries, lane: NewLane) => tx.run`
  insert into outbox_lanes (id, org_id, kind, concurrency_max, bulk_concurrency_max, is_adaptive, has_breaker,
    ordering, key_gap_ms, rate_per_second, concurrency, slots, pool, destination)
  values (${lane.id}, ${lane.orgId}, ${lane.kind}, ${lane.concurrencyMax}, ${lane.bulkConcurrencyMax}, ${lane.isAdaptive},
    ${lane.hasBreaker}, ${lane.ordering}, ${lane.keyGapMs}, ${lane.ratePerSecond}, ${lane.concurrency}, ${lane.concurrency},
    ${lane.pool}, ${lane.destination})
  on conflict (org_id, id) do nothing`

export const findLane = (db: Queries, { orgId, id }: Lane) => db.maybeOne<LaneRow>`
  select ${laneColumns(db)} from outbox_lanes where org_id = ${orgId} and id = ${id}`

export const lockLane = (tx: Queries, { orgId, id }: Lane) => tx.maybeOne<LaneRow>`
  select ${laneColumns(tx)} from outbox_lanes where org_id = ${orgId} and id = ${id} for update`

export const lockLanes = (tx: Queries, orgId: OrgId, laneIds: string[]) => tx.run`
  select 1 from outbox_lanes where org_id = ${orgId} and id = any(${laneIds}::text[]) order by id for update`

/** For those who come by again: without the lanes that are locked elsewhere, which are not in the answer. */
export const lockFreeLanes = async (tx: Queries, orgId: OrgId, laneIds: string[]): Promise<string[]> =>
  (
    await tx.many<{ id: string }>`
      select id from outbox_lanes where org_id = ${orgId} and id = any(${laneIds}::text[])
      order by id for update skip locked`
  ).map((row) => row.id)

export type LaneUpdate = LaneSettings & { concurrency: number; slots: number; breaker: Breaker; now: Date }

/** The bucket is measured at the change, so that what the old rate had saved up does not count at the new one. */
export const updateLaneSettings = (tx: Queries, { orgId, id }: Lane, lane: LaneUpdate) => tx.run`
  update outbox_lanes
  set concurrency_max = ${lane.concurrencyMax}, bulk_concurrency_max = ${lane.bulkConcurrencyMax},
      is_adaptive = ${lane.isAdaptive}, has_breaker = ${lane.hasBreaker}, ordering = ${lane.ordering},
      key_gap_ms = ${lane.keyGapMs}, concurrency = ${lane.concurrency}, slots = ${lane.slots}, breaker = ${lane.breaker},
      rate_tokens = case when rate_per_second is distinct from ${lane.ratePerSecond}::float8 then 1 else rate_tokens end,
      rate_at = case when rate_per_second is distinct from ${lane.ratePerSecond}::float8 then ${lane.now} else rate_at end,
      blocked_until = case when blocked_reason = 'throttled' then null else blocked_until end,
      rate_per_second = ${lane.ratePerSecond}, destination = ${lane.destination}
  where org_id = ${orgId} and id = ${id}`

export const ofLane = (db: Queries, { orgId, id }: Lane) => db.part`org_id = ${orgId} and lane_id = ${id}`

/** Each branch names its state, so that each finds its own partial index; by lane alone it would read the whole table. */
export const entriesOfLane = (db: Queries, lane: Lane) => db.part`
  (${ofLane(db, lane)} and state = 'waiting')
  or (${ofLane(db, lane)} and state = 'leased')
  or (${ofLane(db, lane)} and state = 'behind' and order_key is not null)
  or (${ofLane(db, lane)} and state = 'held')`

export const unparkLane = (tx: Queries, lane: Lane) => tx.run`
  update outbox_entries set state = 'waiting'
  where ${ofLane(tx, lane)} and state = 'behind' and order_key is not null`

export const moveLane = (
  tx: Queries,
  { orgId, id }: Lane,
  { state, reason }: { state: LaneState; reason: string | null },
) => tx.run`update outbox_lanes set state = ${state}, state_reason = ${reason} where org_id = ${orgId} and id = ${id}`

export type LaneBlock = { until: Date | null; reason: string | null; memory: HealthMemory }

export const blockLane = (tx: Queries, { orgId, id }: Lane, { until, reason, memory }: LaneBlock) => tx.run`
  update outbox_lanes
  set blocked_until = ${until}, blocked_reason = ${reason}, health = ${JSON.stringify(memory)}::text::jsonb
  where org_id = ${orgId} and id = ${id}`

export const unblockLane = (tx: Queries, { orgId, id }: Lane) => tx.run`
  update outbox_lanes set blocked_until = null, blocked_reason = null, health = health - 'leftAloneUntilMs'
  where org_id = ${orgId} and id = ${id}`

/**
 * Nothing but a breaker's own wait is cut short: what the other side asked for is waited for, also where the breaker would
 * have waited for longer. Its waits begin anew.
 */
export const hastenProbe = (db: Queries, { orgId, id }: Lane, at: Date) => {
  const probeAt = db.part`greatest(${at}, to_timestamp((health ->> 'leftAloneUntilMs')::float8 / 1000))`
  return db.run`
    update outbox_lanes set blocked_until = ${probeAt}, health = health || '{"opens": 0}'
    where org_id = ${orgId} and id = ${id} and breaker = 'open' and blocked_reason = 'breaker_open' and blocked_until > ${probeAt}`
}

/** What a person who resumes a lane says: the other side is well again. When it last was for certain stays known. */
export const healLane = (tx: Queries, { orgId, id }: Lane, concurrency: number) => tx.run`
  update outbox_lanes
  set breaker = 'closed', health = coalesce(('{"lastSuccessMs":' || (health ->> 'lastSuccessMs') || '}')::jsonb, '{}'),
      concurrency = ${concurrency}, slots = ${concurrency},
      blocked_until = null, blocked_reason = null, throttled_at = null
  where org_id = ${orgId} and id = ${id}`

export const deletePending = (tx: Queries, lane: Lane) => tx.run`
  delete from outbox_entries where (${entriesOfLane(tx, lane)}) and state <> 'leased'`

export const cancelLeased = (tx: Queries, lane: Lane) => tx.many<{ id: string }>`
  update outbox_entries set on_release = 'cancel' where ${ofLane(tx, lane)} and state = 'leased' returning id`

export const deleteEmptyLane = (tx: Queries, { orgId, id }: Lane) => tx.run`
  delete from outbox_lanes where org_id = ${orgId} and id = ${id} and not exists (select from outbox_entries where ${entriesOfLane(tx, { orgId, id })})
    and not exists (select from outbox_later where ${ofLane(tx, { orgId, id })})`

/**
 * Everything in a lane that is not in flight, up to a limit: no one needs the exact number of a million, and counting it took
 * most of a second. What is behind something lies among what waits and has no separate index, so it is looked for only as
 * far as the limit leaves room.
 */
export const countPending = async (db: Queries, lane: Lane, countMax: number): Promise<number> =>
  (
    await db.one<{ count: number }>`
      with waiting as (
        select count(*) from (
          select from outbox_entries where ${ofLane(db, lane)} and state = 'waiting' limit ${countMax}) counted),
      behind as (
        select count(*) from (
          select from outbox_entries where ${ofLane(db, lane)} and state = 'behind' and order_key is not null
          limit (select ${countMax} - count from waiting)) counted),
      held as (
        select count(*) from (
          select from outbox_entries where ${ofLane(db, lane)} and state = 'held' limit ${countMax}) counted)
      select least(${countMax}, waiting.count + behind.count + held.count)::int as count from waiting, behind, held`
  ).count

/** Of these, the open ones that nothing blocks, whose breaker is closed and in which nothing fresh waits for longer than that. */
export const listFlowing = (
  db: Queries,
  orgId: OrgId,
  { laneIds, now, since }: { laneIds: string[]; now: Date; since: Date },
) =>
  db.many<{ id: string }>`
    select l.id from outbox_lanes l
    where l.org_id = ${orgId} and l.id = any(${laneIds}::text[]) and l.state = 'open' and l.breaker = 'closed'
      and coalesce(l.blocked_until <= ${now}, true)
      and not exists (
        select from outbox_entries e
        where e.org_id = ${orgId} and e.lane_id = l.id and e.class = 0 and e.state = 'waiting' and e.due_at < ${since})`

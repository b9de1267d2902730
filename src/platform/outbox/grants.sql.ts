import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import { fromHome, homeOrg } from '../database/organization-filter.ts'
import { OVERTAKEN_MS_MAX } from './entries.sql.ts'
import type { Breaker, HealthMemory } from './lane-health.ts'
import type { Pool } from './pools.ts'

/** Statements on grants: see grants.ts. Who writes one has locked its lane. */
export type GrantLaneRow = {
  id: string
  org_id: OrgId
  pool: Pool
  destination: string | null
  state: string
  /** Something has waited in it for more than a moment. */
  has_waiting: boolean
  concurrency_max: number
  is_adaptive: boolean
  has_breaker: boolean
  concurrency: number
  slots: number
  in_flight: number
  granted: number
  key_gap_ms: number
  rate_per_second: number | null
  granted_rate: number
  breaker: Breaker
  health: Partial<HealthMemory>
  blocked_until: Date | null
  blocked_reason: string | null
  /** Of this process; null without a grant. */
  own_slots: number | null
  own_rate: number | null
}

/**
 * The caller has locked the lanes in an earlier statement. A statement that waits for a lock reads the locked row anew, but what is
 * joined to it as it was before the wait: a grant that was ended meanwhile would be subtracted from its lane a second time.
 */
export const listGrantLanes = (
  tx: Queries,
  orgId: OrgId,
  { laneIds, processId, now }: { laneIds: string[]; processId: string; now: Date },
) => tx.many<GrantLaneRow>`
  select l.id, l.org_id, l.pool, l.destination, l.state, l.concurrency_max,
    exists (
      select from (values (0), (1), (2)) as classes(class) cross join lateral (
        select e.due_at from outbox_entries e
        where e.org_id = ${orgId} and e.lane_id = l.id and e.class = classes.class and e.state = 'waiting'
        order by e.due_at limit 1) first
      where first.due_at <= ${new Date(now.getTime() - OVERTAKEN_MS_MAX)}) as has_waiting,
    l.is_adaptive, l.has_breaker, l.concurrency, l.slots, l.in_flight, l.granted, l.key_gap_ms, l.rate_per_second, l.granted_rate,
    l.breaker, l.health, l.blocked_until, l.blocked_reason,
    own.slots as own_slots, own.rate as own_rate
  from outbox_lanes l
  left join outbox_grants own on own.org_id = ${orgId} and own.lane_id = l.id and own.process_id = ${processId}
  where l.org_id = ${orgId} and l.id = any(${laneIds}::text[]) order by l.id`

export type GrantWrite = {
  laneId: string
  /** 0 ends the grant. */
  slots: number
  change: number
  rate: number | null
  rateChange: number
  hasAnswered: boolean
  concurrency: number
  laneSlots: number
  memory: HealthMemory
}

const GRANT_SECONDS = 60

/** The grants, and what their lanes are to know of them. */
export const writeGrants = (
  tx: Queries,
  orgId: OrgId,
  { processId, grants, now }: { processId: string; grants: GrantWrite[]; now: Date },
) => tx.run`
  with given as materialized (
    select * from unnest(
      ${grants.map((grant) => grant.laneId)}::text[],
      ${grants.map((grant) => grant.slots)}::int[], ${grants.map((grant) => grant.change)}::int[],
      ${grants.map((grant) => grant.rate)}::float8[], ${grants.map((grant) => grant.rateChange)}::float8[],
      ${grants.map((grant) => grant.hasAnswered)}::bool[], ${grants.map((grant) => grant.concurrency)}::int[],
      ${grants.map((grant) => grant.laneSlots)}::int[], ${grants.map((grant) => JSON.stringify(grant.memory))}::text[]
    ) as given (lane_id, slots, change, rate, rate_change, has_answered, concurrency, lane_slots, memory)
  ),
  held as (
    insert into outbox_grants (org_id, lane_id, process_id, slots, rate, until)
    select ${homeOrg(tx, orgId)}, lane_id, ${processId}::text, slots, rate, now() + ${GRANT_SECONDS} * interval '1 second' from ${fromHome(tx, orgId)} given where slots > 0
    on conflict (org_id, lane_id, process_id) do update set slots = excluded.slots, rate = excluded.rate, until = excluded.until
  ),
  ended as (
    delete from outbox_grants g using given
    where g.org_id = ${orgId} and g.lane_id = given.lane_id and g.process_id = ${processId} and given.slots = 0
  )
  update outbox_lanes l
  set granted = l.granted + given.change, granted_rate = greatest(0, l.granted_rate + given.rate_change), concurrency = given.concurrency, slots = given.lane_slots,
      answered_at = case when given.has_answered then ${now} else l.answered_at end, health = given.memory::jsonb
  from given where l.org_id = ${orgId} and l.id = given.lane_id`

/**
 * Ends grants: of one process, or of all. What they have in flight counts in the lane from now on. The caller has locked the
 * lanes and refreshes them afterwards.
 */
export const revokeGrants = (
  tx: Queries,
  orgId: OrgId,
  { laneIds, processId = null }: { laneIds: string[]; processId?: string | null },
) => tx.run`
  with ended as (
    delete from outbox_grants
    where org_id = ${orgId} and lane_id = any(${laneIds}::text[]) and (${processId}::text is null or process_id = ${processId})
  )
  update outbox_entries set is_granted = false
  where org_id = ${orgId} and lane_id = any(${laneIds}::text[]) and state = 'leased' and is_granted
    and (${processId}::text is null or leased_by = ${processId})`

const isLost = (db: Queries, deadIds: readonly string[]) =>
  db.part`(until <= now() or process_id = any(${[...deadIds]}::text[]))`

export type LaneOfOrg = { org_id: OrgId; lane_id: string }

export const listLostGrants = (db: Queries, deadIds: readonly string[]) => db.many<LaneOfOrg>`
  select distinct org_id, lane_id from outbox_grants where ${isLost(db, deadIds)} order by org_id, lane_id limit 200`

export const deleteLostGrants = (
  tx: Queries,
  orgId: OrgId,
  { laneIds, deadIds }: { laneIds: string[]; deadIds: readonly string[] },
) => tx.run`
  delete from outbox_grants where org_id = ${orgId} and lane_id = any(${laneIds}::text[]) and ${isLost(tx, deadIds)}`

import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import type { Breaker } from './lane-health.ts'

/** Due now, in open lanes and others alike: what waits in a paused lane is still due. */
export const countBacklog = (db: Queries, countMax: number, now: Date) =>
  db.one<{ due: number; oldest_due_at: Date | null }>`
    select count(*)::int as due, min(due_at) as oldest_due_at
    from (select due_at from outbox_entries where state = 'waiting' and due_at <= ${now} limit ${countMax + 1}) counted`

/** Rows that are dead make every claim slower; a transaction that is left open keeps them from being cleared away. */
export const findBloat = (db: Queries) => db.one<{ dead_rows: number; oldest_transaction_ms: number }>`
  select
    pg_stat_get_dead_tuples('outbox_entries'::regclass) as dead_rows,
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

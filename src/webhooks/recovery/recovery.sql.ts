import type { IdWindow } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { Lane } from '../../platform/outbox/lanes.sql.ts'
import { EVENT_ERASED, type StoredStatus } from '../deliveries/deliveries.ts'

export type RecoveryMode = 'failed' | 'missing' | 'held' | 'all'
type RecoveryStatus = 'counting' | 'running' | 'completed' | 'cancelled'
export type TypeCounts = Record<string, { total: number; done: number }>

export type RecoveryRow = {
  org_id: OrgId
  id: Id<'job'>
  endpoint_id: Id<'wep'>
  mode: RecoveryMode
  include_before_creation: boolean
  since: Date
  until: Date
  types: string[] | null
  statuses: StoredStatus[] | null
  status: RecoveryStatus
  reason: string | null
  position: string
  total: number
  done: number
  counts: TypeCounts
  created_at: Date
  finished_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, endpoint_id, mode, include_before_creation, since, until, types, statuses, status, reason, position, total, done,
  counts, created_at, finished_at`

type NewRecovery = Pick<
  RecoveryRow,
  'id' | 'endpoint_id' | 'mode' | 'include_before_creation' | 'since' | 'until' | 'types' | 'statuses' | 'created_at'
>

/** Null when one is running for the endpoint already. */
export const insertRecovery = (tx: Tx, orgId: OrgId, row: NewRecovery) => tx.maybeOne<RecoveryRow>`
  insert into webhook_recoveries (org_id, id, endpoint_id, mode, include_before_creation, since, until, types, statuses,
    created_at)
  values (${orgId}, ${row.id}, ${row.endpoint_id}, ${row.mode}, ${row.include_before_creation}, ${row.since}, ${row.until},
    ${row.types}, ${row.statuses}, ${row.created_at})
  on conflict (org_id, endpoint_id) where finished_at is null do nothing
  returning ${columns(tx)}`

export const findRunningRecovery = (queries: Queries, orgId: OrgId, endpointId: string) =>
  queries.maybeOne<RecoveryRow>`
    select ${columns(queries)} from webhook_recoveries
    where org_id = ${orgId} and endpoint_id = ${endpointId} and finished_at is null`

export const findRecovery = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<RecoveryRow>`
  select ${columns(queries)} from webhook_recoveries where org_id = ${orgId} and id = ${id}`

export const lockRecovery = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<RecoveryRow>`
  select ${columns(tx)} from webhook_recoveries where org_id = ${orgId} and id = ${id} for update`

type RecoveryPage = { endpointId: string; before?: string; limit: number }

/** Newest first. */
export const listRecoveryRows = (queries: Queries, orgId: OrgId, page: RecoveryPage) => queries.many<RecoveryRow>`
  select ${columns(queries)} from webhook_recoveries
  where org_id = ${orgId} and endpoint_id = ${page.endpointId}
    ${page.before === undefined ? queries.part`` : queries.part`and id < ${page.before}`}
  order by id desc limit ${page.limit}`

export type RecoveryProgress = Pick<
  RecoveryRow,
  'id' | 'status' | 'reason' | 'position' | 'total' | 'done' | 'counts' | 'finished_at'
>

/** The caller holds the row's lock. */
export const saveProgress = (tx: Tx, orgId: OrgId, row: RecoveryProgress) => tx.one<RecoveryRow>`
  update webhook_recoveries
  set status = ${row.status}, reason = ${row.reason}, position = ${row.position}, total = ${row.total}, done = ${row.done},
      counts = ${JSON.stringify(row.counts)}::text::jsonb, finished_at = ${row.finished_at}
  where org_id = ${orgId} and id = ${row.id}
  returning ${columns(tx)}`

type UndeliveredRow = {
  id: Id<'dlv'>
  event_id: Id<'evt'>
  type: string
  status: StoredStatus
  is_test: boolean
  is_retrying: boolean
}

/**
 * Deliveries of an endpoint that did not arrive and can still be sent, oldest first. Types are judged by the caller: a page is a bounded piece
 * of the index however rare the wanted ones are.
 */
export const listUndeliveredBetween = (
  queries: Queries,
  orgId: OrgId,
  { endpointId, window, now }: { endpointId: string; window: IdWindow; now: Date },
) => queries.many<UndeliveredRow>`
  select id, event_id, type, status, is_test, status = 'pending' and attempts > 0 and next_attempt_at > ${now} as is_retrying
  from webhook_deliveries
  where org_id = ${orgId} and endpoint_id = ${endpointId} and status <> 'succeeded'
    and id > ${window.afterId} and id < ${window.beforeId} and reason is distinct from ${EVENT_ERASED}
  order by id limit ${window.limit}`

export type OwedRow = { id: Id<'dlv'>; status: StoredStatus; is_retrying: boolean }

/** The bounds say nothing new, but from them PostgreSQL knows which days it need not look at. */
export const listDeliveriesByIds = (queries: Queries, orgId: OrgId, { ids, now }: { ids: string[]; now: Date }) => {
  const sorted = ids.toSorted()
  return queries.many<OwedRow>`
    select id, status, status = 'pending' and attempts > 0 and next_attempt_at > ${now} as is_retrying
    from webhook_deliveries
    where org_id = ${orgId} and id = any(${ids}) and id >= ${sorted[0] ?? ''} and id <= ${sorted.at(-1) ?? ''}`
}

/**
 * Of an endpoint's lane: deliveries that recovery put there or brought forward, and that were not tried since. One branch
 * per state, because each has its own index. Later retries do not count: they come back on their schedule, and a few
 * stubborn ones must not hold up a recovery for days.
 */
const untriedOfLane = (queries: Queries, { orgId, id }: Lane) => queries.part`
  class = 2 and (
    (attempt = 0 and payload ->> 'trigger' = 'recover') or attempt = (payload ->> 'hastened_after')::int
  ) and (
    (org_id = ${orgId} and lane_id = ${id} and state = 'waiting')
    or (org_id = ${orgId} and lane_id = ${id} and state = 'behind' and order_key is not null))`

type UntriedRow = { id: Id<'dlv'>; is_hastened: boolean }

export const listUntried = (queries: Queries, lane: Lane, limit: number) => queries.many<UntriedRow>`
  select id, payload ->> 'hastened_after' is not null as is_hastened
  from outbox_entries where ${untriedOfLane(queries, lane)} limit ${limit}`

export const countUntried = async (queries: Queries, lane: Lane, countMax: number): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from (
        select from outbox_entries where ${untriedOfLane(queries, lane)} limit ${countMax}) counted`
  ).count

/**
 * How many attempts each had when it was brought forward: as long as it has no more, it was not tried since. The caller
 * holds the lane.
 */
export const markHastened = (tx: Tx, { orgId, id }: Lane, ids: string[]) => tx.run`
  update outbox_entries set payload = payload || ('{"hastened_after":' || attempt || '}')::jsonb
  where org_id = ${orgId} and id = any(${ids}) and lane_id = ${id}`

export const unmarkHastened = (tx: Tx, { orgId, id }: Lane, ids: string[]) => tx.run`
  update outbox_entries set payload = payload - 'hastened_after' where org_id = ${orgId} and id = any(${ids}) and lane_id = ${id}`

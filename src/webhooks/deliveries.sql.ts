import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

/** `in_flight` is not stored: a claim writes to the outbox alone, and the outbox is asked when somebody looks. */
export type StoredStatus = 'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'

export type DeliveryRow = {
  org_id: OrgId
  id: Id<'dlv'>
  endpoint_id: Id<'wep'>
  event_id: Id<'evt'>
  type: string
  subject: string
  sequence: number
  is_test: boolean
  is_thin: boolean
  status: StoredStatus
  reason: string | null
  attempts: number
  last_response_status: number | null
  last_error_class: string | null
  created_at: Date
  first_attempt_at: Date | null
  next_attempt_at: Date | null
  completed_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason, attempts,
  last_response_status, last_error_class, created_at, first_attempt_at, next_attempt_at, completed_at`

export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'endpoint_id' | 'event_id' | 'type' | 'subject' | 'sequence' | 'is_test' | 'is_thin' | 'status' | 'reason'
>

/** One that is there already is left as it is; answers with those that are new. */
export const insertDeliveries = (tx: Tx, orgId: OrgId, rows: readonly NewDelivery[], now: Date) =>
  tx.many<{ id: Id<'dlv'> }>`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
      reason, created_at, next_attempt_at)
    select ${orgId}, owed.id, owed.endpoint_id, owed.event_id, owed.type, owed.subject, owed.sequence, owed.is_test,
      owed.is_thin, owed.status, owed.reason, ${now}, case when owed.status = 'pending' then ${now}::timestamptz end
    from unnest(
      ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
      ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.sequence)}::bigint[],
      ${rows.map((row) => row.is_test)}::boolean[], ${rows.map((row) => row.is_thin)}::boolean[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
    ) as owed(id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason)
    on conflict (org_id, id) do nothing
    returning id`

export const findDelivery = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries where org_id = ${orgId} and id = ${id}`

export const lockDelivery = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<DeliveryRow>`
  select ${columns(tx)} from webhook_deliveries where org_id = ${orgId} and id = ${id} for update`

export const listDeliveriesById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries where org_id = ${orgId} and id = any(${ids})`

export type DeliveryFilter = {
  endpointId?: string
  type?: string
  statuses?: readonly StoredStatus[]
  isTest?: boolean
  /** Inclusive. */
  fromId?: string
  /** Exclusive. */
  beforeId?: string
  eventId?: string
  limit: number
}

/** The predicate of the index of what was not delivered must be spelt out for the planner to use it. */
const filtered = (queries: Queries, filter: DeliveryFilter) => {
  const { part } = queries
  const isUndelivered = filter.statuses !== undefined && !filter.statuses.includes('succeeded')
  return part`
    ${filter.beforeId === undefined ? part`` : part`and id < ${filter.beforeId}`}
    ${filter.fromId === undefined ? part`` : part`and id >= ${filter.fromId}`}
    ${filter.eventId === undefined ? part`` : part`and event_id = ${filter.eventId}`}
    ${filter.type === undefined ? part`` : part`and type = ${filter.type}`}
    ${filter.isTest === undefined ? part`` : part`and is_test = ${filter.isTest}`}
    ${filter.statuses === undefined ? part`` : part`and status = any(${[...filter.statuses]})`}
    ${isUndelivered ? part`and status <> 'succeeded'` : part``}`
}

/** Newest first. */
export const listDeliveries = (queries: Queries, orgId: OrgId, filter: DeliveryFilter) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries
  where org_id = ${orgId}
    ${filter.endpointId === undefined ? queries.part`` : queries.part`and endpoint_id = ${filter.endpointId}`}
    ${filtered(queries, filter)}
  order by id desc limit ${filter.limit}`

/**
 * The same for what was not delivered, over all endpoints: the newest of each, merged. A walk through all deliveries would
 * read millions that succeeded to find the few that did not.
 */
export const listUndeliveredOfAll = (
  queries: Queries,
  orgId: OrgId,
  filter: DeliveryFilter,
) => queries.many<DeliveryRow>`
  select undelivered.* from webhook_endpoints endpoint
  cross join lateral (
    select ${columns(queries)} from webhook_deliveries
    where org_id = ${orgId} and endpoint_id = endpoint.id ${filtered(queries, filter)}
    order by id desc limit ${filter.limit}
  ) undelivered
  where endpoint.org_id = ${orgId}
  order by undelivered.id desc limit ${filter.limit}`

export type UndeliveredFilter = {
  endpointId: string
  statuses: readonly Exclude<StoredStatus, 'succeeded'>[]
  /** Exclusive; the id of the last one of the step before. */
  afterId?: string
  untilSequence?: number | null
  limit: number
}

/** Oldest first, for whoever works through them step by step. */
export const listUndelivered = (queries: Queries, orgId: OrgId, filter: UndeliveredFilter) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries
  where org_id = ${orgId} and endpoint_id = ${filter.endpointId}
    and status <> 'succeeded' and status = any(${[...filter.statuses]})
    ${filter.afterId === undefined ? queries.part`` : queries.part`and id > ${filter.afterId}`}
    ${filter.untilSequence == null ? queries.part`` : queries.part`and sequence <= ${filter.untilSequence}`}
  order by id limit ${filter.limit}`

/** Up to a limit: an endpoint that was paused for a month may hold millions. */
export const countUndelivered = async (
  queries: Queries,
  orgId: OrgId,
  {
    endpointId,
    status,
    countMax,
  }: { endpointId: string; status: Exclude<StoredStatus, 'succeeded'>; countMax: number },
): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from (
        select from webhook_deliveries
        where org_id = ${orgId} and endpoint_id = ${endpointId} and status <> 'succeeded' and status = ${status}
        limit ${countMax}) counted`
  ).count

/** Of the last finished ones. */
export const countRecent = (
  queries: Queries,
  orgId: OrgId,
  { endpointId, limit }: { endpointId: string; limit: number },
) =>
  queries.one<{ finished: number; succeeded: number }>`
    select count(*)::int as finished, (count(*) filter (where status = 'succeeded'))::int as succeeded
    from (
      select status from webhook_deliveries
      where org_id = ${orgId} and endpoint_id = ${endpointId} and not is_test
      order by id desc limit ${limit}
    ) recent where status in ('succeeded', 'failed')`

export type DeliveryMove = {
  ids: string[]
  from: StoredStatus[]
  to: StoredStatus
  reason: string | null
  now: Date
}

/** Into rest, out of rest, or to an end. Those that are no longer where they are moved from stay where they are. */
export const moveDeliveries = (tx: Tx, orgId: OrgId, move: DeliveryMove) => tx.many<DeliveryRow>`
  update webhook_deliveries
  set status = ${move.to}, reason = ${move.reason},
      next_attempt_at = case when ${move.to} = 'pending' then ${move.now}::timestamptz end,
      completed_at = case when ${move.to} in ('pending', 'held') then null else ${move.now}::timestamptz end
  where org_id = ${orgId} and id = any(${move.ids}) and status = any(${move.from})
  returning ${columns(tx)}`

export type DeliveryResult = {
  orgId: OrgId
  id: Id<'dlv'>
  /** Null: this run does not decide what becomes of the delivery. */
  status: 'succeeded' | 'failed' | 'cancelled' | 'pending' | null
  reason: string | null
  isAttempted: boolean
  startedAt: Date | null
  nextAttemptAt: Date | null
  finishedAt: Date
  responseStatus: number | null
  errorClass: string | null
}

/**
 * For the rest of the transaction: plan each statement for the table as it is, and look rows up by their ids. Left to
 * itself PostgreSQL settles on a plan while the partition of the day is still empty, when every index looks as good as the
 * primary key, and keeps to it while the partition grows; that made this update 20 times as dear after 50,000 rows.
 */
export const planAfresh = (tx: Tx) => tx.run`
  select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`

/**
 * What a batch of runs came to. A success holds whatever else happened; anything else moves only what is pending, so a
 * late failure undoes neither a success by hand nor a cancellation. The bounds let PostgreSQL leave other days aside.
 */
export const recordDeliveryResults = (tx: Tx, results: readonly DeliveryResult[]) => {
  const ids = results.map((result) => result.id).sort()
  const isMoved = tx.part`(ran.status = 'succeeded' or (ran.status is not null and d.status = 'pending'))`
  return tx.run`
    update webhook_deliveries d
    set status = case when ${isMoved} then ran.status else d.status end,
        reason = case when ${isMoved} then ran.reason else d.reason end,
        next_attempt_at = case when ${isMoved} then ran.next_attempt_at else d.next_attempt_at end,
        completed_at = case when not ${isMoved} then d.completed_at
                            when ran.status <> 'pending' then ran.finished_at end,
        attempts = d.attempts + ran.is_attempted::int,
        first_attempt_at = coalesce(d.first_attempt_at, ran.started_at),
        last_response_status = case when ran.is_attempted then ran.response_status else d.last_response_status end,
        last_error_class = case when ran.is_attempted then ran.error_class else d.last_error_class end
    from unnest(
      ${results.map((result) => result.orgId)}::text[], ${results.map((result) => result.id)}::text[],
      ${results.map((result) => result.status)}::text[], ${results.map((result) => result.reason)}::text[],
      ${results.map((result) => result.isAttempted)}::boolean[],
      ${results.map((result) => result.startedAt)}::timestamptz[],
      ${results.map((result) => result.nextAttemptAt)}::timestamptz[],
      ${results.map((result) => result.finishedAt)}::timestamptz[],
      ${results.map((result) => result.responseStatus)}::int[], ${results.map((result) => result.errorClass)}::text[]
    ) as ran(org_id, id, status, reason, is_attempted, started_at, next_attempt_at, finished_at, response_status,
      error_class)
    where d.org_id = ran.org_id and d.id = ran.id and d.id >= ${ids[0]} and d.id <= ${ids.at(-1)}`
}

import { firstIdAt, type Id, type OrgId } from '../../kernel/ids.ts'
import { copyText, copyValue } from '../../platform/database/copy.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { ABORTED } from './attempt-verdict.ts'

/** `in_flight` is not stored: a claim writes to the outbox alone, and the outbox is asked when a delivery is shown. */
export type StoredStatus = 'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'

export type DeliveryRow = {
  org_id: OrgId
  id: Id<'dlv'>
  endpoint_id: Id<'wep'>
  event_id: Id<'evt'>
  type: string
  subject: string
  /** Null on deliveries of test events. */
  sequence: number | null
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
    select ${orgId}, new.id, new.endpoint_id, new.event_id, new.type, new.subject, new.sequence, new.is_test,
      new.is_thin, new.status, new.reason, ${now}, case when new.status = 'pending' then ${now}::timestamptz end
    from unnest(
      ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
      ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.sequence)}::bigint[],
      ${rows.map((row) => row.is_test)}::boolean[], ${rows.map((row) => row.is_thin)}::boolean[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
    ) as new(id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason)
    on conflict (org_id, id) do nothing
    returning id`

export const findDelivery = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries where org_id = ${orgId} and id = ${id}`

export const listDeliveriesById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries where org_id = ${orgId} and id = any(${ids})`

export type DeliveryFilter = {
  endpointId?: string
  type?: string
  statuses?: readonly StoredStatus[]
  /** What is pending at these counts as held. */
  inactiveIds?: readonly string[]
  isTest?: boolean
  /** Inclusive. */
  fromId?: string
  /** Exclusive. */
  beforeId?: string
  eventId?: string
  limit: number
}

/** A test is sent by hand, also to an endpoint that rests. */
function ofStatuses(queries: Queries, statuses: readonly StoredStatus[], inactiveIds: readonly string[]) {
  const { part } = queries
  const stored = part`status = any(${[...statuses]})`
  const [isPendingWanted, isHeldWanted] = [statuses.includes('pending'), statuses.includes('held')]
  if (inactiveIds.length === 0 || isPendingWanted === isHeldWanted) return stored
  const isResting = part`(status = 'pending' and not is_test and endpoint_id = any(${[...inactiveIds]}))`
  // The first condition says nothing new, but the index understands it.
  return isHeldWanted
    ? part`(status = any(${[...statuses, 'pending']}) and (${stored} or ${isResting}))`
    : part`(${stored} and not ${isResting})`
}

/** The predicates of the indexes of what was not delivered and of tests must be spelt out for the planner to use them. */
const filtered = (queries: Queries, filter: DeliveryFilter) => {
  const { part } = queries
  const isUndelivered = filter.statuses !== undefined && !filter.statuses.includes('succeeded')
  return part`
    ${filter.beforeId === undefined ? part`` : part`and id < ${filter.beforeId}`}
    ${filter.fromId === undefined ? part`` : part`and id >= ${filter.fromId}`}
    ${filter.eventId === undefined ? part`` : part`and event_id = ${filter.eventId}`}
    ${filter.type === undefined ? part`` : part`and type = ${filter.type}`}
    ${filter.isTest === undefined ? part`` : filter.isTest ? part`and is_test` : part`and not is_test`}
    ${filter.statuses === undefined ? part`` : part`and ${ofStatuses(queries, filter.statuses, filter.inactiveIds ?? [])}`}
    ${isUndelivered ? part`and status <> 'succeeded'` : part``}`
}

/** Newest first. */
export const listDeliveries = (queries: Queries, orgId: OrgId, filter: DeliveryFilter) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries
  where org_id = ${orgId}
    ${filter.endpointId === undefined ? queries.part`` : queries.part`and endpoint_id = ${filter.endpointId}`}
    ${filtered(queries, filter)}
  order by id desc limit ${filter.limit}`

/** So many of the newest are looked at before what is rare is picked out. */
const NEWEST_LOOKED_AT = 5_000

/** The same among the newest only: enough for what is frequent. */
export const listAmongNewest = (queries: Queries, orgId: OrgId, filter: DeliveryFilter) => queries.many<DeliveryRow>`
  select ${columns(queries)} from (
    select * from webhook_deliveries
    where org_id = ${orgId}
      ${filter.beforeId === undefined ? queries.part`` : queries.part`and id < ${filter.beforeId}`}
    order by id desc limit ${NEWEST_LOOKED_AT}) newest
  where true ${filtered(queries, filter)}
  order by id desc limit ${filter.limit}`

/**
 * The same, endpoint by endpoint: the newest of each, merged. The indexes of an endpoint's deliveries also hold their type,
 * and their status where they did not succeed, so what is rare is picked out within the index. A walk through all deliveries
 * would fetch millions of others to find the few.
 */
export const listOfEachEndpoint = (queries: Queries, orgId: OrgId, filter: DeliveryFilter) => queries.many<DeliveryRow>`
  select found.* from webhook_endpoints endpoint
  cross join lateral (
    select ${columns(queries)} from webhook_deliveries
    where org_id = ${orgId} and endpoint_id = endpoint.id ${filtered(queries, filter)}
    order by id desc limit ${filter.limit}
  ) found
  where endpoint.org_id = ${orgId}
  order by found.id desc limit ${filter.limit}`

export type UndeliveredFilter = {
  endpointId: string
  statuses: readonly Exclude<StoredStatus, 'succeeded'>[]
  /** Exclusive; the id of the last one of the step before. */
  afterId?: string
  untilSequence?: number | null
  isTest?: boolean
  limit: number
}

/** Oldest first, for work in steps. Held deliveries have an index, which is used when they are asked for alone. */
export const listUndelivered = (queries: Queries, orgId: OrgId, filter: UndeliveredFilter) => queries.many<DeliveryRow>`
  select ${columns(queries)} from webhook_deliveries
  where org_id = ${orgId} and endpoint_id = ${filter.endpointId}
    and status <> 'succeeded' and status = any(${[...filter.statuses]})
    ${filter.statuses.every((status) => status === 'held') ? queries.part`and status = 'held'` : queries.part``}
    ${filter.afterId === undefined ? queries.part`` : queries.part`and id > ${filter.afterId}`}
    ${filter.untilSequence == null ? queries.part`` : queries.part`and sequence <= ${filter.untilSequence}`}
    ${filter.isTest === undefined ? queries.part`` : queries.part`and is_test = ${filter.isTest}`}
  order by id limit ${filter.limit}`

/** Up to a limit: an endpoint that was paused for a month may hold millions. */
export const countHeld = async (
  queries: Queries,
  orgId: OrgId,
  { endpointId, countMax }: { endpointId: string; countMax: number },
): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from (
        select from webhook_deliveries
        where org_id = ${orgId} and endpoint_id = ${endpointId} and status = 'held'
        limit ${countMax}) counted`
  ).count

/** Of the last ones, how many have finished and how. */
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

/**
 * What an endpoint's 410 ended, back into rest: what was cancelled with it, and the delivery that was answered so. Cancelled by an
 * earlier 410 stays cancelled. Answers with how many.
 */
export const restoreGone = async (
  tx: Tx,
  orgId: OrgId,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<number> =>
  (
    await tx.one<{ count: number }>`
      with restored as (
        update webhook_deliveries set status = 'held', reason = 'endpoint_resuming', completed_at = null
        where org_id = ${orgId} and endpoint_id = ${endpointId} and status <> 'succeeded' and not is_test
          and ((status = 'cancelled' and reason = 'endpoint_disabled') or (status = 'failed' and reason = 'gone'))
          and completed_at >= ${since}
        returning 1)
      select count(*)::int as count from restored`
  ).count

/** Retries that were brought forward in the outbox. */
export const hastenDeliveries = (tx: Tx, orgId: OrgId, { ids, now }: { ids: string[]; now: Date }) => tx.run`
  update webhook_deliveries set next_attempt_at = ${now}
  where org_id = ${orgId} and id = any(${ids}) and status = 'pending'`

/** What one run came to that made an attempt and decides what becomes of its delivery. */
export type AttemptedDelivery = Pick<
  DeliveryRow,
  | 'org_id'
  | 'id'
  | 'endpoint_id'
  | 'event_id'
  | 'type'
  | 'subject'
  | 'sequence'
  | 'is_test'
  | 'is_thin'
  | 'reason'
  | 'last_response_status'
  | 'last_error_class'
  | 'next_attempt_at'
  | 'completed_at'
> & { status: 'succeeded' | 'failed' | 'cancelled' | 'pending'; first_attempt_at: Date }

/**
 * The rows are there; the insert is a way to update them by their primary key. An update that joins the parent table with
 * a list makes the planner choose, and it chooses while the partition of the day is still empty, when everything looks
 * alike, and keeps to that while it grows: measured, 20 times the cost after 50,000 rows. Here there is nothing to
 * choose, and only the partitions that are written are opened.
 *
 * A success holds whatever else happened; anything else moves only what is pending, so a late failure undoes neither a
 * success by hand nor a cancellation. But a receiver that wants no more of it is asked for no more of it, also of what is
 * held. What has arrived stays as it arrived first, however often it is sent again.
 */
export const recordAttempted = (tx: Tx, rows: readonly AttemptedDelivery[]) => tx.run`${attemptedUpsert(tx, rows)}`

/** As a part of a statement, for those of which a condition on `ran` holds. */
export const attemptedUpsert = (queries: Queries, rows: readonly AttemptedDelivery[], where = queries.part`true`) => {
  const isMoved = queries.part`(d.status = 'pending' or (excluded.status = 'succeeded' and d.status <> 'succeeded')
    or (d.status = 'held' and excluded.reason = ${ABORTED}))`
  return queries.part`
    insert into webhook_deliveries as d (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin,
      status, reason, attempts, last_response_status, last_error_class, created_at, first_attempt_at, next_attempt_at,
      completed_at)
    select ran.org_id, ran.id, ran.endpoint_id, ran.event_id, ran.type, ran.subject, ran.sequence, ran.is_test,
      ran.is_thin, ran.status, ran.reason, 1, ran.response_status, ran.error_class, ran.started_at, ran.started_at,
      ran.next_attempt_at, ran.completed_at
    from unnest(
      ${rows.map((row) => row.org_id)}::text[], ${rows.map((row) => row.id)}::text[],
      ${rows.map((row) => row.endpoint_id)}::text[], ${rows.map((row) => row.event_id)}::text[],
      ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.is_test)}::boolean[],
      ${rows.map((row) => row.is_thin)}::boolean[], ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => row.reason)}::text[], ${rows.map((row) => row.last_response_status)}::int[],
      ${rows.map((row) => row.last_error_class)}::text[], ${rows.map((row) => row.first_attempt_at)}::timestamptz[],
      ${rows.map((row) => row.next_attempt_at)}::timestamptz[], ${rows.map((row) => row.completed_at)}::timestamptz[]
    ) as ran(org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason,
      response_status, error_class, started_at, next_attempt_at, completed_at)
    where ${where}
    on conflict (org_id, id) do update
    set status = case when ${isMoved} then excluded.status else d.status end,
        reason = case when ${isMoved} then excluded.reason else d.reason end,
        next_attempt_at = case when ${isMoved} then excluded.next_attempt_at else d.next_attempt_at end,
        completed_at = case when ${isMoved} then excluded.completed_at else d.completed_at end,
        attempts = d.attempts + 1,
        first_attempt_at = coalesce(d.first_attempt_at, excluded.first_attempt_at),
        last_response_status = excluded.last_response_status,
        last_error_class = excluded.last_error_class`
}

/** One that arrived at its first attempt and has no row yet. */
export type ArrivedDelivery = Omit<
  AttemptedDelivery,
  'status' | 'reason' | 'last_error_class' | 'next_attempt_at' | 'completed_at'
> & { created_at: Date; completed_at: Date }

/** Many at once, in half the time of the statement above. One that has a row already makes it fail. */
export const copyArrived = (tx: Tx, rows: readonly ArrivedDelivery[]): Promise<void> => {
  let lines = ''
  for (const row of rows) lines += arrivedLine(row)
  return tx.copy(
    `copy webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, attempts,
       last_response_status, created_at, first_attempt_at, completed_at) from stdin`,
    lines,
  )
}

const arrivedLine = (row: ArrivedDelivery): string => {
  const what = `${row.org_id}\t${row.id}\t${row.endpoint_id}\t${row.event_id}\t${row.type}\t${copyText(row.subject)}`
  const how = `${copyValue(row.sequence)}\t${row.is_test}\t${row.is_thin}\tsucceeded\t1\t${copyValue(row.last_response_status)}`
  const times = `${copyValue(row.created_at)}\t${copyValue(row.first_attempt_at)}\t${copyValue(row.completed_at)}`
  return `${what}\t${how}\t${times}\n`
}

/** Of these, the ones that have a row. */
export const listExisting = (queries: Queries, orgIds: OrgId[], ids: string[]) => queries.many<{ id: Id<'dlv'> }>`
  select id from webhook_deliveries where org_id = any(${orgIds}) and id = any(${ids})`

/** An attempt that decides nothing: a resend that failed. */
export type UndecidedDelivery = Pick<DeliveryRow, 'org_id' | 'id' | 'last_response_status' | 'last_error_class'> & {
  first_attempt_at: Date
}

export const recordUndecided = (tx: Tx, row: UndecidedDelivery) => tx.run`
  update webhook_deliveries
  set attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ${row.first_attempt_at}),
      last_response_status = ${row.last_response_status}, last_error_class = ${row.last_error_class}
  where org_id = ${row.org_id} and id = ${row.id}`

/** Something came of it without an attempt: our own failure, an event that expired, an endpoint that is gone. */
export type UnattemptedDelivery = Pick<
  DeliveryRow,
  'org_id' | 'id' | 'status' | 'reason' | 'next_attempt_at' | 'completed_at'
>

export const recordUnattempted = (tx: Tx, row: UnattemptedDelivery) => tx.run`
  update webhook_deliveries
  set status = ${row.status}, reason = ${row.reason}, next_attempt_at = ${row.next_attempt_at},
      completed_at = ${row.completed_at}
  where org_id = ${row.org_id} and id = ${row.id} and status = 'pending'`

/**
 * Whether an event between these moments has a pending delivery: its deliveries lie on its day. Of all organizations,
 * because a day of events is kept or dropped for all of them; hence org_id is selected.
 */
export const isAnyPending = async (
  queries: Queries,
  { from, before }: { from: Date; before: Date },
): Promise<boolean> =>
  (await queries.maybeOne<{ org_id: OrgId }>`
    select org_id from webhook_deliveries
    where id >= ${firstIdAt('dlv', from)} and id < ${firstIdAt('dlv', before)}
      and status <> 'succeeded' and status in ('pending', 'held')
    limit 1`) !== null

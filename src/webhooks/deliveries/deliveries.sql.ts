import { firstIdAt, type Id, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'

/** `in_flight` is not stored: a claim writes to the outbox alone, and the outbox is asked when a delivery is shown. */
export type StoredStatus = 'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'

/** What the delivery of an event whose payload was erased says of itself, unless it arrived. */
export const EVENT_ERASED = 'event_erased'

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
    select ${homeOrg(tx, orgId)}, new.id, new.endpoint_id, new.event_id, new.type, new.subject, new.sequence, new.is_test,
      new.is_thin, new.status, new.reason, ${now}, case when new.status = 'pending' then ${now}::timestamptz end
    from ${fromHome(tx, orgId)} unnest(
      ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
      ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.sequence)}::bigint[],
      ${rows.map((row) => row.is_test)}::boolean[], ${rows.map((row) => row.is_thin)}::boolean[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
    ) as new(id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason)
    on conflict (org_id, id) do nothing
    returning id`

/** As a part of the statement that records the events, with the numbers they are given there. */
export const recordedDeliveries = (
  queries: Queries,
  orgId: OrgId,
  { rows, now }: { rows: readonly NewDelivery[]; now: Date },
) => queries.part`
  insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
    reason, created_at, next_attempt_at)
  select ${homeOrg(queries, orgId)}, new.id, new.endpoint_id, new.event_id, new.type, new.subject, recorded.sequence, false,
    new.is_thin, new.status, new.reason, ${now}, case when new.status = 'pending' then ${now}::timestamptz end
  from ${fromHome(queries, orgId)} counter, recorded, unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
    ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.type)}::text[],
    ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.is_thin)}::boolean[],
    ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
  ) as new (id, endpoint_id, event_id, type, subject, is_thin, status, reason)
  where counter.is_followed and new.event_id = recorded.id`

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
export const listDeliveryRows = (queries: Queries, orgId: OrgId, filter: DeliveryFilter) => queries.many<DeliveryRow>`
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

type UndeliveredFilter = {
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

type DeliveryMove = {
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

export type DeliveryCounts = { succeeded: number; failed: number; pending: number }

/** For each range of ids, in their order. What was skipped on purpose is not counted, nor are tests. */
export const countDeliveries = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { fromId: string; beforeId: string }[],
) => queries.many<DeliveryCounts>`
  select counted.succeeded, counted.failed, counted.pending
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*) filter (where status = 'succeeded')::int as succeeded,
      count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status in ('pending', 'held'))::int as pending
    from webhook_deliveries
    where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id and not is_test
  ) as counted
  order by wanted.position`

export type ErasableDelivery = Pick<DeliveryRow, 'id' | 'endpoint_id' | 'event_id' | 'status'>

/** Those of an event lie side by side: asked for range by range, which leads to the days in question. */
export const listDeliveriesIn = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { from: string; to: string }[],
) => queries.many<ErasableDelivery>`
  select found.id, found.endpoint_id, found.event_id, found.status
  from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ to }) => to)}::text[]) as wanted(from_id, before_id)
  cross join lateral (
    select id, endpoint_id, event_id, status from webhook_deliveries
    where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id
  ) as found`

/** A separate reason, by which a recovery leaves them alone. */
export const markErased = (tx: Tx, orgId: OrgId, ids: readonly string[]) => {
  const sorted = ids.toSorted()
  return tx.run`
    update webhook_deliveries set reason = ${EVENT_ERASED}
    where org_id = ${orgId} and id = any(${sorted}) and id >= ${sorted[0] ?? ''} and id <= ${sorted.at(-1) ?? ''}
      and status <> 'succeeded'`
}

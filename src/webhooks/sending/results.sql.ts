import type { Id, OrgId } from '../../kernel/ids.ts'
import { copyText, copyValue } from '../../platform/database/copy.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import { type AttemptRow, attemptColumns, type DeliveryRow } from '../deliveries/deliveries.ts'

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

/** One statement for a whole batch. */
export const insertAttempts = (tx: Tx, orgId: OrgId, rows: readonly AttemptRow[]) =>
  tx.run`${attemptInsert(tx, orgId, rows)}`

/** As a part of a statement: a condition may follow. */
export const attemptInsert = (queries: Queries, orgId: OrgId, rows: readonly AttemptRow[]) => queries.part`
  insert into webhook_attempts (${attemptColumns(queries)})
  select ${homeOrg(queries, orgId)}, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version,
    request_headers::json, request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms,
    throttled_ms, response_status, response_headers::json, response_body, is_response_base64, is_response_truncated,
    error_class, error_detail, retry_after_ms, next_attempt_at, worker_id, lease_number
  from ${fromHome(queries, orgId)} unnest(
    ${rows.map((row) => row.delivery_id)}::text[],
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
    ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.number)}::int[],
    ${rows.map((row) => row.trigger)}::text[], ${rows.map((row) => row.outcome)}::text[],
    ${rows.map((row) => row.url)}::text[], ${rows.map((row) => row.ip)}::text[],
    ${rows.map((row) => row.http_version)}::text[], ${rows.map((row) => json(row.request_headers))}::text[],
    ${rows.map((row) => row.request_bytes)}::int[], ${rows.map((row) => row.body_sha256)}::text[],
    ${rows.map((row) => row.started_at)}::timestamptz[], ${rows.map((row) => row.dns_ms)}::float8[],
    ${rows.map((row) => row.connect_ms)}::float8[], ${rows.map((row) => row.tls_ms)}::float8[],
    ${rows.map((row) => row.ttfb_ms)}::float8[], ${rows.map((row) => row.total_ms)}::float8[],
    ${rows.map((row) => row.throttled_ms)}::int[], ${rows.map((row) => row.response_status)}::int[],
    ${rows.map((row) => json(row.response_headers))}::text[], ${rows.map((row) => row.response_body)}::text[],
    ${rows.map((row) => row.is_response_base64)}::boolean[], ${rows.map((row) => row.is_response_truncated)}::boolean[],
    ${rows.map((row) => row.error_class)}::text[], ${rows.map((row) => row.error_detail)}::text[],
    ${rows.map((row) => row.retry_after_ms)}::int[], ${rows.map((row) => row.next_attempt_at)}::timestamptz[],
    ${rows.map((row) => row.worker_id)}::text[], ${rows.map((row) => row.lease_number)}::int[]
  ) as attempt(delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version,
    request_headers, request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms, throttled_ms,
    response_status, response_headers, response_body, is_response_base64, is_response_truncated, error_class, error_detail,
    retry_after_ms, next_attempt_at, worker_id, lease_number)`

/** Many at once, cheaper than the statement above. One that is on record already makes it fail. */
export const copyAttempts = (tx: Tx, rows: readonly AttemptRow[]): Promise<void> => {
  let lines = ''
  for (const row of rows) lines += attemptLine(row)
  return tx.copy(
    `copy webhook_attempts (org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version,
       request_headers, request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms, throttled_ms,
       response_status, response_headers, response_body, is_response_base64, is_response_truncated, error_class,
       error_detail, retry_after_ms, next_attempt_at, worker_id, lease_number) from stdin`,
    lines,
  )
}

function attemptLine(row: AttemptRow): string {
  const what = `${row.org_id}\t${row.delivery_id}\t${row.id}\t${row.endpoint_id}\t${row.event_id}\t${row.number}`
  const how = `${row.trigger}\t${row.outcome}\t${copyText(row.url)}\t${copyText(row.ip)}\t${copyText(row.http_version)}`
  const sent = `${copyText(json(row.request_headers))}\t${row.request_bytes}\t${row.body_sha256}`
  const phases = `${copyValue(row.dns_ms)}\t${copyValue(row.connect_ms)}\t${copyValue(row.tls_ms)}\t${copyValue(row.ttfb_ms)}`
  const times = `${copyValue(row.started_at)}\t${phases}\t${row.total_ms}\t${row.throttled_ms}`
  const body = `${copyText(row.response_body)}\t${row.is_response_base64}\t${row.is_response_truncated}`
  const answer = `${copyValue(row.response_status)}\t${copyText(json(row.response_headers))}\t${body}`
  const error = `${copyText(row.error_class)}\t${copyText(row.error_detail)}`
  const next = `${copyValue(row.retry_after_ms)}\t${copyValue(row.next_attempt_at)}`
  return `${what}\t${how}\t${sent}\t${times}\t${answer}\t${error}\t${next}\t${row.worker_id}\t${row.lease_number}\n`
}

/** The outcome of one run that made an attempt and decides about its delivery. */
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
export const recordAttempted = (tx: Tx, orgId: OrgId, rows: readonly AttemptedDelivery[]) =>
  tx.run`${attemptedUpsert(tx, orgId, { rows })}`

/** As a part of a statement, for those of which a condition on `ran` holds. */
export const attemptedUpsert = (
  queries: Queries,
  orgId: OrgId,
  { rows, where = queries.part`true` }: { rows: readonly AttemptedDelivery[]; where?: unknown },
) => {
  // ABORTED as text: what follows `on conflict` after a select is sent to a node without parameters.
  const isMoved = queries.part`(d.status = 'pending' or (excluded.status = 'succeeded' and d.status <> 'succeeded')
    or (d.status = 'held' and excluded.reason = 'aborted_by_receiver'))`
  return queries.part`
    insert into webhook_deliveries as d (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin,
      status, reason, attempts, last_response_status, last_error_class, created_at, first_attempt_at, next_attempt_at,
      completed_at)
    select ${homeOrg(queries, orgId)}, ran.id, ran.endpoint_id, ran.event_id, ran.type, ran.subject, ran.sequence, ran.is_test,
      ran.is_thin, ran.status, ran.reason, 1, ran.response_status, ran.error_class, ran.started_at, ran.started_at,
      ran.next_attempt_at, ran.completed_at
    from ${fromHome(queries, orgId)} unnest(
      ${rows.map((row) => row.id)}::text[],
      ${rows.map((row) => row.endpoint_id)}::text[], ${rows.map((row) => row.event_id)}::text[],
      ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.is_test)}::boolean[],
      ${rows.map((row) => row.is_thin)}::boolean[], ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => row.reason)}::text[], ${rows.map((row) => row.last_response_status)}::int[],
      ${rows.map((row) => row.last_error_class)}::text[], ${rows.map((row) => row.first_attempt_at)}::timestamptz[],
      ${rows.map((row) => row.next_attempt_at)}::timestamptz[], ${rows.map((row) => row.completed_at)}::timestamptz[]
    ) as ran(id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status, reason,
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
export const listExisting = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<{ id: Id<'dlv'> }>`
  select id from webhook_deliveries where org_id = ${orgId} and id = any(${ids})`

/** An attempt that decides nothing: a resend that failed. */
type UndecidedDelivery = Pick<DeliveryRow, 'org_id' | 'id' | 'last_response_status' | 'last_error_class'> & {
  first_attempt_at: Date
}

export const recordUndecided = (tx: Tx, row: UndecidedDelivery) => tx.run`
  update webhook_deliveries
  set attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ${row.first_attempt_at}),
      last_response_status = ${row.last_response_status}, last_error_class = ${row.last_error_class}
  where org_id = ${row.org_id} and id = ${row.id}`

/** Something came of it without an attempt: our own failure, an event that expired, an endpoint that is gone. */
type UnattemptedDelivery = Pick<DeliveryRow, 'org_id' | 'id' | 'status' | 'reason' | 'next_attempt_at' | 'completed_at'>

export const recordUnattempted = (tx: Tx, row: UnattemptedDelivery) => tx.run`
  update webhook_deliveries
  set status = ${row.status}, reason = ${row.reason}, next_attempt_at = ${row.next_attempt_at},
      completed_at = ${row.completed_at}
  where org_id = ${row.org_id} and id = ${row.id} and status = 'pending'`

import type { Id, OrgId } from '../../kernel/ids.ts'
import { copyText, copyValue } from '../../platform/database/copy.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type AttemptTrigger = 'auto' | 'manual' | 'recover' | 'test' | 'probe'

export type AttemptRow = {
  org_id: OrgId
  delivery_id: Id<'dlv'>
  id: Id<'att'>
  endpoint_id: Id<'wep'>
  event_id: Id<'evt'>
  number: number
  trigger: AttemptTrigger
  outcome: 'succeeded' | 'failed'
  /** Secrets in it are masked. */
  url: string
  ip: string | null
  http_version: string | null
  /** Values that may be credentials are masked. */
  request_headers: Record<string, string>
  request_bytes: number
  body_sha256: string
  started_at: Date
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  total_ms: number
  throttled_ms: number
  response_status: number | null
  response_headers: Record<string, string> | null
  response_body: string | null
  is_response_base64: boolean
  is_response_truncated: boolean
  error_class: string | null
  error_detail: string | null
  retry_after_ms: number | null
  next_attempt_at: Date | null
  worker_id: string
  lease_number: number
}

const columns = (queries: Queries) => queries.part`
  org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version, request_headers,
  request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms, throttled_ms, response_status,
  response_headers, response_body, is_response_base64, is_response_truncated, error_class, error_detail, retry_after_ms,
  next_attempt_at, worker_id, lease_number`

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

/** One statement for a whole batch. */
export const insertAttempts = (tx: Tx, rows: readonly AttemptRow[]) => tx.run`${attemptInsert(tx, rows)}`

/** As a part of a statement: a condition may follow. */
export const attemptInsert = (queries: Queries, rows: readonly AttemptRow[]) => queries.part`
  insert into webhook_attempts (${columns(queries)})
  select org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version,
    request_headers::json, request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms,
    throttled_ms, response_status, response_headers::json, response_body, is_response_base64, is_response_truncated,
    error_class, error_detail, retry_after_ms, next_attempt_at, worker_id, lease_number
  from unnest(
    ${rows.map((row) => row.org_id)}::text[], ${rows.map((row) => row.delivery_id)}::text[],
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
  ) as attempt(org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version,
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

/** Newest first. `fromId` leaves the days before the delivery aside. */
export const listAttempts = (
  queries: Queries,
  orgId: OrgId,
  { deliveryId, fromId, limit }: { deliveryId: string; fromId: string; limit: number },
) => queries.many<AttemptRow>`
  select ${columns(queries)} from webhook_attempts
  where org_id = ${orgId} and delivery_id = ${deliveryId} and id >= ${fromId}
  order by id desc limit ${limit}`

export type NumberQuestion = { orgId: OrgId; deliveryId: Id<'dlv'> /** As for `listAttempts`. */; fromId: string }

/**
 * The highest number on record for each delivery. The count alone does not show it: a run that was lost with its process had
 * a number too. Asked row by row, not joined, so that there is nothing for the planner to choose but the primary keys.
 */
export const listLastNumbers = (queries: Queries, asked: readonly NumberQuestion[]) =>
  queries.many<{ delivery_id: Id<'dlv'>; number: number }>`
    select asked.delivery_id, greatest(
      0,
      (select attempts from webhook_deliveries where org_id = asked.org_id and id = asked.delivery_id),
      (select max(number) from webhook_attempts
       where org_id = asked.org_id and delivery_id = asked.delivery_id and id >= asked.from_id)) as number
    from unnest(
      ${asked.map(({ orgId }) => orgId)}::text[], ${asked.map(({ deliveryId }) => deliveryId)}::text[],
      ${asked.map(({ fromId }) => fromId)}::text[]
    ) as asked(org_id, delivery_id, from_id)`

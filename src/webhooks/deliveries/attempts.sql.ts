import type { Id, OrgId } from '../../kernel/ids.ts'
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

export const attemptColumns = (queries: Queries) => queries.part`
  org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip, http_version, request_headers,
  request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms, total_ms, throttled_ms, response_status,
  response_headers, response_body, is_response_base64, is_response_truncated, error_class, error_detail, retry_after_ms,
  next_attempt_at, worker_id, lease_number`

/** Newest first. `fromId` leaves the days before the delivery aside. */
export const listAttempts = (
  queries: Queries,
  orgId: OrgId,
  { deliveryId, fromId, limit }: { deliveryId: string; fromId: string; limit: number },
) => queries.many<AttemptRow>`
  select ${attemptColumns(queries)} from webhook_attempts
  where org_id = ${orgId} and delivery_id = ${deliveryId} and id >= ${fromId}
  order by id desc limit ${limit}`

type NumberQuestion = { deliveryId: Id<'dlv'> /** As for `listAttempts`. */; fromId: string }

/**
 * The highest number on record for each delivery. The count alone does not show it: a run that was lost with its process had
 * a number too. Asked row by row, not joined, so that there is nothing for the planner to choose but the primary keys.
 */
export const listLastNumbers = (queries: Queries, orgId: OrgId, asked: readonly NumberQuestion[]) =>
  queries.many<{ delivery_id: Id<'dlv'>; number: number }>`
    select asked.delivery_id, greatest(
      0,
      (select attempts from webhook_deliveries where org_id = ${orgId} and id = asked.delivery_id),
      (select max(number) from webhook_attempts
       where org_id = ${orgId} and delivery_id = asked.delivery_id and id >= asked.from_id)) as number
    from unnest(
      ${asked.map(({ deliveryId }) => deliveryId)}::text[], ${asked.map(({ fromId }) => fromId)}::text[]
    ) as asked(delivery_id, from_id)`

/** What receivers answered, which may repeat the event. The detail of a redirect says where they pointed to. */
export const emptyResponses = (
  tx: Tx,
  orgId: OrgId,
  { deliveryIds, fromId }: { deliveryIds: readonly string[]; fromId: string },
) => tx.run`
  update webhook_attempts
  set response_body = null, response_headers = null, is_response_base64 = false, is_response_truncated = false,
      error_detail = case when error_class = 'redirect' then null else error_detail end
  where org_id = ${orgId} and delivery_id = any(${[...deliveryIds]}) and id >= ${fromId}
    and (response_body is not null or response_headers is not null)`

type AttemptBucket = { bucket: number; succeeded: number; failed: number; p50_ms: number | null; p95_ms: number | null }

/** Attempts of the newest deliveries of an endpoint, by time. The limit bounds the work at an endpoint with very many. */
export const countAttempts = (
  queries: Queries,
  orgId: OrgId,
  range: {
    endpointId: string
    from: Date
    fromDeliveryId: string
    fromAttemptId: string
    bucketSeconds: number
    limit: number
  },
) => queries.many<AttemptBucket>`
  select floor(extract(epoch from started_at - ${range.from}::timestamptz) / ${range.bucketSeconds})::int as bucket,
    (count(*) filter (where outcome = 'succeeded'))::int as succeeded,
    (count(*) filter (where outcome = 'failed'))::int as failed,
    percentile_cont(0.5) within group (order by total_ms) as p50_ms,
    percentile_cont(0.95) within group (order by total_ms) as p95_ms
  from webhook_attempts
  where org_id = ${orgId} and id >= ${range.fromAttemptId} and started_at >= ${range.from} and delivery_id in (
    select id from webhook_deliveries
    where org_id = ${orgId} and endpoint_id = ${range.endpointId} and id >= ${range.fromDeliveryId}
    order by id desc limit ${range.limit}
  )
  group by bucket`

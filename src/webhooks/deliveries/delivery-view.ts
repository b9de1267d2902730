import type { z } from 'zod'
import type { WebhookAttempt, WebhookDelivery } from './deliveries.schemas.ts'
import type { Attempt, Delivery } from './deliveries.ts'

/** Deliveries and attempts as the API shows them. */
const time = (date: Date | null) => date?.toISOString() ?? null

export const presentDelivery = (row: Delivery, isInFlight = false): z.input<typeof WebhookDelivery> => ({
  object: 'webhook_delivery',
  id: row.id,
  event_id: row.event_id,
  endpoint_id: row.endpoint_id,
  type: row.type,
  sequence: row.sequence,
  status: isInFlight && (row.status === 'pending' || row.status === 'held') ? 'in_flight' : row.status,
  reason: row.reason,
  test: row.is_test,
  attempt_count: row.attempts,
  last_response_status: row.last_response_status,
  last_error_class: row.last_error_class,
  created_at: row.created_at.toISOString(),
  first_attempt_at: time(row.first_attempt_at),
  next_attempt_at: time(row.next_attempt_at),
  completed_at: time(row.completed_at),
})

export const presentAttempt = (row: Attempt): z.input<typeof WebhookAttempt> => ({
  object: 'webhook_attempt',
  id: row.id,
  number: row.number,
  trigger: row.trigger,
  outcome: row.outcome,
  url: row.url,
  ip: row.ip,
  http_version: row.http_version,
  request_headers: row.request_headers,
  request_bytes: row.request_bytes,
  body_sha256: row.body_sha256,
  started_at: row.started_at.toISOString(),
  dns_ms: row.dns_ms,
  connect_ms: row.connect_ms,
  tls_ms: row.tls_ms,
  ttfb_ms: row.ttfb_ms,
  total_ms: row.total_ms,
  throttled_ms: row.throttled_ms,
  response_status: row.response_status,
  response_headers: row.response_headers,
  response_body: row.response_body,
  response_encoding: row.is_response_base64 ? 'base64' : 'utf8',
  response_truncated: row.is_response_truncated,
  error_class: row.error_class,
  error_detail: row.error_detail,
  retry_after_ms: row.retry_after_ms,
  next_attempt_at: time(row.next_attempt_at),
  worker_id: row.worker_id,
  lease_token: String(row.lease_number),
})

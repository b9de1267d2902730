import { z } from 'zod'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'

/** Public shapes of deliveries and attempts. */
const deliveryStatuses = ['pending', 'in_flight', 'succeeded', 'failed', 'held', 'cancelled', 'skipped'] as const

const eventName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/)

const deliveryShape = {
  object: z.literal('webhook_delivery'),
  id: idSchema('dlv'),
  event_id: idSchema('evt').meta({ description: 'Also the `webhook-id` of every attempt.' }),
  endpoint_id: idSchema('wep'),
  type: eventName,
  sequence: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().meta({ description: 'Null on test events.' }),
  status: z.enum(deliveryStatuses).meta({
    description:
      '`held`: waits until the endpoint is resumed. `skipped` and `cancelled`: not sent unless you recover or resend it.',
  }),
  reason: textSchema(100).nullable().meta({ description: 'The reason for the status; null if there is none.' }),
  test: z.boolean(),
  attempt_count: z.int().min(0).max(1_000_000),
  last_response_status: z.int().min(0).max(999).nullable(),
  last_error_class: textSchema(50).nullable(),
  created_at: timeSchema,
  first_attempt_at: timeSchema.nullable(),
  next_attempt_at: timeSchema.nullable(),
  completed_at: timeSchema.nullable(),
}

export const WebhookDelivery = z
  .object(deliveryShape)
  .meta({ id: 'WebhookDelivery', description: 'One event for one endpoint.' })

const milliseconds = z.number().min(0).max(86_400_000).nullable()
const headers = z.record(z.string().max(8192), textSchema(20_000)).meta({ maxProperties: 200 })

export const WebhookAttempt = z
  .object({
    object: z.literal('webhook_attempt'),
    id: idSchema('att'),
    number: z.int().min(1).max(1_000_000).meta({ description: 'As sent in `webhook-attempt`.' }),
    trigger: z.enum(['auto', 'manual', 'recover', 'test', 'probe']),
    outcome: z.enum(['succeeded', 'failed']),
    url: textSchema(8192).meta({ description: 'The URL of the attempt, with secrets masked.' }),
    ip: textSchema(45).nullable().meta({ description: 'The IP address of the receiver.' }),
    http_version: textSchema(10).nullable(),
    request_headers: headers,
    request_bytes: z.int().min(0).max(10_000_000),
    body_sha256: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: 'SHA-256 of the request body, which is the event.' }),
    started_at: timeSchema,
    dns_ms: milliseconds,
    connect_ms: milliseconds,
    tls_ms: milliseconds,
    ttfb_ms: milliseconds,
    total_ms: z.number().min(0).max(86_400_000),
    throttled_ms: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
      description: 'How long the rate limit of the endpoint delayed it.',
    }),
    response_status: z.int().min(0).max(999).nullable(),
    response_headers: headers.nullable(),
    response_body: textSchema(32_768).nullable().meta({ description: 'The first 16 KiB.' }),
    response_encoding: z.enum(['utf8', 'base64']),
    response_truncated: z.boolean(),
    error_class: textSchema(50).nullable(),
    error_detail: textSchema(1000).nullable(),
    retry_after_ms: z.int().min(0).max(86_400_000).nullable(),
    next_attempt_at: timeSchema.nullable(),
    worker_id: textSchema(64),
    lease_token: textSchema(64).meta({ description: 'For support.' }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One HTTP request of a delivery.' })

export const WebhookDeliveryWithAttempts = z
  .object({
    ...deliveryShape,
    attempts: z.array(WebhookAttempt).max(100).meta({
      description: 'Oldest first, at most the newest 100; `attempt_count` is the total number.',
    }),
  })
  .meta({ id: 'WebhookDeliveryWithAttempts', description: 'A delivery with its attempts.' })

export const WebhookResend = z
  .object({
    object: z.literal('webhook_resend'),
    attempt_id: idSchema('att').meta({ description: 'The id of the attempt in the log of the delivery.' }),
    delivery_id: idSchema('dlv'),
    event_id: idSchema('evt'),
    endpoint_id: idSchema('wep'),
  })
  .meta({ id: 'WebhookResend', description: 'The accepted resend.' })

export const deliveryExample = {
  object: 'webhook_delivery' as const,
  id: 'dlv_01k9x3m5q8e0t9v7a2b4c6d8fg',
  event_id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  endpoint_id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
  type: 'key.created',
  sequence: 4711,
  status: 'failed' as const,
  reason: 'exhausted',
  test: false,
  attempt_count: 12,
  last_response_status: 500,
  last_error_class: 'status',
  created_at: '2026-11-14T09:30:00.000Z',
  first_attempt_at: '2026-11-14T09:30:00.100Z',
  next_attempt_at: null,
  completed_at: '2026-11-17T13:12:00.000Z',
}

export const attemptExample = {
  object: 'webhook_attempt' as const,
  id: 'att_01k9x3m5q8e0t9v7a2b4c6d8fg',
  number: 12,
  trigger: 'auto' as const,
  outcome: 'failed' as const,
  url: 'https://shop.example.com/hooks/nexkit',
  ip: '203.0.113.7',
  http_version: '1.1',
  request_headers: {
    'content-type': 'application/json',
    'webhook-id': 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
    'webhook-timestamp': '1794907920',
    'webhook-signature': 'v1,7/TAwyRAL5lyBA1W/3CqC4MV7WpZ4bmkYzVfqRAnzoE=',
    'webhook-attempt': '12',
  },
  request_bytes: 892,
  body_sha256: 'c5b1a7a5a27f0c5f4ad63ac3f4d0a1bb8ddc03ea6df37bbf5c1f7f7ea0b9f0a1',
  started_at: '2026-11-17T13:11:59.800Z',
  dns_ms: 1.2,
  connect_ms: 14.5,
  tls_ms: 22.1,
  ttfb_ms: 80.4,
  total_ms: 120.9,
  throttled_ms: 0,
  response_status: 500,
  response_headers: { 'content-type': 'text/plain' },
  response_body: 'Internal Server Error',
  response_encoding: 'utf8' as const,
  response_truncated: false,
  error_class: 'status',
  error_detail: 'The receiver responded with status 500.',
  retry_after_ms: null,
  next_attempt_at: null,
  worker_id: 'prc_01k9x3m5q8e0t9v7a2b4c6d8fg',
  lease_token: '12',
}

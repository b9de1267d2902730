import { z } from 'zod'
import { EVERYTHING, publishedNames } from '../../events/events.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { cloudEventsOf } from './cloud-format.ts'
import {
  DELAYS_BY_EVENT_MAX,
  delaysByEventSchema,
  delaysSchema,
  filterSchema,
  filtersSchema,
  formatSchema,
  headersSchema,
  numberSchema,
  payloadFilterSchema,
  tlsSchema,
  urlSchema,
  verifyTokenSchema,
} from './endpoint-fields.schemas.ts'
import { PATHS_MAX, VALUES_MAX } from './payload-filter.ts'

/** Public shapes of webhook endpoints, in and out. */
export const TAG = 'Webhooks'

const settings = {
  description: textSchema(500).nullable(),
  payload: z.enum(['full', 'thin']).meta({ description: '`thin` sends only ids; fetch the resource for the details.' }),
  ordering: z.enum(['none', 'by_key', 'strict']).meta({
    description:
      '`strict` sends one event at a time in order of `sequence`; `by_key` does so per resource (per chat for `whatsapp_cloud`, where it is the least). A failing event delays the ones after it.',
  }),
  max_per_second: z.number().min(0.1).max(1000).nullable().meta({ description: 'Null for no limit.' }),
  timeout_ms: z.int().min(5000).max(30_000).meta({ description: 'Timeout of the request, including the response.' }),
  retry_delays_seconds: delaysSchema.nullable().meta({
    description:
      'Seconds to wait after each failed attempt, for new deliveries. Null for the standard schedule: 12 attempts in 3 days.',
  }),
  signing: z.enum(['v1', 'v1a', 'both']).meta({
    description:
      '`v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. Official libraries do not support `v1a`.',
  }),
}

const example = { url: 'https://shop.example.com/hooks/nexkit', events: ['key.*'], description: 'Shop backend' }

/** What a setting is in the format that has no use for it. */
function refuseForFormat(input: FormatFields, context: z.core.$RefinementCtx): void {
  const problem = formatProblem(input)
  if (problem === null) return
  const { name, message, code } = problem
  context.addIssue({ code: 'custom', path: [name], message, params: { code, ...BEYOND_SCHEMA } })
}

type FormatFields = {
  format: 'standard' | 'whatsapp_cloud'
  events: readonly string[]
  payload: string
  signing: string
  verify_token?: string | undefined
  number?: string | null | undefined
  filter?: object | null | undefined
}

type FormatProblem = { name: string; message: string; code: string }

const notIn = (name: string, message: string): FormatProblem => ({ name, message, code: 'not_in_format' })

function formatProblem(input: FormatFields): FormatProblem | null {
  const { format, verify_token: token, number } = input
  if (format === 'standard') {
    if (token !== undefined) return notIn('verify_token', 'Only the format "whatsapp_cloud" has a verify token.')
    return number == null ? null : notIn('number', 'Only the format "whatsapp_cloud" can be limited to a number.')
  }
  if (token === undefined)
    return {
      name: 'verify_token',
      message: 'Give the token that the callback expects in hub.verify_token.',
      code: 'required',
    }
  return cloudProblem(input)
}

type CloudFields = {
  events?: readonly string[] | undefined
  payload?: string | undefined
  signing?: string | undefined
  filter?: object | null | undefined
}

/** For a change as well, which may name any of them. */
export function cloudProblem({ events, payload, signing, filter }: CloudFields): FormatProblem | null {
  if (filter != null) return notIn('filter', 'The format "whatsapp_cloud" has no payload filter.')
  if (payload === 'thin') return notIn('payload', 'The format "whatsapp_cloud" has no thin payload. Use "full".')
  if (signing !== undefined && signing !== 'v1')
    return notIn('signing', 'The format "whatsapp_cloud" is signed with the secret alone. Use "v1".')
  if (events === undefined || cloudEventsOf(events).length > 0) return null
  return notIn('events', `The format "whatsapp_cloud" has these events: ${cloudEventsOf([EVERYTHING]).join(', ')}.`)
}

export const NewWebhookEndpoint = z
  .strictObject({
    url: urlSchema,
    format: formatSchema.default('standard'),
    verify_token: verifyTokenSchema.optional(),
    number: numberSchema.nullable().optional(),
    events: filtersSchema.default([EVERYTHING]),
    filter: payloadFilterSchema.nullable().optional(),
    description: settings.description.optional(),
    payload: settings.payload.default('full'),
    ordering: settings.ordering.default('none'),
    max_per_second: settings.max_per_second.optional(),
    timeout_ms: settings.timeout_ms.default(15_000),
    retry_delays_seconds: settings.retry_delays_seconds.optional(),
    retry_delays_by_event: delaysByEventSchema.nullable().optional(),
    signing: settings.signing.default('v1'),
    custom_headers: headersSchema.optional(),
    tls: tlsSchema.nullable().optional(),
  })
  .superRefine(refuseForFormat)
  .meta({ id: 'NewWebhookEndpoint', description: 'A new webhook endpoint. Only `url` is required.' })

export const WebhookEndpointChange = z
  .strictObject({
    url: urlSchema.optional(),
    verify_token: verifyTokenSchema.optional(),
    number: numberSchema.nullable().optional(),
    events: filtersSchema.optional(),
    filter: payloadFilterSchema.nullable().optional(),
    description: settings.description.optional(),
    payload: settings.payload.optional(),
    ordering: settings.ordering.optional(),
    max_per_second: settings.max_per_second.optional(),
    timeout_ms: settings.timeout_ms.optional(),
    retry_delays_seconds: settings.retry_delays_seconds.optional(),
    retry_delays_by_event: delaysByEventSchema
      .nullable()
      .optional()
      .meta({ description: 'Replaces all custom schedules; null removes them.' }),
    signing: settings.signing.optional(),
    custom_headers: headersSchema.optional().meta({ description: 'Replaces all custom headers.' }),
    tls: tlsSchema.nullable().optional().meta({ description: 'Replaces all TLS settings; null removes them.' }),
  })
  .meta({ id: 'WebhookEndpointChange', description: 'Fields you leave out keep their value.' })

const Health = z
  .object({
    breaker: z
      .enum(['closed', 'open', 'half_open'])
      .meta({ description: '`open` delays deliveries without using up their attempts.' }),
    blocked_until: timeSchema.nullable().meta({
      description: 'Nothing is sent before this time, because of the breaker, the rate limit or `Retry-After`.',
    }),
    blocked_reason: textSchema(100).nullable().meta({
      description:
        '`endpoint_reordering`: pending deliveries are being sorted for a new `ordering`; nothing is sent meanwhile.',
    }),
    failing_since: timeSchema.nullable(),
    failures_since_success: z.int().min(0).max(1_000_000_000),
    last_success_at: timeSchema.nullable(),
    success_rate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Share of successful deliveries among the last 100, without pending ones.' }),
    in_flight: z.int().min(0).max(1_000_000),
    backlog: z
      .int()
      .min(0)
      .max(10_000)
      .meta({ description: 'Pending deliveries, including retries; counted up to 10,000.' }),
    held: z.int().min(0).max(10_000).meta({ description: 'Held deliveries; counted up to 10,000.' }),
  })
  .meta({ id: 'WebhookHealth', description: 'The health of the receiver and its backlog.' })

const Ping = z
  .object({
    delivery_id: idSchema('dlv'),
    status: z.enum(['pending', 'succeeded', 'failed']),
    response_status: z.int().min(0).max(999).nullable(),
    error_class: textSchema(50).nullable(),
    at: timeSchema.nullable(),
  })
  .meta({
    id: 'WebhookPing',
    description:
      'The result of the last ping of the URL; null once it is older than the retention period of deliveries.',
  })

const endpointShape = {
  object: z.literal('webhook_endpoint'),
  id: idSchema('wep'),
  url: urlSchema,
  description: settings.description,
  format: formatSchema,
  number: idSchema('num')
    .nullable()
    .meta({ description: 'The one business number whose events are sent; null for all.' }),
  events: z.array(filterSchema).max(100),
  filter: z
    .record(z.string().max(600), z.array(textSchema(500)).max(VALUES_MAX))
    .nullable()
    .meta({ maxProperties: PATHS_MAX, description: 'Values that the payload of an event must have; null for any.' }),
  state: z.enum(['enabled', 'degraded', 'paused', 'disabled']).meta({
    description:
      '`degraded`: active, but failing, so its breaker is not closed. `paused`: by a person. `disabled`: by Nexkit or the receiver.',
  }),
  disabled_reason: z.enum(['no_success', 'gone', 'receiver_wish']).nullable(),
  payload: settings.payload,
  ordering: settings.ordering,
  max_per_second: settings.max_per_second,
  timeout_ms: settings.timeout_ms,
  retry_delays_seconds: delaysSchema,
  retry_delays_by_event: z
    .record(filterSchema, delaysSchema)
    .meta({ maxProperties: DELAYS_BY_EVENT_MAX, description: 'Custom retry schedules by event type.' }),
  signing: settings.signing,
  custom_headers: z
    .record(z.string().max(256), textSchema(10))
    .meta({ maxProperties: 20, description: 'The custom headers, their values masked.' }),
  tls: z
    .object({ ca: z.boolean(), client_certificate: z.boolean() })
    .meta({ id: 'WebhookTlsPresence', description: 'Which TLS settings are set.' }),
  secret_hint: textSchema(20).meta({ description: 'The end of the current secret, to recognize it.' }),
  public_keys: z
    .array(textSchema(100))
    .max(3)
    .meta({ description: 'The keys for `v1a`, newest first. Also as a JWK set at `/.well-known/webhook-keys.json`.' }),
  health: Health,
  last_ping: Ping.nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
}

export const WebhookEndpoint = z
  .object(endpointShape)
  .meta({ id: 'WebhookEndpoint', description: 'A URL that receives events, signed with its secret.' })

export const WebhookEndpointWithSecret = z
  .object({
    ...endpointShape,
    secret: z
      .string()
      .max(100)
      .regex(/^whsec_[A-Za-z0-9+/]+=*$/)
      .meta({
        description:
          'The secret for `v1`. Returned only once: store it now. For `whatsapp_cloud` the whole text, `whsec_` included, is the app secret.',
      }),
  })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its new secret.' })

export const ResumeRequest = z
  .strictObject({
    mode: z.enum(['from_now', 'recover_held']).default('recover_held').meta({
      description:
        '`recover_held` sends all held and pending deliveries; `from_now` marks them as skipped and sends only new events.',
    }),
  })
  .meta({ id: 'WebhookResume', description: 'How to resume.' })

export const RotateRequest = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(604_800).default(86_400).meta({
      description:
        'How long requests are also signed with the old secret. 0 revokes it at once, for example after a leak.',
    }),
  })
  .meta({ id: 'WebhookSecretRotation', description: 'How to rotate the secret.' })

export const TestRequest = z
  .strictObject({
    type: z
      .string()
      .max(100)
      .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/, 'This must be an event name such as order.paid.')
      .meta({ description: 'The event type of the example.' })
      .meta(publishedNames),
  })
  .meta({ id: 'WebhookTest', description: 'The example to send.' })

export const TestReply = z
  .object({
    object: z.literal('webhook_test'),
    event_id: idSchema('evt'),
    delivery_id: idSchema('dlv').meta({ description: 'Get this delivery for the result.' }),
    endpoint_id: idSchema('wep'),
    type: textSchema(100),
  })
  .meta({ id: 'WebhookTestReply', description: 'The accepted test.' })

export type NewWebhookEndpointInput = z.output<typeof NewWebhookEndpoint>
export type WebhookEndpointChangeInput = z.output<typeof WebhookEndpointChange>

export const newEndpointExample = example

export const endpointExample = {
  object: 'webhook_endpoint' as const,
  id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
  ...example,
  format: 'standard' as const,
  number: null,
  filter: null,
  state: 'enabled' as const,
  disabled_reason: null,
  payload: 'full' as const,
  ordering: 'none' as const,
  max_per_second: null,
  timeout_ms: 15_000,
  retry_delays_seconds: [5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  retry_delays_by_event: { 'key.created': [5, 30] },
  signing: 'v1' as const,
  custom_headers: { authorization: '••••' },
  tls: { ca: false, client_certificate: false },
  secret_hint: 'whsec_…HyA=',
  public_keys: [],
  health: {
    breaker: 'closed' as const,
    blocked_until: null,
    blocked_reason: null,
    failing_since: null,
    failures_since_success: 0,
    last_success_at: '2026-11-14T09:30:00.000Z',
    success_rate: 1,
    in_flight: 0,
    backlog: 0,
    held: 0,
  },
  last_ping: {
    delivery_id: 'dlv_01k9x3m5q8e0t9v7a2b4c6d8fg',
    status: 'succeeded' as const,
    response_status: 200,
    error_class: null,
    at: '2026-11-14T09:30:00.000Z',
  },
  created_at: '2026-11-14T09:29:59.000Z',
  updated_at: '2026-11-14T09:29:59.000Z',
}

import { z } from 'zod'
import {
  EVERYTHING,
  FILTER_FORM_SAYS,
  filterForm,
  publishedFilters,
  publishedNames,
  refuseUnknownFilters,
  refuseUnknownKeys,
} from '../../events/events.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { URL_FORM, URL_LENGTH_MAX } from '../../platform/outbound-http/egress.ts'
import { HEADER_NAME, HEADER_VALUE } from '../../platform/outbound-http/outbound-client.ts'
import { cloudEventsOf } from './cloud-format.ts'
import { CUSTOM_HEADERS_MAX, checkCustomHeaders, HEADER_FORM_PROBLEMS } from './custom-headers.ts'

/** Under which the routes of webhooks are documented. */
export const TAG = 'Webhooks'

/** Public shapes of webhook endpoints, in and out. */
const urlSchema = z
  .string()
  .min(1)
  .max(URL_LENGTH_MAX)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//, 'The URL must begin with https://.')
  .meta({
    format: 'uri',
    description: 'The URL that receives events: public, https, without user name or fragment.',
    pattern: URL_FORM.source,
  })

const filterSchema = z.string().min(1).max(100).regex(filterForm, FILTER_FORM_SAYS)

const filtersSchema = z
  .array(filterSchema.meta(publishedFilters))
  .min(1)
  .max(100)
  .superRefine(refuseUnknownFilters)
  .meta({ description: 'Event types: names, all of a resource as `order.*`, or `*` for all.' })

const headersSchema = z
  .record(
    z.string().max(256).meta({ pattern: HEADER_NAME.source }),
    textSchema(4096).meta({ pattern: HEADER_VALUE.source }),
  )
  .superRefine((headers, context) => {
    const check = checkCustomHeaders(headers)
    if (check.ok) return
    const path = check.header === undefined ? [] : [check.header]
    const line = HEADER_FORM_PROBLEMS.includes(check.code) ? {} : BEYOND_SCHEMA
    context.addIssue({ code: 'custom', path, message: check.says, params: { code: check.code, ...line } })
  })
  .meta({
    maxProperties: CUSTOM_HEADERS_MAX,
    description: 'Headers sent with every attempt, for example an authorization. Stored encrypted, shown masked.',
  })

const PEM = /^-----BEGIN [A-Z0-9 ]+-----/
const pemSchema = z.string().max(32_768).regex(PEM, 'This must be in PEM form.')

const tlsSchema = z
  .strictObject({
    ca: pemSchema.optional().meta({ description: 'Additional certificate authorities to trust.' }),
    client_certificate: pemSchema.optional(),
    client_key: pemSchema.optional(),
  })
  .superRefine(({ client_certificate, client_key }, context) => {
    if ((client_certificate === undefined) === (client_key === undefined)) return
    const name = client_key === undefined ? 'client_key' : 'client_certificate'
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'A client certificate needs its key. Send both.',
      params: { code: 'required' },
    })
  })
  .meta({
    id: 'WebhookTls',
    description:
      'Additional certificate authorities, and a client certificate with its key. Stored encrypted, never shown.',
    dependentRequired: { client_certificate: ['client_key'], client_key: ['client_certificate'] },
  })

const delaysSchema = z.array(z.int().min(1).max(86_400)).max(20)

const DELAYS_BY_EVENT_MAX = 50

const delaysByEventSchema = z
  .record(filterSchema.meta(publishedFilters), delaysSchema)
  .superRefine((delays, context) => {
    refuseUnknownKeys(delays, context)
    if (Object.keys(delays).length <= DELAYS_BY_EVENT_MAX) return
    const message = `Give waits for at most ${DELAYS_BY_EVENT_MAX} events.`
    context.addIssue({ code: 'custom', message, params: { code: 'too_many' } })
  })
  .meta({
    maxProperties: DELAYS_BY_EVENT_MAX,
    description:
      'Custom retry schedules by event type or `order.*`; the most specific name applies. An empty list means one attempt.',
  })

/** Sent in a URL and compared by the receiver: one line of plain characters. */
const VERIFY_TOKEN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const verifyTokenSchema = z
  .string()
  .min(1)
  .max(256)
  .regex(VERIFY_TOKEN, 'This must be one line of plain characters.')
  .meta({
    description:
      'For `whatsapp_cloud`: the token that your callback expects in `hub.verify_token`. Stored encrypted, never shown.',
  })

const LINE = '^(?:[^\\s\\u0000]| )+$'
const numberSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\S ]+$/)
  .meta({
    pattern: LINE,
    description:
      'For `whatsapp_cloud`: only events of this business number, by its id, its `phone_number_id` or its phone. Null for all numbers.',
  })

const formatSchema = z.enum(['standard', 'whatsapp_cloud']).meta({
  description:
    '`standard` follows Standard Webhooks. `whatsapp_cloud` sends messages and statuses as Meta’s Cloud API does, signed with `X-Hub-Signature-256`, after a handshake with `verify_token`. It cannot be changed.',
})

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
}

/** For a change as well, which may name any of them. */
export function cloudProblem({ events, payload, signing }: CloudFields): FormatProblem | null {
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

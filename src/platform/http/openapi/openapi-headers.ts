import { TAGS_CHARACTERS_MAX } from '../pipeline/entity-tags.ts'
import { API_VERSION } from '../pipeline/reply.ts'
import type { Components, JsonObject, Reference } from './openapi-components.ts'

/** Response headers and header parameters, described once. Header values are text; every text is bounded. */
const text = (pattern: string, maxLength: number, example: string): JsonObject => ({
  schema: { type: 'string', maxLength, pattern },
  example,
})

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const PRINTABLE = '^[\\x20-\\x7e]*$'

const responseHeaders = {
  'Access-Control-Allow-Origin': {
    description: 'Any web page may read the answer. The key is a header that the page has to hold itself.',
    schema: { type: 'string', const: '*' },
    example: '*',
  },
  'X-Request-Id': {
    description: 'Name it when you ask about a request; the request log finds it by this id.',
    ...text(`^req_${ID}$`, 30, 'req_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  'API-Version': {
    description: 'The date of the contract that this answer follows.',
    ...text('^\\d{4}-\\d{2}-\\d{2}$', 10, API_VERSION),
  },
  RateLimit: {
    description:
      'How many requests would pass now (`r`) and in how many seconds there will be more (`t`). On every answer to a valid key that has a limit.',
    ...text(PRINTABLE, 200, '"key";r=199;t=1'),
  },
  'RateLimit-Policy': {
    description: 'The limit itself: `q` requests in `w` seconds, and at most `nx-burst` at once.',
    ...text(PRINTABLE, 200, '"key";q=100;w=1;nx-burst=200'),
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request can succeed.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The challenge of RFC 6750.',
    ...text(PRINTABLE, 300, 'Bearer realm="public-api", error="invalid_token"'),
  },
  Accept: { description: 'What the server reads.', ...text(PRINTABLE, 100, 'application/json') },
  ETag: {
    description:
      'Send it back as `If-None-Match` to get 304 when nothing changed, or as `If-Match` with a change that is meant for this state only. The quotes belong to it.',
    ...text('^W/"[0-9a-z]+"$', 40, 'W/"2n5k8x1c7q"'),
  },
  Location: {
    description: 'The path of what was made.',
    ...text('^/[\\x21-\\x7e]*$', 300, '/api/public/v1/orders/ord_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  Link: {
    description: 'With `rel="next"`, the page after this one, when there is one: the same request with its `cursor`.',
    ...text('^<[\\x21-\\x7e]+>; rel="next"$', 10_000, '</api/public/v1/orders?limit=25&cursor=eyJ2IjoxfQ>; rel="next"'),
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Original-Request-Id': {
    description: 'With a replay: the request that did the work.',
    ...text(`^req_${ID}$`, 30, 'req_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  'Key-Expires-At': {
    description: 'Present when the key stops working within 14 days.',
    schema: { type: 'string', format: 'date-time', maxLength: 24 },
    example: '2026-11-20T00:00:00.000Z',
  },
} satisfies Record<string, JsonObject>

export type ResponseHeader = keyof typeof responseHeaders

/** On every answer, errors included. The rate limit is described on all of them; it is sent when a valid key was. */
const ALWAYS: ResponseHeader[] = [
  'Access-Control-Allow-Origin',
  'X-Request-Id',
  'API-Version',
  'RateLimit',
  'RateLimit-Policy',
]

export function describeHeaders(components: Components, extra: ResponseHeader[]): Record<string, Reference> {
  // A linter rule asks every map called "headers" for this member, the map of shared headers included.
  const names = [...ALWAYS, ...extra]
  return Object.fromEntries(names.map((name) => [name, components.refer('headers', name, () => responseHeaders[name])]))
}

/** Headers that a caller sends carry no example: tools fill examples in, and an example key would then be sent by every client. */
const headerParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat: within 24 hours the same key with the same request returns the stored answer. A random UUID is a good choice. Double quotes around it are allowed and do not count.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!#-~][!-~]*$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer, or several: 304 without a body when one of them is still the same.',
    // Whatever a header can be: what is not one of ours is merely not the same.
    schema: { type: 'string', maxLength: TAGS_CHARACTERS_MAX, pattern: '^[\\s\\S]*$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of what a GET of the same address showed you, or several: the change is made only if one of them still fits, else 412. `*` fits whatever is there. Needs the scope that reading it needs.',
    schema: {
      type: 'string',
      maxLength: TAGS_CHARACTERS_MAX,
      pattern: '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$',
    },
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event; the same on every attempt, so use it to recognise repeats.',
    schema: { type: 'string', maxLength: 64, pattern: `^evt_${ID}$` },
    example: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in seconds since 1970. Refuse what is older than five minutes.',
    schema: { type: 'string', maxLength: 12, pattern: '^[0-9]+$' },
    example: '1794648600',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description: 'One or more signatures, separated by spaces; the request is genuine when one of them matches.',
    schema: { type: 'string', maxLength: 1000, pattern: '^v1a?,[A-Za-z0-9+/=]+( v1a?,[A-Za-z0-9+/=]+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  WebhookAttempt: {
    name: 'webhook-attempt',
    in: 'header',
    required: true,
    description: 'Which attempt this is, from 1 on. The signature does not cover it: for your log alone.',
    schema: { type: 'string', maxLength: 7, pattern: '^[1-9][0-9]*$' },
    example: '1',
  },
} satisfies Record<string, JsonObject>

/** Those that an event arrives with. */
export const webhookHeaderNames = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature', 'WebhookAttempt'] as const
export const webhookHeaders = webhookHeaderNames.map((name) => headerParameters[name])

export const referParameter = (components: Components, name: keyof typeof headerParameters): Reference =>
  components.refer('parameters', name, () => headerParameters[name])

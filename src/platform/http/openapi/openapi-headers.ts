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
    description: 'Any web page may read the response. The page has to send the key.',
    schema: { type: 'string', const: '*' },
    example: '*',
  },
  'X-Request-Id': {
    description: 'The id of the request, for the request log and for support.',
    ...text(`^req_${ID}$`, 30, 'req_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  'API-Version': {
    description: 'The API version of this response, as a date.',
    ...text('^\\d{4}-\\d{2}-\\d{2}$', 10, API_VERSION),
  },
  RateLimit: {
    description:
      'How many requests are left now (`r`), and in how many seconds there are more (`t`). On every response to a key with a limit.',
    ...text(PRINTABLE, 200, '"key";r=199;t=1'),
  },
  'RateLimit-Policy': {
    description: 'The rate limit: `q` requests in `w` seconds, and at most `nx-burst` at once.',
    ...text(PRINTABLE, 200, '"key";q=100;w=1;nx-burst=200'),
  },
  'Retry-After': {
    description: 'Seconds to wait before you repeat the request.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The challenge of RFC 6750.',
    ...text(PRINTABLE, 300, 'Bearer realm="public-api", error="invalid_token"'),
  },
  Accept: { description: 'The media types that the server accepts.', ...text(PRINTABLE, 100, 'application/json') },
  ETag: {
    description:
      'Send it as `If-None-Match` to get 304 if nothing changed, or as `If-Match` to apply a change only to this version. The quotes are part of it.',
    ...text('^W/"[0-9a-z]+"$', 40, 'W/"2n5k8x1c7q"'),
  },
  Location: {
    description: 'The path of the new object.',
    ...text('^/[\\x21-\\x7e]*$', 300, '/api/public/v1/orders/ord_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  Link: {
    description: 'With `rel="next"`, the URL of the next page, if there is one.',
    ...text('^<[\\x21-\\x7e]+>; rel="next"$', 10_000, '</api/public/v1/orders?limit=25&cursor=eyJ2IjoxfQ>; rel="next"'),
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored response of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Original-Request-Id': {
    description: 'With a replay: the id of the original request.',
    ...text(`^req_${ID}$`, 30, 'req_01k9x3m5q8e0t9v7a2b4c6d8fg'),
  },
  'Key-Expires-At': {
    description: 'Present if the key expires within 14 days.',
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
      'Makes the request safe to repeat: for 24 hours, the same key with the same request returns the stored response. Use a random UUID. Double quotes around it are optional.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!#-~][!-~]*$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'One or more `ETag` values of earlier responses. If one is still current, the response is 304 without a body.',
    // Whatever a header can be: what is not one of ours is merely not the same.
    schema: { type: 'string', maxLength: TAGS_CHARACTERS_MAX, pattern: '^[\\s\\S]*$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'One or more `ETag` values from a GET of the same address. The change is applied only if one of them is still current, otherwise the response is 412. `*` matches any version. Needs the read scope of the object.',
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
    description: 'The id of the event. It is the same on every attempt; use it to detect duplicates.',
    schema: { type: 'string', maxLength: 64, pattern: `^evt_${ID}$` },
    example: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in seconds since 1970. Reject requests older than five minutes.',
    schema: { type: 'string', maxLength: 12, pattern: '^[0-9]+$' },
    example: '1794648600',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description: 'One or more signatures, separated by spaces. The request is genuine if one of them matches.',
    schema: { type: 'string', maxLength: 1000, pattern: '^v1a?,[A-Za-z0-9+/=]+( v1a?,[A-Za-z0-9+/=]+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  WebhookAttempt: {
    name: 'webhook-attempt',
    in: 'header',
    required: true,
    description: 'The number of the attempt, from 1. The signature does not cover it; use it only for your log.',
    schema: { type: 'string', maxLength: 7, pattern: '^[1-9][0-9]*$' },
    example: '1',
  },
} satisfies Record<string, JsonObject>

/** Those that an event arrives with. */
export const webhookHeaderNames = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature', 'WebhookAttempt'] as const
export const webhookHeaders = webhookHeaderNames.map((name) => headerParameters[name])

export const referParameter = (components: Components, name: keyof typeof headerParameters): Reference =>
  components.refer('parameters', name, () => headerParameters[name])

import type { Dialect } from '../../platform/http/define-route.ts'
import type { Components, JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { describeHeaders, type ResponseHeader } from '../../platform/http/openapi/openapi-headers.ts'
import { openEnum } from '../../platform/http/openapi/openapi-schemas.ts'

/** How the description presents Meta's errors: one shape for all, and the codes that a status can come with. */
const errorSchema: JsonObject = {
  type: 'object',
  description: 'Meta’s error envelope. Branch on `error.code`.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'code', 'fbtrace_id'],
      properties: {
        message: { type: 'string', pattern: '^[^\\u0000]*$', maxLength: 2000 },
        type: openEnum({ type: 'string', enum: ['OAuthException', 'GraphMethodException'] }),
        code: { type: 'integer', format: 'int32', minimum: 0, maximum: 1_000_000 },
        error_subcode: { type: 'integer', format: 'int32', minimum: 0, maximum: 10_000_000 },
        error_data: {
          type: 'object',
          properties: {
            messaging_product: { type: 'string', const: 'whatsapp' },
            details: {
              type: 'string',
              pattern: '^[^\\u0000]*$',
              maxLength: 2000,
              description: 'The invalid field and the reason.',
            },
          },
        },
        fbtrace_id: {
          type: 'string',
          pattern: '^[^\\u0000]*$',
          maxLength: 64,
          description: 'The request id, as in `X-Request-Id`.',
        },
      },
    },
  },
}

type Described = { description: string; example: { title: string; code: number; details?: string }; type?: string }

const ERRORS: Record<string, Described> = {
  400: {
    description:
      '`100`: the request cannot be read, or there is no such object (subcode 33). `131008`: something is missing. `131009`: a value is not valid. `131021`: the recipient is the sending number. `131047`: the reply window is closed, send a template. `131051`: no such type of message. `131053`: the file is too large. `132001`: no template with this name in this language. `132000`, `132012`: what is given for a template is not what it takes. `132015`, `132016`: the template is paused or disabled. `133010`: the number is not connected.',
    example: {
      title: 'Parameter value is not valid',
      code: 131009,
      details: 'interactive.action.buttons: This needs 1 to 3 items; you sent 0.',
    },
  },
  401: { description: '`190`: no valid key.', example: { title: 'Invalid OAuth access token', code: 190 } },
  403: {
    description: '`10`: the key does not have the scope `messages:send`.',
    example: { title: 'Application does not have permission for this action', code: 10 },
  },
  429: { description: '`130429`: too many requests.', example: { title: 'Rate limit hit', code: 130429 } },
  500: { description: '`131000`: our fault.', example: { title: 'Something went wrong', code: 131000 } },
  503: { description: '`131016`: try again soon.', example: { title: 'Service unavailable', code: 131016 } },
}

export const cloudApiDialect = ({ bodyType }: { bodyType?: string } = {}): Dialect => ({
  ...(bodyType !== undefined && { bodyType }),
  describeErrors: (components) =>
    Object.entries(ERRORS).map(([status, error]) => [
      status,
      components.refer('responses', `CloudApi${status}`, () => describeError(components, status, error)),
    ]),
})

const headersOf = (status: string): ResponseHeader[] => {
  if (status === '401') return ['WWW-Authenticate']
  return status === '429' || status === '503' ? ['Retry-After'] : []
}

function describeError(components: Components, status: string, { description, example }: Described): JsonObject {
  const { title, code, details } = example
  return {
    description,
    headers: describeHeaders(components, headersOf(status)),
    content: {
      'application/json': {
        schema: components.refer('schemas', 'CloudApiError', () => errorSchema),
        example: {
          error: {
            message: `(#${code}) ${title}`,
            type: 'OAuthException',
            code,
            ...(details !== undefined && { error_data: { messaging_product: 'whatsapp', details } }),
            fbtrace_id: 'req_01k9x3m5q8e0t9v7a2b4c6d8fg',
          },
        },
      },
    },
  }
}

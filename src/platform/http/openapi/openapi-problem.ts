import { DETAIL_MAX, FIELD_PROBLEMS_MAX, fieldLengths } from '../problem.ts'
import type { JsonObject } from './openapi-components.ts'
import { openEnum } from './openapi-schemas.ts'

/** RFC 9457 with our five extension members. `code` lists every code there is; the responses of an operation name its own. */
export const problemSchema = (codes: readonly string[]): JsonObject => ({
  type: 'object',
  description:
    'An error (RFC 9457). Branch on `code`, and on `status` for codes you do not know: new codes may be added at any time.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'doc_url'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      maxLength: 200,
      description: 'A URI for the error code; the same on every installation.',
    },
    title: { ...text(200), description: 'The error in a few words; the same for every occurrence of a code.' },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    detail: {
      ...text(DETAIL_MAX),
      description: 'What is wrong and what to do, for people. The wording may change.',
    },
    instance: { type: 'string', maxLength: 8192, pattern: '^/', description: 'The path of the request.' },
    code: openEnum({ type: 'string', enum: [...codes], description: 'Stable name of the error, for programs.' }),
    errors: {
      type: 'array',
      maxItems: FIELD_PROBLEMS_MAX,
      items: { $ref: '#/components/schemas/FieldProblem' },
      description: 'Every invalid field, in the order of the request.',
    },
    params: { type: 'object', maxProperties: 50, description: 'The values of `detail` as data.' },
    request_id: {
      type: 'string',
      maxLength: 30,
      pattern: '^req_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      description: 'As in `X-Request-Id`.',
    },
    doc_url: {
      type: 'string',
      format: 'uri',
      maxLength: 500,
      description: 'The documentation of this code on this server.',
    },
  },
})

export const fieldProblemSchema: JsonObject = {
  type: 'object',
  description: 'One invalid field. Exactly one of `pointer`, `parameter` and `header` names it.',
  required: ['code', 'detail'],
  properties: {
    pointer: {
      type: 'string',
      maxLength: fieldLengths.pointer,
      pattern: '^#(/.*)?$',
      description: 'For the body: a JSON Pointer as URI fragment.',
    },
    parameter: { ...text(fieldLengths.name), description: 'For the path or query: the name of the parameter.' },
    header: { ...text(fieldLengths.name), description: 'For a header: its name.' },
    code: {
      type: 'string',
      maxLength: 63,
      pattern: '^[a-z0-9_]+$',
      description: 'Stable name of the error, for programs.',
    },
    detail: { ...text(fieldLengths.detail), description: 'What the field must be, for people.' },
    params: {
      type: 'object',
      maxProperties: 50,
      description: 'The values of `detail` as data, such as `allowed`, `min` or `max`.',
    },
  },
}

function text(maxLength: number): JsonObject {
  return { type: 'string', maxLength, pattern: '^[^\\u0000]*$' }
}

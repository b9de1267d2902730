import { DETAIL_MAX, FIELD_PROBLEMS_MAX, fieldLengths } from '../problem.ts'
import type { JsonObject } from './openapi-components.ts'
import { openEnum } from './openapi-schemas.ts'

/** RFC 9457 with our five extension members. `code` lists every code there is; the responses of an operation name its own. */
export const problemSchema = (codes: readonly string[]): JsonObject => ({
  type: 'object',
  description:
    'What went wrong, as RFC 9457 wants it. Decide by `code`, and by `status` for a code you do not know: new codes may appear at any time.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'doc_url'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      maxLength: 200,
      description: 'Names the kind of problem; the same on every installation.',
    },
    title: { ...text(200), description: 'The kind of problem in a few words; never changes for a code.' },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The HTTP status again.' },
    detail: {
      ...text(DETAIL_MAX),
      description: 'What is wrong this time and what to do next. For people; the words may change.',
    },
    instance: { type: 'string', maxLength: 8192, pattern: '^/', description: 'The path that was called.' },
    code: openEnum({ type: 'string', enum: [...codes], description: 'Stable name of the problem.' }),
    errors: {
      type: 'array',
      maxItems: FIELD_PROBLEMS_MAX,
      items: { $ref: '#/components/schemas/FieldProblem' },
      description: 'Every field that needs attention, in the order of the request.',
    },
    params: { type: 'object', maxProperties: 50, description: 'Every changing value of `detail`, as data.' },
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
      description: 'The page about this code on the running server.',
    },
  },
})

export const fieldProblemSchema: JsonObject = {
  type: 'object',
  description:
    'One field and what is wrong with it. Exactly one of `pointer`, `parameter` and `header` says where it is.',
  required: ['code', 'detail'],
  properties: {
    pointer: {
      type: 'string',
      maxLength: fieldLengths.pointer,
      pattern: '^#(/.*)?$',
      description: 'In the body: a JSON Pointer as URI fragment.',
    },
    parameter: { ...text(fieldLengths.name), description: 'In the path or query: the name of the parameter.' },
    header: { ...text(fieldLengths.name), description: 'The name of the header.' },
    code: {
      type: 'string',
      maxLength: 63,
      pattern: '^[a-z0-9_]+$',
      description: 'Stable name of what is wrong with the field.',
    },
    detail: { ...text(fieldLengths.detail), description: 'What the field must be. For people.' },
    params: { type: 'object', maxProperties: 50, description: 'The same as data, such as `allowed`, `min` or `max`.' },
  },
}

function text(maxLength: number): JsonObject {
  return { type: 'string', maxLength, pattern: '^[^\\u0000]*$' }
}

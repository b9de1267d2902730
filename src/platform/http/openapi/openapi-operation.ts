import { z } from 'zod'
import { isCacheable, type Route } from '../define-route.ts'
import { createQueryReader } from '../pipeline/query-parameters.ts'
import type { UploadRule } from '../pipeline/upload.ts'
import { type Components, exampleOf, type Json, type JsonObject } from './openapi-components.ts'
import { describeErrors, errorsOf } from './openapi-errors.ts'
import { describeHeaders, type ResponseHeader, referParameter } from './openapi-headers.ts'
import { describeSchema } from './openapi-schemas.ts'

/** One route as an OpenAPI operation. */
export function describeOperation(components: Components, route: Route, basePath: string): JsonObject {
  const parameters = describeParameters(components, route)
  return {
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description}\n\n${accessSentence(route)}`,
    operationId: route.id,
    'x-required-scopes': route.access.type === 'key' && route.access.scope !== null ? [route.access.scope] : [],
    ...(route.agentTool !== undefined && { 'x-agent-tool': true }),
    ...(route.access.type === 'open' && { security: [{}] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: describeBody(components, route, route.body) }),
    ...(route.upload !== undefined && { requestBody: describeUpload(components, route.upload) }),
    responses: Object.fromEntries([
      ...describeSuccess(components, route),
      ...(route.dialect?.describeErrors(components) ??
        describeErrors(components, errorsOf(route), basePath + filledPath(route))),
    ]),
  }
}

function accessSentence({ access }: Route): string {
  if (access.type === 'open') return 'No key is needed.'
  if (access.type === 'session') return 'For people who are signed in to the console.'
  return access.scope === null ? 'Scope: any valid key.' : `Scope: \`${access.scope}\`.`
}

const pathNames = (path: string) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)

const filledPath = (route: Route) =>
  pathNames(route.path).reduce<string>(
    (path, name) => path.replace(`{${name}}`, route.example.params?.[name] ?? name),
    route.path,
  )

function describeParameters(components: Components, route: Route): Json[] {
  return [
    ...describePathParameters(components, route),
    ...describeQueryParameters(components, route),
    ...(route.idempotency === undefined ? [] : [referParameter(components, 'IdempotencyKey')]),
    ...(isCacheable(route) ? [referParameter(components, 'IfNoneMatch')] : []),
    ...(route.lock === undefined ? [] : [referParameter(components, 'IfMatch')]),
  ]
}

function describePathParameters(components: Components, route: Route): JsonObject[] {
  const names = pathNames(route.path)
  const declared = Object.keys(route.params?.shape ?? {})
  if (names.toSorted().join() !== declared.toSorted().join())
    throw new Error(
      `route ${route.id}: the path names {${names.join('}, {')}}, but params declares ${declared.join(', ') || 'nothing'}`,
    )
  return names.map((name) => {
    const schema: z.ZodType = route.params?.shape[name]
    return describeParameter(components, route, {
      name,
      in: 'path',
      schema,
      isRequired: true,
      example: route.example.params?.[name],
    })
  })
}

function describeQueryParameters(components: Components, route: Route): JsonObject[] {
  if (route.query === undefined) return []
  const examples = createQueryReader(route.query)(new URLSearchParams(route.example.query)).values
  // Described as a whole first: that proves that it refuses what it does not name.
  const { required = [] } = describeSchema(components, route.query, 'request', `route ${route.id}, query`)
  return Object.entries(route.query.shape).map(([name, schema]) =>
    describeParameter(components, route, {
      name,
      in: 'query',
      schema,
      isRequired: Array.isArray(required) && required.includes(name),
      example: Object.hasOwn(examples, name) ? exampleOf(examples[name]) : undefined,
    }),
  )
}

type Parameter = {
  name: string
  in: 'path' | 'query'
  schema: z.ZodType
  isRequired: boolean
  example: Json | undefined
}

function describeParameter(components: Components, route: Route, parameter: Parameter): JsonObject {
  const { name, isRequired, example } = parameter
  const where = `route ${route.id}, ${parameter.in} parameter ${name}`
  const { description, ...schema } = describeSchema(components, parameter.schema, 'request', where)
  if (description === undefined) throw new Error(`${where} has no description`)
  return {
    name,
    in: parameter.in,
    required: isRequired,
    description,
    // Several values are one text with commas, in the query as in the reader.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
    ...(example !== undefined && { example }),
  }
}

function describeBody(components: Components, route: Route, body: z.ZodType): JsonObject {
  return {
    required: route.isBodyOptional !== true,
    content: {
      [route.dialect?.bodyType ?? 'application/json']: {
        schema: describeSchema(components, body, 'request', `route ${route.id}, body`),
        example: exampleOf(route.example.body),
      },
    },
  }
}

const describeUpload = (components: Components, { types: [type], bytesMax, exampleName }: UploadRule): JsonObject => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: components.refer('schemas', 'FileForm', () => ({
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary', maxLength: bytesMax, description: 'The file.' } },
        additionalProperties: false,
        description: 'A form with one file.',
      })),
      example: { file: exampleName },
    },
    [type]: {
      schema: components.refer('schemas', 'FileContent', () => ({
        type: 'string',
        format: 'binary',
        maxLength: bytesMax,
        description: 'The content of the file.',
      })),
    },
  },
})

/** The description must state a bound; the rows have none. */
const CSV_CHARACTERS_MAX = Number.MAX_SAFE_INTEGER

const CSV_DESCRIPTION =
  'All rows that match the filters, from the cursor on, with `Accept: text/csv`. The first line names the columns: a member of an object is `customer.phone`, and lists are JSON.'

/** A change that returns the changed object also returns its tag. */
const isTagged = ({ lock, reply }: Route) => lock !== undefined && reply.body !== null

const hasPages = ({ reply: { body } }: Route) => body instanceof z.ZodObject && 'next_cursor' in body.shape

const STATUS_DESCRIPTIONS: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; no body.',
}

function describeSuccess(components: Components, route: Route): [string, JsonObject][] {
  const { status, body, description, also } = route.reply
  const extra: ResponseHeader[] = [
    ...(isCacheable(route) || isTagged(route) ? (['ETag'] as const) : []),
    ...(route.location === undefined ? [] : (['Location'] as const)),
    ...(hasPages(route) ? (['Link'] as const) : []),
    ...(route.idempotency === undefined ? [] : (['Idempotent-Replayed', 'Original-Request-Id'] as const)),
    'Key-Expires-At',
  ]
  const success: JsonObject = {
    description: description ?? STATUS_DESCRIPTIONS[status] ?? 'Done.',
    headers: describeHeaders(components, extra),
    ...(body !== null && {
      content: {
        'application/json': {
          schema: describeSchema(components, body, 'reply', `route ${route.id}, reply`),
          example: exampleOf(route.example.reply),
        },
        ...(route.csv !== undefined && {
          'text/csv': {
            schema: components.refer('schemas', 'Csv', () => ({
              type: 'string',
              maxLength: CSV_CHARACTERS_MAX,
              pattern: '^[^\\u0000]*$',
              description: CSV_DESCRIPTION,
            })),
          },
        }),
      },
    }),
  }
  const other: [string, JsonObject][] =
    also === undefined ? [] : [[String(also.status), { ...success, description: also.description }]]
  if (!isCacheable(route)) return [...other, [String(status), success]]
  return [
    [String(status), success],
    ['304', components.refer('responses', 'NotModified', () => notModified(components))],
  ]
}

const notModified = (components: Components): JsonObject => ({
  description: 'Nothing changed since the answer whose `ETag` was sent; no body.',
  headers: describeHeaders(components, ['ETag']),
})

import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { exampleRoutes, exampleWebhooks } from '../../../../test/support/example-routes.ts'
import { anyKey, defineRoute, open, type Route } from '../define-route.ts'
import * as httpErrors from '../http.errors.ts'
import { buildOpenApi, type OpenApiOptions, serializeDescription } from './openapi.ts'
import { createComponents } from './openapi-components.ts'
import { describeSchema } from './openapi-schemas.ts'

type Described = {
  operationId: string
  description: string
  'x-required-scopes': string[]
  security?: object[]
  parameters?: {
    $ref?: string
    name?: string
    required?: boolean
    schema: object
    example?: unknown
    explode?: boolean
  }[]
  requestBody?: { content: Record<string, { schema: { $ref: string }; example: unknown }> }
  responses: Record<
    string,
    { $ref?: string; headers: Record<string, unknown>; content?: Record<string, ProblemContent> }
  >
}
type ProblemContent = { schema: { $ref: string }; examples: object }
type Schema = { properties: Record<string, Schema>; [keyword: string]: unknown }

const options = (change: Partial<OpenApiOptions> = {}): OpenApiOptions => ({
  info: { title: 'Example', version: '1', summary: 's', description: 'd', contact: {}, license: {} },
  tags: [
    { name: 'Orders', description: 'Orders.' },
    { name: 'Unused', description: 'Nothing.' },
    { name: 'Webhooks', description: 'Webhooks.' },
  ],
  servers: [{ url: '/api/public/v1', description: 'local' }],
  basePath: '/api/public/v1',
  routes: exampleRoutes,
  errors: [],
  webhooks: exampleWebhooks,
  ...change,
})

const document = buildOpenApi(options())
const components = document.components as unknown as Record<string, Record<string, never>>
const schemas = components.schemas as unknown as Record<string, Schema>

const operations = new Map(
  Object.values(document.paths as object)
    .flatMap((path) => Object.values(path as Record<string, Described>))
    .map((operation) => [operation.operationId, operation]),
)
const operation = (id: string) => operations.get(id) as Described

const resolve = (response: { $ref?: string }) => {
  if (response.$ref === undefined) return response as Described['responses'][string]
  return components.responses?.[response.$ref.split('/').at(-1) as string] as unknown as Described['responses'][string]
}

const codesOf = (id: string, status: number): string[] => {
  const response = operation(id).responses[status]
  return response === undefined
    ? []
    : Object.keys(resolve(response).content?.['application/problem+json']?.examples ?? {})
}

const anyRoute = (change: Partial<Route>): Route => ({
  ...defineRoute({
    id: 'doThing',
    method: 'GET',
    path: '/things',
    tag: 'Orders',
    summary: 'Do',
    description: 'Does.',
    access: anyKey,
    reply: { status: 200, body: z.object({ ok: z.boolean() }) },
    example: { reply: { ok: true } },
    handle: () => ({ ok: true }),
  }),
  ...change,
})

describe('every operation', () => {
  test('names its scope in words and as data', () => {
    expect(operation('createOrder').description).toContain('Scope: `orders:write`.')
    expect(operation('createOrder')['x-required-scopes']).toEqual(['orders:write'])
    expect(operation('rotateSecret').description).toContain('Scope: any valid key.')
    expect(operation('rotateSecret')['x-required-scopes']).toEqual([])
  })

  test('describes the rate limit, the request id and who may read it on every answer', () => {
    for (const { responses } of operations.values()) {
      for (const response of Object.values(responses)) {
        const { headers } = resolve(response)
        expect(Object.keys(headers)).toContainValues([
          'Access-Control-Allow-Origin',
          'RateLimit',
          'RateLimit-Policy',
          'X-Request-Id',
        ])
      }
    }
    expect(resolve(operation('getOrder').responses[429] as object).headers).toHaveProperty('Retry-After')
    expect(resolve(operation('getOrder').responses[401] as object).headers).toHaveProperty('WWW-Authenticate')
  })

  test('answers errors as problem documents, with an example per code', () => {
    for (const { responses } of operations.values()) {
      for (const [status, response] of Object.entries(responses).filter(([status]) => Number(status) >= 400)) {
        const { content = {} } = resolve(response)
        expect(Object.keys(content)).toEqual(['application/problem+json'])
        const { schema, examples } = content['application/problem+json'] as ProblemContent
        expect(schema).toEqual({ $ref: '#/components/schemas/Problem' })
        for (const code of Object.keys(examples))
          expect(components.examples).toHaveProperty([code, 'value', 'status'], Number(status))
      }
    }
  })

  test('that is open says so and asks for no key', () => {
    const opened = buildOpenApi(options({ routes: [anyRoute({ access: open })], webhooks: [] }))
    const described = (opened.paths as never as Record<string, { get: Described }>)['/things']?.get as Described
    expect(described.security).toEqual([{}])
    expect(Object.keys(described.responses)).not.toContain('401')
  })
})

describe('the codes of an operation', () => {
  const jsonCodes = Object.keys(httpErrors.jsonProblems)

  test('are those that its own checks can give', () => {
    expect(codesOf('getOrder', 400)).toEqual(['if_none_match_too_long', 'parameter_invalid', 'path_invalid'])
    expect(codesOf('listOrders', 400)).toEqual(['cursor_invalid', 'if_none_match_too_long', 'parameter_invalid'])
    expect(codesOf('createOrder', 400)).toEqual(['idempotency_key_invalid', ...jsonCodes, 'parameter_invalid'].sort())
    expect(codesOf('createOrder', 409)).toEqual(['idempotency_key_in_use'])
    expect(codesOf('createOrder', 422)).toEqual(['idempotency_key_reused', 'validation_failed'])
    expect(codesOf('updateOrder', 422)).toEqual(['validation_failed'])
    expect(codesOf('deleteOrder', 422)).toEqual([])
  })

  test('include what the route declares', () => {
    expect(codesOf('getOrder', 404)).toEqual(['example_order_not_found'])
    expect(codesOf('cancelOrder', 409)).toEqual(['example_order_not_cancellable', 'idempotency_key_in_use'])
  })

  test('know a missing scope only where a scope is asked for', () => {
    expect(codesOf('getOrder', 403)).toEqual(['scope_missing'])
    expect(codesOf('rotateSecret', 403)).toEqual([])
  })

  test('are narrowed from the list of all codes, which holds also those that no operation gives', () => {
    const all = buildOpenApi(options({ errors: [httpErrors.sessionRequired] }))
    const codes = Object(all.components.schemas).Problem.properties.code['x-extensible-enum']
    const used = [...operations.values()].flatMap(({ operationId, responses }) =>
      Object.keys(responses).flatMap((status) => codesOf(operationId, Number(status))),
    )
    expect(codes).toEqual([...new Set([...used, 'session_required'])].sort())
  })
})

describe('headers', () => {
  const refs = (id: string) => (operation(id).parameters ?? []).flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])

  test('Idempotency-Key is a parameter of every POST, and a replay is described', () => {
    expect(refs('createOrder')).toEqual(['IdempotencyKey'])
    expect(refs('updateOrder')).not.toContain('IdempotencyKey')
    expect(operation('createOrder').responses[201]?.headers).toHaveProperty('Idempotent-Replayed')
  })

  test('an answer with 201 has a Location header', () => {
    expect(operation('createOrder').responses[201]?.headers).toHaveProperty('Location')
    expect(operation('cancelOrder').responses[200]?.headers).not.toHaveProperty('Location')
  })

  test('reads carry an entity tag and know 304; an answer with a secret does not', () => {
    expect(refs('getOrder')).toEqual(['IfNoneMatch'])
    expect(components.parameters?.IfNoneMatch).toMatchObject({ schema: { maxLength: 12_288 } })
    expect(operation('getOrder').responses[200]?.headers).toHaveProperty('ETag')
    expect(operation('getOrder').responses).toHaveProperty('304')
    const secret = buildOpenApi(options({ routes: [anyRoute({ showsSecret: true })], webhooks: [] }))
    expect(JSON.stringify(secret)).not.toContain('ETag')
  })

  test('If-Match is a parameter of every change of what can be read, which answers 412 with the current tag', () => {
    for (const id of ['updateOrder', 'deleteOrder']) {
      expect(refs(id)).toEqual(['IfMatch'])
      expect(operation(id).responses[412]).toHaveProperty('$ref', '#/components/responses/VersionConflict')
    }
    expect(components.responses?.VersionConflict).toHaveProperty('headers.ETag')
    expect(operation('updateOrder').responses[200]?.headers).toHaveProperty('ETag')
    expect(operation('deleteOrder').responses[204]?.headers).not.toHaveProperty('ETag')
    expect(operation('createOrder').responses).not.toHaveProperty('412')
    const ifMatch = components.parameters?.IfMatch as unknown as { schema: { pattern: string } }
    for (const [value, isTaken] of Object.entries({ '*': true, 'W/"a1", "b"': true, a1: false, '*, "a"': false }))
      expect([value, new RegExp(ifMatch.schema.pattern).test(value)]).toEqual([value, isTaken])
  })
})

describe('schemas', () => {
  test('with an id are components, and a request refuses what a reply may gain', () => {
    expect(operation('createOrder').requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/ExampleNewOrder',
    })
    expect(schemas.ExampleNewOrder).toHaveProperty('additionalProperties', false)
    expect(schemas.ExampleOrder).not.toHaveProperty('additionalProperties')
    expect(schemas.ExampleOrder?.properties.metadata).toHaveProperty('additionalProperties.type', 'string')
  })

  test('of a body say whether it may be left out', () => {
    const described = (change: Partial<Route>) => {
      const route = { method: 'POST' as const, body: z.strictObject({}), ...change }
      const { paths } = buildOpenApi(options({ routes: [anyRoute(route)], webhooks: [] }))
      return JSON.stringify(paths)
    }
    expect(described({})).toContain('"requestBody":{"required":true')
    expect(described({ isBodyOptional: true })).toContain('"requestBody":{"required":false')
  })

  test('say null as a second type, and as a value of an enum', () => {
    expect(schemas.ExampleOrder?.properties.note).toMatchObject({ type: ['string', 'null'], maxLength: 500 })
    const body = z.strictObject({ status: z.enum(['paid', 'unpaid']).nullable() })
    const described = describeSchema(createComponents(), body, 'request', 'a test')
    expect(Object(described.properties).status).toEqual({ type: ['string', 'null'], enum: ['paid', 'unpaid', null] })
    expect(schemas.ExampleOrder?.properties.total).toEqual({
      anyOf: [{ $ref: '#/components/schemas/ExampleMoney' }, { type: 'null' }],
    } as never)
  })

  test('have open enums in replies, which take values of later, and closed ones in requests', () => {
    expect(schemas.ExampleOrder?.properties.payment_status).toEqual({
      type: ['string', 'null'],
      maxLength: 100,
      pattern: '^[^\\u0000]*$',
      description: 'Today: `paid`, `unpaid` (more may be added).',
      'x-extensible-enum': ['paid', 'unpaid'],
    } as never)
  })

  test('of bodies describe the value of an absent member in words, so that no generator requires it', () => {
    const body = z.strictObject({
      quantity: z.int().min(1).max(9).default(1).meta({ description: 'How many.' }),
      colour: z.string().max(9).regex(/./).default('red'),
    })
    const { paths } = buildOpenApi(options({ routes: [anyRoute({ method: 'POST', body })], webhooks: [] }))
    const [described] = JSON.stringify(paths).match(/"schema":\{"type":"object".*?"additionalProperties":false\}/) ?? []
    const { properties, required } = JSON.parse(`{${described}}`).schema
    expect(properties.quantity).toMatchObject({ description: 'How many. When absent: `1`.' })
    expect(properties.colour).toMatchObject({ description: 'When absent: `red`.' })
    expect([required, properties.quantity.default, properties.colour.default]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('give integers the format that their bounds fit', () => {
    expect(schemas.ExampleMoney?.properties.amount).toHaveProperty('format', 'int64')
    const items = schemas.ExampleOrder?.properties.items as unknown as { items: Schema }
    expect(items.items.properties.quantity).toHaveProperty('format', 'int32')
  })

  test('of parameters carry their example as a value of their type', () => {
    const byName = Object.fromEntries((operation('listOrders').parameters ?? []).map((one) => [one.name ?? '', one]))
    expect(byName.limit).toMatchObject({ required: false, example: 25, schema: { type: 'integer', default: 25 } })
    expect(byName.status).toMatchObject({ explode: false, example: ['open', 'paid'] })
  })
})

test('webhooks are described as calls to the reader, with the two answers that end it', () => {
  const webhook = (document.webhooks as never as Record<string, { post: Described }>)['order.paid']?.post as Described
  expect(webhook.operationId).toBe('onOrderPaid')
  expect(webhook.security).toEqual([])
  expect(Object.keys(webhook.responses).sort()).toEqual(['2XX', '410'])
  const gone: object = resolve(webhook.responses[410] as object)
  expect(gone).toEqual({ description: expect.stringContaining('disabled at once') })
  expect(webhook.requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/ExampleOrderPaidEvent',
  })
  expect(schemas.ExampleOrderPaidEvent).not.toHaveProperty('additionalProperties')
})

test('the text does not depend on the order in which routes are declared', () => {
  const turned = buildOpenApi(options({ routes: exampleRoutes.toReversed() }))
  expect(serializeDescription(turned)).toBe(serializeDescription(document))
})

test('what is shared is sorted by name, so that a new route moves nothing else', () => {
  for (const section of Object.values(components)) expect(Object.keys(section)).toEqual(Object.keys(section).sort())
})

test('only tags in use are listed', () => {
  expect((document.tags as { name: string }[]).map((tag) => tag.name)).toEqual(['Orders', 'Webhooks'])
})

describe('a mistake in a declaration stops the build', () => {
  const build = (change: Partial<Route>) => () => buildOpenApi(options({ routes: [anyRoute(change)], webhooks: [] }))
  const closed = z.strictObject({ name: z.string().max(5).meta({ description: 'Name.' }) })

  test('a request body or query that would drop unknown members', () => {
    expect(build({ method: 'PATCH', body: z.object({ name: z.string() }) })).toThrow('declare it with z.strictObject')
    expect(build({ query: z.object({ name: z.string() }) })).toThrow('declare it with z.strictObject')
    expect(build({ query: closed })).not.toThrow()
  })

  test('path and params that disagree', () => {
    expect(build({ path: '/things/{id}' })).toThrow('the path names {id}, but params declares nothing')
    expect(build({ params: closed })).toThrow('params declares name')
  })

  test('a parameter without a description', () => {
    expect(build({ query: z.strictObject({ name: z.string() }) })).toThrow('query parameter name has no description')
  })

  test('a tag without a description', () => {
    expect(build({ tag: 'Things' })).toThrow('the tag Things has no description')
  })

  test('one schema name for two forms', () => {
    const Both = z.strictObject({ ok: z.boolean() }).meta({ id: 'ExampleBoth' })
    const change: Partial<Route> = { method: 'PATCH', body: Both, reply: { status: 200, body: Both } }
    expect(build(change)).toThrow('the schema "ExampleBoth" has different forms in requests and replies')
  })

  test('two routes of one name', () => {
    const twice = [anyRoute({}), anyRoute({ path: '/others' })]
    expect(() => buildOpenApi(options({ routes: twice, webhooks: [] }))).toThrow('two routes are called doThing')
  })
})

import { z } from 'zod'
import { consoleRoutes } from '../src/boot/console-routes.ts'
import { type Route, unserved } from '../src/platform/http/define-route.ts'
import { authRoutes } from '../src/surfaces/console-api/sign-in/auth.routes.ts'
import { consoleValues } from './console-values.ts'
import {
  answerOf,
  bodyOf,
  type Call,
  callsOf,
  type Description,
  parametersIn,
  reachedFrom,
  SCHEMAS,
  type Schema,
  takesFile,
} from './sdk-description.ts'
import { declare, queryName, queryType, typeOf } from './sdk-types.ts'

/**
 * What the console sends and receives, by method and path. The routes of the console are written out from their declarations.
 * Those of the public API refer to the types of the SDK, with one difference: the server that answers is the one that served the
 * console, so a list of values that may grow for other clients is closed here.
 */
export function consoleTypes(published: Description): string {
  const { calls, schemas, shared } = describeConsole(published)
  const answered = reachedFrom({ ...published, components: { schemas } }, [calls.map((call) => call.responses)])
  const named = Object.entries(schemas).map(([name, schema]) =>
    declare(name, schema.description, typeOf(schema, answered.has(name) ? 'answer' : 'request')),
  )
  const routes = [
    ...calls.map(ownRoute),
    ...callsOf(published)
      .filter((call) => !takesFile(call))
      .map(publicRoute),
  ]
  return [
    HEAD,
    consoleValues({ ...published.components.schemas, ...schemas }),
    ...named,
    ...shared.map((name) => `export type ${name} = Closed<Sdk.${name}>\n`),
    '/** By method and path. */',
    'export type Routes = {',
    `${routes.join('\n')}\n}\n`,
  ].join('\n')
}

/** From the file that this writes. */
const SDK_TYPES = '../../../sdk/src/generated/types.ts'

const HEAD = `// Made from the routes of the server by \`npm run openapi\`. Changes made here are lost.

import type * as Sdk from '${SDK_TYPES}'

/** The same without the values that may be added later: the console is as new as the server that answers it. */
export type Closed<T> = T extends readonly (infer Item)[]
  ? ClosedValue<Item>[]
  : T extends object
    ? { [Name in keyof T]: ClosedValue<T[Name]> }
    : T
type ClosedValue<T> = [Listed<T>] extends [never] ? Closed<T> : Listed<T> | Closed<Exclude<T, string>>
type Listed<T> = T extends string ? (string extends T ? never : T) : never
`

type Described = { calls: Call[]; schemas: Record<string, Schema>; shared: string[] }

function describeConsole(published: Description): Described {
  const schemas: Record<string, Schema> = {}
  const describe: Describe = (schema, io) => {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, { io }) as Schema & { $defs?: Record<string, Schema> }
    Object.assign(schemas, $defs)
    return root
  }
  const own = [...below('/api/auth', authRoutes(unserved, unserved)), ...below('/api/console', consoleRoutes(unserved))]
  const calls = own.map((route) => describeRoute(route, describe))
  const isShared = (name: string) => isSame(name, schemas[name], published.components.schemas[name])
  const rename = (name: string) => (isShared(name) ? `Closed<Sdk.${name}>` : name)
  return {
    shared: Object.keys(schemas).filter(isShared).sort(),
    calls: calls.map((call) => renamed(call, rename) as Call),
    schemas: Object.fromEntries(
      Object.entries(schemas)
        .filter(([name]) => !isShared(name))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, schema]) => [name, renamed(schema, rename) as Schema]),
    ),
  }
}

/** Whether the schema belongs to the public API, which has to mean the same by the name. */
function isSame(name: string, own: Schema | undefined, published: Schema | undefined): boolean {
  if (published === undefined) return false
  const members = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {}).join()
  if (members(own) === members(published)) return true
  throw new Error(`the public API has another schema "${name}"; give the one of the console another id`)
}

const below = (base: `/${string}`, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, path: `${base}${route.path}` }))

type Describe = (schema: z.ZodType, io: 'input' | 'output') => Schema

function describeRoute(route: Route, describe: Describe): Call {
  const { body } = route.reply
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const parameters = (place: 'path' | 'query', shape: Record<string, unknown> = {}) =>
    Object.entries(shape).map(([name, member]) => {
      const schema = member as z.ZodType
      const required = !schema.safeParse(undefined).success
      const { description = '', ...described } = describe(schema, 'input')
      return { name, in: place, required, schema: described, description }
    })
  return {
    operationId: route.id,
    method: route.method,
    path: route.path,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    parameters: [...parameters('path', route.params?.shape), ...parameters('query', route.query?.shape)],
    ...(route.body && {
      requestBody: { ...json(describe(route.body, 'input')), required: route.isBodyOptional !== true },
    }),
    responses: { [route.reply.status]: body === null ? {} : json(describe(body, 'output')) },
  }
}

/** With every reference by the name that its schema has here. */
function renamed(node: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(node)) return node.map((entry) => renamed(entry, rename))
  if (typeof node !== 'object' || node === null) return node
  const { $ref: reference }: Schema = node
  if (reference !== undefined) return { $ref: SCHEMAS + rename(reference.slice(reference.lastIndexOf('/') + 1)) }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, renamed(value, rename)]))
}

const ownRoute = (call: Call) => routeType(call, queryType(call, '    '), (schema) => typeOf(schema, 'answer', '    '))

function publicRoute(call: Call): string {
  const named = { ...(renamed(call, (name) => `Sdk.${name}`) as Call), path: `/api/proxy${call.path}` }
  return routeType(named, `Sdk.${queryName(call)}`, (schema) => `Closed<${typeOf(schema, 'answer', '    ')}>`)
}

function routeType(call: Call, query: string, replyType: (schema: Schema) => string): string {
  const body = bodyOf(call.requestBody)
  const reply = answerOf(call)
  const params = parametersIn(call, 'path').map(({ name }) => `${name}: string`)
  const filters = parametersIn(call, 'query')
  const isQueryRequired = filters.some(({ required }) => required)
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.join('; ')} }`] : []),
    ...(filters.length > 0 ? [`query${isQueryRequired ? '' : '?'}: ${query}`] : []),
    ...(body ? [`body${call.requestBody?.required ? '' : '?'}: ${typeOf(body, 'request', '    ')}`] : []),
    `reply: ${reply ? replyType(reply) : 'void'}`,
  ]
  return `  '${call.method} ${call.path}': {\n${parts.map((part) => `    ${part}\n`).join('')}  }`
}

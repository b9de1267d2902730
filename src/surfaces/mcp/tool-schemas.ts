import type { Route } from '../../platform/http/define-route.ts'
import { createComponents, type Json, type JsonObject } from '../../platform/http/openapi-components.ts'
import { describeSchema } from '../../platform/http/openapi-schemas.ts'
import { plainSchema } from './plain-schema.ts'

/**
 * The schemas of a tool, out of those of its route. A tool takes one object, so path, query and body lie side by side in
 * it. Everything is spelled out where it is used: most programs that show tools to a model do not follow references, and
 * many refuse a choice at the top. What is lost by that (which members go together) is said in words, and checked by the
 * route itself, as for every other caller.
 */
export type ObjectSchema = JsonObject & { type: 'object' }

export const IDEMPOTENCY_KEY = 'idempotency_key'

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema of ours as JSON Schema that refers to nothing outside of itself. */
function describeAlone(schema: NonNullable<Route['body']>, direction: 'request' | 'reply', where: string): JsonObject {
  const components = createComponents()
  const described = describeSchema(components, schema, direction, where)
  const named = (components.all().schemas ?? {}) as { [name: string]: JsonObject }
  return plainSchema(spellOut(described, named, [])) as JsonObject
}

const REFERENCE = '#/components/schemas/'

function spellOut(node: Json, named: { [name: string]: JsonObject }, trail: readonly string[]): Json {
  if (Array.isArray(node)) return node.map((entry) => spellOut(entry, named, trail))
  if (!isObject(node)) return node
  const { $ref: reference, ...beside } = node
  const own = Object.fromEntries(Object.entries(beside).map(([name, value]) => [name, spellOut(value, named, trail)]))
  if (typeof reference !== 'string') return own
  const name = reference.slice(REFERENCE.length)
  if (trail.includes(name)) throw new Error(`the schema "${name}" holds itself and cannot be spelled out for a tool`)
  return { ...(spellOut(named[name] as JsonObject, named, [...trail, name]) as JsonObject), ...own }
}

type Members = { properties: { [name: string]: Json }; required: string[] }

const membersOf = ({ properties, required }: JsonObject): Members => ({
  properties: (properties ?? {}) as Members['properties'],
  required: (required ?? []) as string[],
})

const idempotencyKey: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the call safe to repeat: within 24 hours the same key with the same arguments gives the first answer and does nothing twice. Use a new one for each thing that you mean to do. When absent: a random one.',
}

export function inputSchemaOf(route: Route): ObjectSchema {
  const where = (part: string) => `tool of ${route.id}, ${part}`
  const parts: Members[] = [
    ...(route.params === undefined ? [] : [pathMembers(route.params, where('path'))]),
    ...(route.query === undefined ? [] : [membersOf(describeAlone(route.query, 'request', where('query')))]),
    ...(route.body === undefined ? [] : [membersOf(describeAlone(route.body, 'request', where('body')))]),
    ...(route.method === 'POST' ? [{ properties: { [IDEMPOTENCY_KEY]: idempotencyKey }, required: [] }] : []),
  ]
  assertDistinct(route, parts)
  const required = parts.flatMap((part) => part.required)
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** Declared as an open object, because nothing else can be in a path; all of it is needed. */
function pathMembers(params: NonNullable<Route['params']>, where: string): Members {
  const entries = Object.entries(params.shape).map(([name, schema]) => [
    name,
    describeAlone(schema as NonNullable<Route['body']>, 'request', where),
  ])
  return { properties: Object.fromEntries(entries), required: Object.keys(params.shape) }
}

/** A name has one meaning per tool. Whoever adds a route that breaks this finds out when the tools are made. */
function assertDistinct(route: Route, parts: Members[]): void {
  const names = parts.flatMap(({ properties }) => Object.keys(properties))
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0)
    throw new Error(
      `route ${route.id} cannot be a tool: "${twice.join('", "')}" is in two of its path, query and body; rename one`,
    )
}

/** How an approval looks among the members of an answer; whoever wants all of it reads it with its own tool. */
const pendingApproval: JsonObject = {
  type: 'object',
  description:
    'Present instead of everything else when nothing was done yet, because a person has to approve it first.',
  properties: {
    id: { type: 'string', description: 'Ask for it with `get_approval`.' },
    status: { type: 'string' },
    expires_at: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'status'],
}

/**
 * What a tool answers with. A change can always be answered with an approval instead, and a schema that clients check must
 * hold for both without being a choice of two: so none of its members is required, and `approval` is one of them.
 */
export function outputSchemaOf(route: Route): ObjectSchema {
  const { body } = route.reply
  const reply = body === null ? {} : (loosen(describeAlone(body, 'reply', `tool of ${route.id}, reply`)) as JsonObject)
  if (route.method === 'GET') return { ...reply, type: 'object' }
  const { properties } = membersOf(reply)
  return { type: 'object', properties: { ...properties, approval: pendingApproval } }
}

/** Marks make texts longer than they were. */
const TEXT_LIMITS = ['minLength', 'maxLength']

function loosen(node: Json): Json {
  if (Array.isArray(node)) return node.map(loosen)
  if (!isObject(node)) return node
  // A member may have the name of a keyword.
  const isText = node.type === 'string' || (Array.isArray(node.type) && node.type.includes('string'))
  const kept = Object.entries(node).filter(([keyword]) => !(isText && TEXT_LIMITS.includes(keyword)))
  return Object.fromEntries(kept.map(([name, value]) => [name, loosen(value)]))
}

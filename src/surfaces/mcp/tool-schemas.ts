import type { Route } from '../../platform/http/define-route.ts'
import { createComponents, type Json, type JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { describeSchema } from '../../platform/http/openapi/openapi-schemas.ts'
import { isObject, objectOf } from './json.ts'
import { plainSchema } from './plain-schema.ts'
import { terseMembers, terseSchema } from './terse-schema.ts'
import { notSpelledOut, sharedArguments, toolTexts } from './tool-texts.ts'

/**
 * The schemas of a tool, out of those of its route. A tool takes one object, so path, query and body lie side by side in
 * it. Everything is spelled out where it is used: most programs that show tools to a model do not follow references, and
 * many refuse a choice at the top. Limits, patterns and deep members are left out: a model rarely needs them, all tools
 * together are in its context all the time, and the route checks them, as for every other caller, and names what is wrong.
 */
export type ObjectSchema = JsonObject & { type: 'object' }

export const IDEMPOTENCY_KEY = 'idempotency_key'

/** A schema of ours as JSON Schema that refers to nothing outside of itself. */
function describeAlone(schema: NonNullable<Route['body']>, direction: 'request' | 'reply', where: string): JsonObject {
  const components = createComponents()
  const described = describeSchema(components, schema, direction, where)
  const named = objectOf(components.all().schemas)
  return objectOf(plainSchema(spellOut(described, named, [])))
}

const REFERENCE = '#/components/schemas/'

function spellOut(node: Json, named: JsonObject, trail: readonly string[]): Json {
  if (Array.isArray(node)) return node.map((entry) => spellOut(entry, named, trail))
  if (!isObject(node)) return node
  const { $ref: reference, ...beside } = node
  const own = Object.fromEntries(Object.entries(beside).map(([name, value]) => [name, spellOut(value, named, trail)]))
  if (typeof reference !== 'string') return own
  const name = reference.slice(REFERENCE.length)
  if (trail.includes(name)) throw new Error(`the schema "${name}" holds itself and cannot be spelled out for a tool`)
  return { ...objectOf(spellOut(objectOf(named[name]), named, [...trail, name])), ...own }
}

type Members = { properties: { [name: string]: Json }; required: string[] }

const membersOf = ({ properties, required }: JsonObject): Members => ({
  properties: objectOf(properties),
  required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
})

const idempotencyKey: JsonObject = { type: 'string' }

/** `hidden` are those of the route that this tool does not take. */
export function inputSchemaOf(route: Route, text: string, hidden: readonly string[] = []): ObjectSchema {
  const where = (part: string) => `tool of ${route.id}, ${part}`
  const parts: Members[] = [
    ...(route.params === undefined ? [] : [pathMembers(route.params, where('path'))]),
    ...(route.query === undefined ? [] : [membersOf(describeAlone(route.query, 'request', where('query')))]),
    ...(route.body === undefined ? [] : [membersOf(describeAlone(route.body, 'request', where('body')))]),
    ...(route.method === 'POST' ? [{ properties: { [IDEMPOTENCY_KEY]: idempotencyKey }, required: [] }] : []),
  ]
  assertDistinct(route, parts)
  const required = parts.flatMap((part) => part.required)
  const all = parts.flatMap(({ properties }) => Object.entries(properties))
  // Null in a change removes a value; in a new thing it means the same as leaving the member out.
  const takesNull = route.method !== 'POST'
  const properties = all
    .filter(([name]) => !hidden.includes(name))
    .map(([name, schema]) => [name, worded(text, name, schema, takesNull)])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function worded(text: string, name: string, schema: Json, takesNull: boolean): JsonObject {
  const description = toolTexts[text]?.arguments?.[name] ?? sharedArguments[name]
  const isKnown = description !== undefined && notSpelledOut.includes(description)
  const depth = isKnown ? 0 : 1
  return { ...terseSchema(objectOf(schema), { depth, takesNull }), ...(description !== undefined && { description }) }
}

/** The path parameters as members; all of them are required. */
function pathMembers(params: NonNullable<Route['params']>, where: string): Members {
  const entries = Object.entries(params.shape).map(([name, schema]) => [
    name,
    describeAlone(schema as NonNullable<Route['body']>, 'request', where),
  ])
  return { properties: Object.fromEntries(entries), required: Object.keys(params.shape) }
}

/** A name has one meaning per tool. A route that breaks this fails when the tools are created. */
function assertDistinct(route: Route, parts: Members[]): void {
  const names = parts.flatMap(({ properties }) => Object.keys(properties))
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0)
    throw new Error(
      `route ${route.id} cannot be a tool: "${twice.join('", "')}" is in two of its path, query and body; rename one`,
    )
}

/**
 * What a tool answers with, member by member. Nothing is required: what is empty is left out of answers, and a change can
 * always be answered with `approval` instead.
 */
export function outputSchemaOf(route: Route, isBrief: boolean): ObjectSchema {
  const { body } = route.reply
  const reply = body === null ? {} : describeAlone(body, 'reply', `tool of ${route.id}, reply`)
  const members = terseMembers(membersOf(reply).properties, isBrief)
  return {
    type: 'object',
    properties: { ...members, ...(route.method !== 'GET' && { approval: { type: 'object' } }) },
  }
}

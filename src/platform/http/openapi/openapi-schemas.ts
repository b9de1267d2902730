import { z } from 'zod'
import { FORBIDDEN_NAMES } from '../json/json-defect.ts'
import type { Components, Json, JsonObject } from './openapi-components.ts'

/**
 * zod schemas as JSON Schema 2020-12, in the form that our description promises:
 *
 * - a schema with `.meta({ id })` is a component and is referred to by that name everywhere;
 * - what is nullable says `type: [string, "null"]` instead of a choice of two;
 * - integers carry a format that their bounds fit into;
 * - what a request may leave out says in words what it then is, because openapi-typescript and others treat a
 *   member with `default` as required;
 * - requests are closed, because unknown members are refused; replies are open, because members may be added to them;
 * - likewise enums: closed in requests, open in replies, where `x-extensible-enum` lists today's values. A choice of enum and
 *   text was rejected: generators turn every such choice into a class, and this one into a text.
 */
export type Direction = 'request' | 'reply'

export function describeSchema(
  components: Components,
  schema: z.ZodType,
  direction: Direction,
  where: string,
): JsonObject {
  const io = direction === 'request' ? 'input' : 'output'
  const { $schema: _, $defs: definitions, ...root } = jsonSchemaOf(schema, io)
  const tidy = (node: JsonObject, name: string) => tidySchema(node, direction, `${where}: ${name}`)
  for (const [name, definition] of objectsIn(definitions)) {
    components.put(
      'schemas',
      name,
      tidy(definition, name),
      `${where}: the schema "${name}" has different forms in requests and replies; give each form its own id`,
    )
  }
  return tidy(root, 'the schema')
}

/** zod describes what it writes too loosely: it is plain JSON. */
export const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output') => z.toJSONSchema(schema, { io }) as JsonObject

const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [])

const objectsIn = (value: Json | undefined) =>
  Object.entries(isObject(value) ? value : {}).flatMap(([name, member]): [string, JsonObject][] =>
    isObject(member) ? [[name, member]] : [],
  )

/** The keywords whose value is one schema, a list of schemas, or schemas by name. Examples and defaults are data. */
const SINGLE = ['items', 'additionalProperties', 'propertyNames', 'not', 'contains']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties']

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function tidySchema(node: JsonObject, direction: Direction, where: string): JsonObject {
  const inside = (value: Json, name: string): Json =>
    isObject(value) ? tidySchema(value, direction, `${where}/${name}`) : value
  const tidied: JsonObject = {}
  for (const [keyword, value] of Object.entries(node)) {
    if (SINGLE.includes(keyword)) tidied[keyword] = inside(value, keyword)
    else if (LISTS.includes(keyword)) tidied[keyword] = listOf(value).map((entry) => inside(entry, keyword))
    else if (NAMED.includes(keyword))
      tidied[keyword] = Object.fromEntries(
        Object.entries(isObject(value) ? value : {}).map(([name, entry]) => [
          name,
          member(inside(entry, name), direction),
        ]),
      )
    else tidied[keyword] = value
  }
  if (typeof tidied.$ref === 'string') tidied.$ref = tidied.$ref.replace('#/$defs/', '#/components/schemas/')
  if (tidied.type === 'integer') tidied.format ??= integerFormat(tidied)
  if (tidied.type === 'object') closeOrOpen(tidied, direction, where)
  if (isObject(tidied.propertyNames)) tidied.propertyNames = publishNames(tidied.propertyNames, direction)
  const merged = mergeNull(tidied)
  return direction === 'reply' ? openEnum(merged) : merged
}

/** Longer than any value will be. */
const VALUE_CHARACTERS_MAX = 100

const isTextOrNull = (value: Json): value is string | null => value === null || typeof value === 'string'

/** A closed list of texts as any text, with the values of today beside it. A single value is a constant and stays one. */
export function openEnum(schema: JsonObject): JsonObject {
  const { enum: values, description, ...others } = schema
  if (!Array.isArray(values) || !values.every(isTextOrNull)) return schema
  const known = values.filter((value) => value !== null)
  return {
    maxLength: VALUE_CHARACTERS_MAX,
    pattern: TEXT,
    ...others,
    description: `${description === undefined ? '' : `${description} `}${todayIn(known)}`,
    'x-extensible-enum': known,
  }
}

const LISTED_MAX = 16

/** For readers of generated code, in which the type is any text. */
const todayIn = (values: string[]) =>
  `Today: ${values.length > LISTED_MAX ? `${values.length} values` : values.map((value) => `\`${value}\``).join(', ')} (more may be added).`

/** The same at every depth of a JSON Schema that is not part of the description. */
export function openEnums(schema: JsonObject): JsonObject {
  const inner = Object.entries(schema).map(([name, value]) => [name, DATA.includes(name) ? value : openInside(value)])
  return openEnum(Object.fromEntries(inner))
}

function openInside(node: Json): Json {
  if (Array.isArray(node)) return node.map(openInside)
  return isObject(node) ? openEnums(node) : node
}

const DATA = ['enum', 'const', 'default', 'examples', 'required']

function member(schema: Json, direction: Direction): Json {
  if (direction === 'reply' || !isObject(schema) || schema.default === undefined) return schema
  const { default: value, description, ...rest } = schema
  const absentText = `When absent: \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`
  return { ...rest, description: description === undefined ? absentText : `${description} ${absentText}` }
}

/** Names are text like any other, and no text that passes the reader or comes out of the database holds NUL. */
const TEXT = '^[^\\u0000]*$'

const publishNames = (names: JsonObject, direction: Direction): JsonObject => ({
  pattern: TEXT,
  ...(direction === 'request' && { not: { enum: FORBIDDEN_NAMES } }),
  ...names,
})

const INT32_MAX = 2 ** 31 - 1

const integerFormat = ({ minimum, maximum }: JsonObject) =>
  Number(minimum ?? -Infinity) >= -INT32_MAX - 1 && Number(maximum ?? Infinity) <= INT32_MAX ? 'int32' : 'int64'

function closeOrOpen(schema: JsonObject, direction: Direction, where: string): void {
  if (direction === 'reply' && schema.additionalProperties === false) delete schema.additionalProperties
  if (direction === 'request' && schema.additionalProperties === undefined)
    throw new Error(`${where} would drop unknown members in silence; declare it with z.strictObject`)
}

/** `anyOf: [X, null]` as one schema of two types. A reference cannot be merged and stays a choice. */
function mergeNull(schema: JsonObject): JsonObject {
  const choices = schema.anyOf
  if (!Array.isArray(choices) || choices.length !== 2) return schema
  const value = choices.find((choice) => isObject(choice) && typeof choice.type === 'string' && choice.type !== 'null')
  const hasNull = choices.some((choice) => isObject(choice) && choice.type === 'null')
  if (!hasNull || !isObject(value)) return schema
  const { anyOf: _, ...outer } = schema
  const { const: only, enum: allowed, ...rest } = value
  const values = Array.isArray(allowed) ? allowed : only === undefined ? undefined : [only]
  return { ...rest, type: [value.type ?? null, 'null'], ...(values && { enum: [...values, null] }), ...outer }
}

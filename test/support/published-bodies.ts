import fc from 'fast-check'
import type { PublishedSchema } from './published-schema.ts'

/**
 * Bodies that satisfy a schema of the description: as much of JSON Schema as our requests use. Rules between members
 * (`if` and `then`, one of two members, members that need each other) are kept by throwing away what breaks them.
 *
 * `likely` are values by the name of a member that exist where the bodies go; random values seldom do.
 */
export type Published = { schemas: Record<string, PublishedSchema>; likely: Record<string, readonly unknown[]> }

/** Enough to meet every member and every limit, small enough to be sent by the hundred. */
const ITEMS_MAX = 3
const LENGTH_MAX = 40
const LIKELY_WEIGHT = 9

const ANY_TEXT = '^[^\\u0000]*$'

export function bodiesOf(published: Published, schema: PublishedSchema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return bodiesOf(published, published.schemas[schema.$ref.split('/').at(-1) as string] as PublishedSchema)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.type === undefined ? (schema.oneOf ?? schema.anyOf) : undefined
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => bodiesOf(published, choice)))
  const kinds = [schema.type ?? 'any'].flat()
  return fc.oneof(...kinds.map((kind) => ofKind(published, schema, kind))).filter((value) => keepsRules(schema, value))
}

function ofKind(published: Published, schema: PublishedSchema, kind: string): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, Number.MIN_SAFE_INTEGER),
        max: schema.maximum ?? 1_000_000,
      })
    case 'number':
      return numbers(schema)
    case 'array':
      return lists(published, schema)
    case 'object':
      return objects(published, schema)
    default:
      return fc.constantFrom(null, true, 1, 'text', {})
  }
}

function texts({ pattern = ANY_TEXT, minLength = 0, maxLength = LENGTH_MAX, format }: PublishedSchema) {
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  const length = { minLength, maxLength: Math.min(maxLength, minLength + LENGTH_MAX) }
  const arbitrary: fc.Arbitrary<string> =
    pattern === ANY_TEXT
      ? fc.oneof(fc.string({ unit: 'binary', ...length }), fc.string(length))
      : fc.stringMatching(new RegExp(pattern))
  const isPublished = (text: string) =>
    new RegExp(pattern, 'u').test(text) && [...text].length >= minLength && [...text].length <= maxLength
  return arbitrary.map((text) => text.toWellFormed()).filter(isPublished)
}

const numbers = ({ minimum = -1000, maximum = 1000, multipleOf }: PublishedSchema) =>
  multipleOf === undefined
    ? fc.double({ min: minimum, max: maximum, noNaN: true })
    : fc
        .integer({ min: Math.ceil(minimum / multipleOf), max: Math.floor(maximum / multipleOf) })
        .map((steps) => Number((steps * multipleOf).toFixed(6)))

function lists(published: Published, { items = {}, minItems = 0, maxItems = ITEMS_MAX, uniqueItems }: PublishedSchema) {
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, ITEMS_MAX)) }
  const item = bodiesOf(published, items)
  return uniqueItems ? fc.uniqueArray(item, length) : fc.array(item, length)
}

function objects(published: Published, schema: PublishedSchema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames, maxProperties = ITEMS_MAX } = schema
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, memberOf(published, name, member)]),
  )
  const named = fc.record(members, { requiredKeys: required.filter((name) => name in members) })
  if (Object.keys(properties).length > 0 || additionalProperties === false) return named
  const names = namesOf(propertyNames)
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  return fc.dictionary(names, bodiesOf(published, values), { maxKeys: Math.min(maxProperties, ITEMS_MAX) })
}

function namesOf(schema: PublishedSchema = {}): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as string[]))
  const names = texts({ ...schema, maxLength: Math.min(schema.maxLength ?? 20, 20) })
  return names.filter((name) => !schema.not?.enum.includes(name))
}

function memberOf(published: Published, name: string, schema: PublishedSchema): fc.Arbitrary<unknown> {
  const madeUp = bodiesOf(published, schema)
  // Members of one name may mean different things: the number of a message, the hour of a day.
  const likely = published.likely[name]
  if (!likely?.some((value) => holds(schema, value))) return madeUp
  return fc.oneof({ weight: LIKELY_WEIGHT, arbitrary: fc.constantFrom(...likely) }, { weight: 1, arbitrary: madeUp })
}

function keepsRules(schema: PublishedSchema, value: unknown): boolean {
  const { allOf = [], oneOf, anyOf, dependentRequired = {} } = schema
  const given = typeof value === 'object' && value !== null ? value : {}
  return (
    allOf.every((rule) => keepsRules(rule, value)) &&
    (schema.if === undefined || !holds(schema.if, value) || holds(schema.then ?? {}, value)) &&
    Object.entries(dependentRequired).every(
      ([name, needed]) => !(name in given) || needed.every((one) => one in given),
    ) &&
    (schema.type === undefined || oneOf === undefined || oneOf.filter((rule) => holds(rule, value)).length === 1) &&
    (schema.type === undefined || anyOf === undefined || anyOf.some((rule) => holds(rule, value)))
  )
}

/** Of a rule, which names only what it is about. */
function holds(rule: PublishedSchema, value: unknown): boolean {
  if ('const' in rule && rule.const !== value) return false
  if (rule.type === 'string' && typeof value !== 'string') return false
  if (typeof value === 'string')
    return [...value].length >= (rule.minLength ?? 0) && new RegExp(rule.pattern ?? '', 'u').test(value)
  if (Array.isArray(value))
    return value.length >= (rule.minItems ?? 0) && value.every((item) => holds(rule.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return true
  return (
    (rule.required ?? []).every((name) => name in value) &&
    Object.entries(rule.properties ?? {}).every(
      ([name, member]) => !(name in value) || holds(member, (value as Record<string, unknown>)[name]),
    )
  )
}

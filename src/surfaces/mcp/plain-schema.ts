import type { Json, JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { isObject, objectOf, objectsOf } from './json.ts'

/**
 * A schema as a model reads it best: without choices between objects, rules between members, and patterns. What comes out
 * takes everything that went in, and more; it is a description, not the check, which the route performs and whose refusals
 * name each field. For the largest tool this is the difference between twenty thousand tokens and a few thousand.
 *
 *   one of {type: 'a', x}, {type: 'b', y}   →   {type: 'a' or 'b', x (with `type` `a`), y (with `type` `b`)}
 */
export function plainSchema(node: Json): Json {
  if (Array.isArray(node)) return node.map(plainSchema)
  if (!isObject(node)) return node
  const kept = Object.entries(node).filter(([keyword, value]) => !isRule(keyword, value))
  const plain = Object.fromEntries(kept.map(([keyword, value]) => [keyword, plainPart(keyword, value)]))
  return withoutChoice(plain)
}

/** Members and data are no schemas: a member may be called `pattern`, and an example is as it is. */
function plainPart(keyword: string, value: Json): Json {
  if (keyword === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, plainSchema(schema)]))
  return DATA.includes(keyword) ? value : plainSchema(value)
}

const DATA = ['const', 'enum', 'examples', 'default', 'required']
const RULES = ['pattern', 'propertyNames', 'if', 'then', 'else', 'not', 'allOf']
const CHOICES = ['oneOf', 'anyOf']

const isRule = (keyword: string, value: Json) =>
  RULES.includes(keyword) ||
  (CHOICES.includes(keyword) && Array.isArray(value) && value.every((choice) => isObject(choice) && saysNoType(choice)))

const saysNoType = (schema: JsonObject) =>
  !['type', 'properties', 'const', 'enum', ...CHOICES].some((name) => name in schema)

function withoutChoice(schema: JsonObject): JsonObject {
  const { oneOf, anyOf, ...outer } = schema
  if (oneOf === undefined && anyOf === undefined) return schema
  const choices = objectsOf(oneOf ?? anyOf)
  const values = choices.filter(({ type }) => type !== 'null')
  const merged = mergeForms(values.map((form) => ({ form, label: null })))
  if (values.length === choices.length) return { ...merged, ...outer }
  return { anyOf: [merged, { type: 'null' }], ...outer }
}

/** Which of several forms it is: the member that distinguishes them, and its value in this one. */
type Label = { kind: string; value: string }
type Form = { form: JsonObject; label: Label | null }

function mergeForms(forms: Form[]): JsonObject {
  const distinct = [...new Map(forms.map(({ form }) => [JSON.stringify(form), form])).values()]
  const [first, second] = distinct
  if (first === undefined || second === undefined) return first ?? {}
  const description = distinct.map((form) => form.description).find((text) => text !== undefined)
  const described = description === undefined ? {} : { description }
  if (distinct.every((form) => valuesOf(form) !== null)) {
    const values = [...new Set(distinct.flatMap((form) => valuesOf(form) ?? []))]
    return { ...(typeof first.type === 'string' && { type: first.type }), enum: values, ...described }
  }
  const isAll = (type: string) => distinct.every((form) => form.type === type)
  if (isAll('object')) return { ...mergeObjects(forms), ...described }
  if (isAll('array')) {
    const items = forms.map(({ form, label }) => ({ form: objectOf(form.items), label }))
    return { type: 'array', items: mergeForms(items), ...described }
  }
  const type = ['string', 'integer', 'number', 'boolean'].find(isAll)
  if (type !== undefined) return { type, ...described }
  return { anyOf: distinct }
}

const valuesOf = (form: JsonObject): Json[] | null =>
  form.const !== undefined ? [form.const] : Array.isArray(form.enum) ? form.enum : null

function mergeObjects(forms: Form[]): JsonObject {
  const parts = forms.map(({ form, label }) => ({ form, label, members: objectOf(form.properties) }))
  const names = [...new Set(parts.flatMap(({ members }) => Object.keys(members)))]
  const kind = names.find((name) => parts.every(({ members }) => constantIn(members[name]) !== undefined))
  const labelled = parts.map((part) =>
    kind === undefined ? part : { ...part, label: { kind, value: String(constantIn(part.members[kind])) } },
  )
  const properties = names.map((name) => {
    const having = labelled.filter(({ members }) => name in members)
    const merged = mergeForms(having.map(({ members, label }) => ({ form: objectOf(members[name]), label })))
    return [name, having.length === parts.length ? merged : describeLabel(merged, having)]
  })
  const isRequired = (name: string) =>
    forms.every(({ form }) => Array.isArray(form.required) && form.required.includes(name))
  const required = names.filter(isRequired)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(forms.every(({ form }) => form.additionalProperties === false) && { additionalProperties: false }),
  }
}

const constantIn = (schema: Json | undefined) => (isObject(schema) ? schema.const : undefined)

/** A member that only some forms have says which. */
function describeLabel(schema: JsonObject, having: { label: Label | null }[]): JsonObject {
  const labels = having.map(({ label }) => label).filter((label) => label !== null)
  const [first] = labels
  if (first === undefined) return schema
  const goesWith = `With \`${first.kind}\` ${[...new Set(labels.map(({ value }) => `\`${value}\``))].join(', ')}.`
  return { ...schema, description: schema.description === undefined ? goesWith : `${schema.description} ${goesWith}` }
}

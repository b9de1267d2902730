import type { JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { shownMembers } from './compact-answer.ts'
import { isObject, objectOf, objectsOf } from './json.ts'

/** A plain schema reduced to names, types and short lists of values; objects inside of objects are left open. */

/** Longer lists are described in words. */
const VALUES_MAX = 12

/**
 * `depth` counts the objects that are described member by member; what lies deeper has a type and no more. `null` is named
 * only where it says something that an absent member does not.
 */
export function terseSchema(
  schema: JsonObject,
  { depth, takesNull }: { depth: number; takesNull: boolean },
): JsonObject {
  const [form, canBeNull] = withoutNull(schema)
  const isNullable = canBeNull && takesNull
  const { type } = form
  const typed: JsonObject =
    type === undefined ? {} : { type: isNullable && typeof type === 'string' ? [type, 'null'] : type }
  const values = form.const !== undefined ? [form.const] : form.enum
  if (Array.isArray(values) && values.length <= VALUES_MAX) return { ...typed, enum: values }
  if (form.type === 'array') return { ...typed, items: terseSchema(objectOf(form.items), { depth, takesNull }) }
  if (form.type !== 'object' || !isObject(form.properties) || depth === 0) return typed
  const members = Object.entries(form.properties).map(([name, member]) => [
    name,
    terseSchema(objectOf(member), { depth: depth - 1, takesNull }),
  ])
  return {
    ...typed,
    properties: Object.fromEntries(members),
    ...(Array.isArray(form.required) && form.required.length > 0 && { required: form.required }),
  }
}

/** Returns the schema without null, and whether null was allowed. */
function withoutNull(schema: JsonObject): [JsonObject, boolean] {
  const { anyOf, ...outer } = schema
  if (!Array.isArray(anyOf)) return [schema, false]
  const [value, ...others] = objectsOf(anyOf).filter(({ type }) => type !== 'null')
  if (value === undefined || others.length > 0) return [outer, false]
  return [{ ...value, ...outer }, true]
}

/** The members of an answer, as they are shown: names and types. */
export function terseMembers(properties: JsonObject, isBrief: boolean): JsonObject {
  const { const: stated } = objectOf(properties.object)
  const kind = typeof stated === 'string' ? stated : undefined
  if (kind === 'list') return { data: { type: 'array', items: { type: 'object' } }, next_cursor: { type: 'string' } }
  const shown = shownMembers(kind, Object.keys(properties), isBrief)
  return Object.fromEntries(shown.map((name) => [name, typeAlone(objectOf(properties[name]))]))
}

function typeAlone(schema: JsonObject): JsonObject {
  const { type } = withoutNull(schema)[0]
  const only = Array.isArray(type) ? type.filter((name) => name !== 'null') : [type]
  return only.length === 1 && typeof only[0] === 'string' ? { type: only[0] } : {}
}

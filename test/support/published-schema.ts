import { generateOpenApi } from '../../src/boot/public-routes.ts'

/**
 * Values held against the published description, limits included. The reply shapes that the server renders by leave the
 * finer checks out (lengths, patterns, ranges), so a view that breaks its own description is found here or nowhere. A
 * member that the description does not name is a fault as well: nothing of ours is shown by accident.
 */

/** As much of JSON Schema as the description uses. */
export type PublishedSchema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  'x-extensible-enum'?: unknown[]
  anyOf?: PublishedSchema[]
  oneOf?: PublishedSchema[]
  allOf?: PublishedSchema[]
  not?: { enum: string[] }
  if?: PublishedSchema
  then?: PublishedSchema
  properties?: Record<string, PublishedSchema>
  required?: string[]
  dependentRequired?: Record<string, string[]>
  additionalProperties?: PublishedSchema | boolean
  propertyNames?: PublishedSchema
  maxProperties?: number
  items?: PublishedSchema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  multipleOf?: number
}

type Json = Record<string, unknown>

let schemas: Record<string, PublishedSchema> | null = null
const findSchema = (name: string): PublishedSchema | undefined => {
  // Another file of the same process may have defined an event since.
  if (schemas?.[name] === undefined)
    schemas = JSON.parse(generateOpenApi()).components.schemas as Record<string, PublishedSchema>
  return schemas[name]
}

export const isPublished = (name: string): boolean => findSchema(name) !== undefined

const schemaOf = (name: string): PublishedSchema => {
  const schema = findSchema(name)
  if (schema === undefined) throw new Error(`the description has no schema ${name}`)
  return schema
}

/** Each as `place: what is wrong`; empty when the value is as published. */
export const faultsOf = (name: string, value: unknown): string[] => check(schemaOf(name), value, name)

function check(schema: PublishedSchema, value: unknown, at: string): string[] {
  if (schema.$ref !== undefined) return check(schemaOf(schema.$ref.split('/').at(-1) as string), value, at)
  const all = (schema.allOf ?? []).flatMap((one) => check(one, value, at))
  return [...all, ...checkChoice(schema, value, at), ...checkKind(schema, value, at)]
}

function checkChoice({ anyOf, oneOf, ...schema }: PublishedSchema, value: unknown, at: string): string[] {
  if ('const' in schema && schema.const !== value) return [`${at}: not ${JSON.stringify(schema.const)}`]
  const known = schema['x-extensible-enum']
  // Others may be added, but what is answered today is listed today.
  if (known !== undefined && value !== null && !known.includes(value))
    return [`${at}: ${JSON.stringify(value)} is not allowed`]
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${at}: ${JSON.stringify(value)} is not allowed`]
  const options = anyOf ?? oneOf
  if (options === undefined) return []
  const faults = options
    .filter(({ type }) => type !== 'null' || value === null)
    .map((option) => check(option, value, at))
  const fewest = faults.sort((one, other) => one.length - other.length)[0]
  return fewest ?? [`${at}: ${kindOf(value)} where nothing like it is published`]
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function checkKind(schema: PublishedSchema, value: unknown, at: string): string[] {
  const kind = kindOf(value)
  const kinds = schema.type === undefined ? [kind] : [schema.type].flat()
  if (!kinds.includes(kind) && !(kind === 'integer' && kinds.includes('number')))
    return [`${at}: ${kind} where ${kinds.join(' or ')} is published`]
  if (kind === 'string') return checkText(schema, value as string, at)
  if (kind === 'integer' || kind === 'number') return checkNumber(schema, value as number, at)
  if (kind === 'array') return checkList(schema, value as unknown[], at)
  return kind === 'object' ? checkObject(schema, value as Json, at) : []
}

function checkText(
  { minLength = 0, maxLength, pattern, format }: PublishedSchema,
  value: string,
  at: string,
): string[] {
  const length = [...value].length
  const faults: string[] = []
  if (length < minLength || (maxLength !== undefined && length > maxLength))
    faults.push(`${at}: ${length} characters where ${minLength} to ${maxLength} are published`)
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) faults.push(`${at}: not as ${pattern}`)
  if (format === 'date-time' && Number.isNaN(Date.parse(value))) faults.push(`${at}: no time`)
  return faults
}

function checkNumber(
  { minimum = -Infinity, maximum = Infinity }: PublishedSchema,
  value: number,
  at: string,
): string[] {
  return value < minimum || value > maximum ? [`${at}: ${value} is not between ${minimum} and ${maximum}`] : []
}

function checkList(
  { items, minItems = 0, maxItems = Infinity }: PublishedSchema,
  value: unknown[],
  at: string,
): string[] {
  const size = value.length < minItems || value.length > maxItems ? [`${at}: ${value.length} items`] : []
  return [...size, ...value.flatMap((item, index) => (items === undefined ? [] : check(items, item, `${at}/${index}`)))]
}

function checkObject(schema: PublishedSchema, value: Json, at: string): string[] {
  const { properties = {}, required = [], additionalProperties, propertyNames, maxProperties = Infinity } = schema
  const names = Object.keys(value)
  const isOpen =
    additionalProperties === true || (schema.properties === undefined && additionalProperties === undefined)
  const other = typeof additionalProperties === 'object' ? additionalProperties : null
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${at}/${name}: missing`),
    ...(names.length > maxProperties ? [`${at}: ${names.length} members`] : []),
    ...names.flatMap((name) => (propertyNames === undefined ? [] : check(propertyNames, name, `${at} name ${name}`))),
    ...names.flatMap((name) => {
      const member = properties[name] ?? other
      if (member !== null) return check(member, value[name], `${at}/${name}`)
      return isOpen ? [] : [`${at}/${name}: not published`]
    }),
  ]
}

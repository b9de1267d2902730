import { type Schema, schemaName } from './description.ts'

/** A schema as nested Markdown lists: name, type, limits, values, meaning. */
export type SchemaReader = {
  schemas: Record<string, Schema>
  /** Schemas with a page, which are linked instead of expanded. */
  linkTo(name: string): string | null
}

const DEPTH_MAX = 6
/** Above it the upper limit is that of the number type. */
const LIMIT_WORTH_SAYING = 1e12

export function describeFields(schema: Schema, reader: SchemaReader): string {
  return fieldLines(resolve(schema, reader), reader, { depth: 0, open: [] }).join('\n')
}

type Place = { depth: number; open: string[] }

const resolve = (schema: Schema, { schemas }: SchemaReader): Schema => {
  const name = schemaName(schema)
  return name === null ? schema : { ...schemas[name], ...(schema.description && { description: schema.description }) }
}

function fieldLines(schema: Schema, reader: SchemaReader, place: Place): string[] {
  const required = new Set(schema.required ?? [])
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    entryLines({ label: `\`${name}\``, schema: field, isRequired: required.has(name) }, reader, place),
  )
  return [...lines, ...variantLines(schema, reader, place)]
}

type Entry = { label: string; schema: Schema; isRequired: boolean }

function entryLines({ label, schema, isRequired }: Entry, reader: SchemaReader, place: Place): string[] {
  const field = resolve(schema, reader)
  const facts = [typeText(schema, reader), isRequired ? 'required' : '', ...limitTexts(field)].filter(Boolean)
  const notes = [field.deprecated ? 'Deprecated.' : '', sentence(field.description), valuesText(field)]
  const said = notes.filter(Boolean).join(' ')
  const line = `${'  '.repeat(place.depth)}- ${label} · ${facts.join(', ')}${said === '' ? '' : `: ${said}`}`
  return [line, ...innerLines(schema, reader, place)]
}

/** What is inside of a field, unless it has a page or is open already, as in a schema that holds itself. */
function innerLines(schema: Schema, reader: SchemaReader, { depth, open }: Place): string[] {
  const inner = itemsOf(schema, reader) ?? schema
  const name = schemaName(inner)
  if (depth >= DEPTH_MAX || (name !== null && (reader.linkTo(name) !== null || open.includes(name)))) return []
  const place = { depth: depth + 1, open: name === null ? open : [...open, name] }
  return fieldLines(resolve(inner, reader), reader, place)
}

const itemsOf = (schema: Schema, reader: SchemaReader) => resolve(schema, reader).items

/** Variants that are only plain types are in the type text already. */
function variantLines(schema: Schema, reader: SchemaReader, place: Place): string[] {
  const variants = (schema.oneOf ?? schema.anyOf ?? []).filter((variant) => {
    const inner = resolve(variant, reader)
    return inner.properties !== undefined || inner.oneOf !== undefined || inner.anyOf !== undefined
  })
  return variants.flatMap((variant) => {
    const name = schemaName(variant)
    if (variants.length === 1) return innerLines(variant, reader, { ...place, depth: place.depth - 1 })
    return entryLines({ label: variantLabel(variant, reader), schema: variant, isRequired: false }, reader, place).map(
      (line, index) => (index === 0 && name !== null ? line.replace(' · object', '') : line),
    )
  })
}

/** A variant is known by the value that only it has. */
function variantLabel(variant: Schema, reader: SchemaReader): string {
  const fields = Object.entries(resolve(variant, reader).properties ?? {})
  const fixed = fields.find(([, field]) => field.const !== undefined)
  if (fixed !== undefined) return `with \`${fixed[0]}\` \`${String(fixed[1].const)}\``
  return `as \`${schemaName(variant) ?? 'object'}\``
}

export function typeText(schema: Schema, reader: SchemaReader): string {
  const name = schemaName(schema)
  const link = name === null ? null : reader.linkTo(name)
  if (link !== null) return `[${name}](${link})`
  const { type, items, anyOf, oneOf, const: fixed, format, additionalProperties } = resolve(schema, reader)
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``
  const variants = anyOf ?? oneOf
  if (variants !== undefined) return [...new Set(variants.map((variant) => typeText(variant, reader)))].join(' or ')
  if (items !== undefined)
    return `array of ${typeText(items, reader)}${[type].flat().includes('null') ? ' or null' : ''}`
  const words = [type ?? 'any'].flat().map((word) => (word === 'string' && format ? (FORMATS[format] ?? word) : word))
  if (typeof additionalProperties === 'object' && words.includes('object'))
    return `object of ${typeText(additionalProperties, reader)}`
  return words.join(' or ')
}

const FORMATS: Record<string, string> = { 'date-time': 'time (RFC 3339)', uri: 'URL', email: 'email address' }

function limitTexts(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema
  const upTo = (value: number | undefined) => (value !== undefined && value < LIMIT_WORTH_SAYING ? value : undefined)
  const isText = schema.enum === undefined && schema['x-extensible-enum'] === undefined && schema.format === undefined
  return [
    range(minimum, upTo(maximum), ''),
    isText ? range(minLength === 1 ? undefined : minLength, maxLength, ' characters') : '',
    range(minItems, maxItems, ' entries'),
    range(undefined, maxProperties, ' members'),
    schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``,
  ]
}

function range(low: number | undefined, high: number | undefined, unit: string): string {
  if (low !== undefined && high !== undefined) return low === high ? `${low}${unit}` : `${low} to ${high}${unit}`
  if (high !== undefined) return `at most ${high}${unit}`
  return low === undefined || low === 0 ? '' : `at least ${low}${unit}`
}

function valuesText({ enum: values, description, items }: Schema): string {
  const listed = values ?? items?.enum
  if (listed === undefined || description?.includes(`\`${listed[0]}\``)) return ''
  return `One of ${listed.map((value) => `\`${String(value)}\``).join(', ')}.`
}

const sentence = (text: string | undefined) => text?.replaceAll(/\s*\n\s*/g, ' ') ?? ''

import {
  bodyOf,
  type Call,
  callsOf,
  type Description,
  nameOf,
  type Parameter,
  parametersIn,
  pascalCase,
  reachedFrom,
  type Schema,
} from './sdk-description.ts'

/**
 * The types of the SDK. Our schemas are of few kinds, so each is written out as a person would: by its name, with its
 * description, nothing numbered and nothing looked up by index. What only a validator can use (patterns, bounds,
 * conditions between fields) is left to the server.
 *
 * Values that we answer may grow within v1: the description lists them as `x-extensible-enum`, and they are open here.
 */
type Use = 'request' | 'answer'

const LINE_MAX = 110

export function sdkTypes(description: Description): string {
  const calls = callsOf(description)
  const answers = reachedFrom(description, [calls.map((call) => call.responses), description.webhooks])
  const requests = reachedFrom(description, [calls.map((call) => bodyOf(call.requestBody))])
  const named = Object.entries(description.components.schemas)
    .filter(([name]) => answers.has(name) || requests.has(name))
    .map(([name, schema]) =>
      name === EVENT
        ? eventTypes(description, schema)
        : declare(name, schema.description, typeOf(schema, answers.has(name) ? 'answer' : 'request')),
    )
  const queries = calls
    .filter((call) => parametersIn(call, 'query').length > 0)
    .map((call) => declare(queryName(call), `The query of \`${call.operationId}\`.`, queryType(call)))
  return [GENERATED, BLOCKS, ...named, ...queries].join('\n')
}

export const GENERATED = '// Made from openapi.json by `npm run openapi`. Changes made here are lost.\n'

const BLOCKS = `/** One of these today; others may be added within v1. */
export type Open<T extends string> = T | (string & {})

/** One value of a filter, or several of which any may fit. */
export type OneOrMore<T> = T | readonly T[]
`

export const queryName = (call: Call) => `${pascalCase(call.operationId)}Query`

export const declare = (name: string, text: string | undefined, type: string) =>
  `${comment(text, '')}export type ${name} =${type.startsWith('\n') ? '' : ' '}${type}\n`

export function comment(text: string | undefined, indent: string): string {
  if (!text) return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

export function typeOf(schema: Schema, use: Use, indent = ''): string {
  const name = nameOf(schema)
  if (name !== null) return name
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal), indent)
  if (schema['x-extensible-enum']) return openType(schema['x-extensible-enum'], schema.type, indent)
  if (schema.properties) return `${objectType(schema, use, indent)}${isNullable(schema.type) ? ' | null' : ''}`
  const either = schema.anyOf ?? schema.oneOf
  if (either) {
    const members = either.map((member) => typeOf(member, use, indent))
    return union(members, indent)
  }
  return union(
    [schema.type ?? 'unknown'].flat().map((kind) => kindType(kind, schema, use, indent)),
    indent,
  )
}

const isNullable = (type: Schema['type']) => [type].flat().includes('null')

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))

function openType(values: string[], type: Schema['type'], indent: string): string {
  const inner = union(values.map(literal), indent)
  const orNull = isNullable(type) ? ' | null' : ''
  return `Open<${inner}${inner.startsWith('\n') ? `\n${indent}` : ''}>${orNull}`
}

function kindType(kind: string, schema: Schema, use: Use, indent: string): string {
  if (kind === 'integer') return 'number'
  if (kind === 'array') return arrayType(schema.items ?? {}, use, indent)
  if (kind !== 'object') return kind
  const values = schema.additionalProperties
  return `Record<string, ${typeof values === 'object' ? typeOf(values, use, indent) : 'unknown'}>`
}

const arrayType = (items: Schema, use: Use, indent: string) => {
  const inner = typeOf(items, use, indent)
  const array = /^[\w.]+$/.test(inner) ? `${inner}[]` : `Array<${inner}${inner.startsWith('\n') ? `\n${indent}` : ''}>`
  return use === 'request' ? `readonly ${array}`.replace('readonly Array', 'ReadonlyArray') : array
}

/** One below the other where they do not fit beside each other. */
function union(members: string[], indent: string): string {
  const all = [...new Set(members)]
  const line = all.join(' | ')
  if (line.includes('\n') || indent.length + line.length <= LINE_MAX) return line
  return all.map((member) => `\n${indent}  | ${member}`).join('')
}

/** The values of today are in the type. */
const describe = ({ description }: Schema) => description?.replace(/ ?Today: .* \(more may be added\)\.$/, '')

/** Who sends `undefined` means "left out", also where their compiler tells the two apart. */
function member(name: string, schema: Schema, isRequired: boolean, use: Use, indent: string): string {
  const type = typeOf(schema, use, indent)
  const absent = !isRequired && use === 'request' ? ' | undefined' : ''
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
  const gap = type.startsWith('\n') ? '' : ' '
  return `${comment(describe(schema), indent)}${indent}${key}${isRequired ? '' : '?'}:${gap}${type}${absent}\n`
}

function objectType(schema: Schema, use: Use, indent: string): string {
  const choices = (schema.oneOf ?? schema.anyOf ?? []).flatMap(({ required }) => required ?? [])
  const inner = `${indent}  `
  const write = (names: string[], required: readonly string[]) =>
    names.map((name) => member(name, schema.properties?.[name] ?? {}, required.includes(name), use, inner)).join('')
  const names = Object.keys(schema.properties ?? {}).filter((name) => !choices.includes(name))
  const rest = typeof schema.additionalProperties === 'object' ? `${inner}[name: string]: unknown\n` : ''
  const base = `{\n${write(names, schema.required ?? [])}${rest}${indent}}`
  if (choices.length === 0) return base
  // Exactly one of them (oneOf), or at least one (anyOf): each in turn is required.
  const without = (chosen: string) => choices.filter((name) => name !== chosen)
  const others = (chosen: string) =>
    schema.oneOf
      ? without(chosen)
          .map((name) => `${inner}${name}?: undefined\n`)
          .join('')
      : write(without(chosen), [])
  const alternatives = choices.map((name) => `{\n${write([name], [name])}${others(name)}${indent}}`)
  return `${names.length === 0 ? '' : `${base} & `}(${alternatives.join(' | ')})`
}

/** Several values of a filter are joined with commas; one alone needs no array. */
export function queryType(call: Call, indent = ''): string {
  const inner = `${indent}  `
  const write = (parameter: Parameter) => {
    const { items } = parameter.schema
    const type = typeOf(items ?? parameter.schema, 'request', inner)
    const both = items ? `OneOrMore<${type}${type.startsWith('\n') ? `\n${inner}` : ''}>` : type
    const optional = parameter.required ? '' : '?'
    return `${comment(parameter.description, inner)}${inner}${parameter.name}${optional}: ${both}${optional && ' | undefined'}\n`
  }
  return `{\n${parametersIn(call, 'query').map(write).join('')}${indent}}`
}

/** The feed shows every event as this schema; what is in one of them, the catalogue of webhooks says. */
const EVENT = 'Event'

function eventTypes(description: Description, schema: Schema): string {
  const known = Object.values(description.webhooks).flatMap(({ post }) => {
    const payload = description.components.schemas[nameOf(bodyOf(post.requestBody) ?? {}) ?? '']
    return (payload?.anyOf ?? []).map((one) => nameOf(one) ?? '').filter((name) => name !== 'ThinEvent')
  })
  return `${declare('EventRecord', schema.description, typeOf(schema, 'answer'))}
/** An event of the catalogue as this version of the SDK knows it, whole: \`type\` says what is in \`data\`. */
export type KnownEvent =${known.map((name) => `\n  | ${name}`).join('')}

/** Something that happened, as the feed shows it. \`isKnown\` tells those apart whose \`data\` has a type. */
export type Event = KnownEvent | EventRecord

/** The same as an endpoint gets it: whole, or its ids alone. \`isKnown\` and \`isThin\` distinguish them. */
export type WebhookEvent = KnownEvent | EventRecord | ThinEvent
`
}

/** For those who have to ask at run time what the types say at compile time. */
export const sdkEventTypes = ({ webhooks }: Description) =>
  [
    GENERATED,
    '/** The names of all events of the catalogue. */',
    'export const EVENT_TYPES: readonly string[] = [',
    ...Object.keys(webhooks).map((name) => `  '${name}',`),
    ']\n',
  ].join('\n')

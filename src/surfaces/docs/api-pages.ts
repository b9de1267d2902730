import type { ErrorDeclaration } from '../../kernel/errors.ts'
import {
  type ApiDescription,
  type Call,
  firstContent,
  kebabCase,
  listCalls,
  type Parameter,
  type Schema,
  schemaName,
  successOf,
} from './description.ts'
import type { DocsPage, TryItCall } from './docs-page.ts'
import { fences, sampleCall, samplesOf, sampleValue } from './samples.ts'
import { describeFields, type SchemaReader, typeText } from './schema-text.ts'

/** The API reference: a page per operation and per object, from the description. */
export type ApiPagesOptions = {
  api: ApiDescription
  errors: readonly ErrorDeclaration[]
  /** The address of the server. */
  publicUrl: string
  /** Where its paths begin. */
  basePath: string
  /** Objects that events carry, besides those that operations answer with. */
  alsoObjects: readonly string[]
}

const operationPath = ({ operationId }: { operationId: string }) => `api/${kebabCase(operationId)}`
export const objectPath = (name: string) => `objects/${kebabCase(name)}`
export const addressOf = (path: string) => `/docs/${path}.md`

export function apiPages(options: ApiPagesOptions): DocsPage[] {
  const calls = listCalls(options.api)
  const objects = objectNames(options.api, calls, options.alsoObjects)
  const reader = createReader(options.api, objects)
  return [
    overviewPage(options, calls),
    ...calls.map((call) => operationPage(call, options, reader)),
    ...[...objects].sort().map((name) => objectPage(name, calls, options.api, reader)),
  ]
}

const createReader = ({ components }: ApiDescription, objects: ReadonlySet<string>): SchemaReader => ({
  schemas: components.schemas,
  linkTo: (name) => (objects.has(name) ? addressOf(objectPath(name)) : null),
})

/** What operations answer with; of lists, what they list. */
function objectNames({ components }: ApiDescription, calls: Call[], others: readonly string[]): Set<string> {
  const answers = calls.flatMap((call) => {
    const name = schemaName(firstContent(successOf(call)?.[1])?.schema)
    const item = name === null ? null : schemaName(listItem(components.schemas[name]))
    return item ?? name ?? []
  })
  return new Set([...answers, ...others].filter((name) => components.schemas[name]?.properties !== undefined))
}

const listItem = (schema: Schema | undefined): Schema | undefined =>
  schema?.properties?.object?.const === 'list' ? schema.properties.data?.items : undefined

const groupByTag = ({ tags }: ApiDescription, calls: Call[]) =>
  tags.map((tag) => ({ ...tag, calls: calls.filter((call) => call.tags.includes(tag.name)) }))

function overviewPage({ api, basePath }: ApiPagesOptions, calls: Call[]): DocsPage {
  const groups = groupByTag(api, calls).map(({ name, description, calls: own }) => {
    const rows = own.map(
      (call) => `| [${call.summary}](${addressOf(operationPath(call))}) | \`${call.method} ${call.path}\` |`,
    )
    return `## ${name}\n\n${description}\n\n| Operation | Request |\n|---|---|\n${rows.join('\n')}`
  })
  const summary = 'Every operation of the API with its parameters, bodies, errors and samples in four languages.'
  const base = `Paths are below \`${basePath}\`. Send your key as \`Authorization: Bearer nxk_live_…\` with every request.`
  return {
    path: 'api',
    title: 'API reference',
    summary,
    group: '',
    markdown: `# API reference\n\n${summary}\n\n${base}\n\n${groups.join('\n\n')}\n`,
  }
}

function operationPage(call: Call, options: ApiPagesOptions, reader: SchemaReader): DocsPage {
  const base = options.publicUrl + options.basePath
  const [summary = '', ...more] = call.description.split('\n\n')
  const parts = [
    `# ${call.summary}`,
    summary,
    `\`${call.method} ${options.basePath}${call.path}\``,
    ...more,
    '## Sample',
    fences(samplesOf(call, base)),
    '## Request',
    requestText(call, reader),
    '## Response',
    responseText(call, reader),
    '## Errors',
    errorTable(call, options),
  ]
  return {
    path: operationPath(call),
    title: call.summary,
    summary,
    group: call.tags[0] ?? '',
    markdown: `${parts.join('\n\n')}\n`,
    tryIt: tryItOf(call, options),
  }
}

function requestText(call: Call, reader: SchemaReader): string {
  const content = firstContent(call.requestBody)
  const parts = [
    parameterList('Path parameters', call, 'path', reader),
    parameterList('Query parameters', call, 'query', reader),
    parameterList('Headers', call, 'header', reader),
    ...(content?.schema === undefined
      ? []
      : [
          `### Body`,
          `\`${content.type}\`${call.requestBody?.required ? ', required' : ', optional'}.`,
          describeFields(content.schema, reader),
        ]),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'No parameters and no body.' : parts.join('\n\n')
}

function parameterList(title: string, { parameters }: Call, place: Parameter['in'], reader: SchemaReader): string {
  const own = parameters.filter((parameter) => parameter.in === place)
  if (own.length === 0) return ''
  const schema: Schema = {
    properties: Object.fromEntries(
      own.map(({ name, schema: inner, description }) => [name, { ...inner, ...(description && { description }) }]),
    ),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  }
  return `### ${title}\n\n${describeFields(schema, reader)}`
}

function responseText(call: Call, reader: SchemaReader): string {
  const [status, body] = successOf(call) ?? ['204', undefined]
  const content = firstContent(body)
  const description = body?.description ?? ''
  if (content?.schema === undefined) return `\`${status}\` ${description} No body.`
  const item = listItem(reader.schemas[schemaName(content.schema) ?? ''])
  const type = item === undefined ? typeText(content.schema, reader) : `a list of ${typeText(item, reader)}`
  const isLinked = type.startsWith('[') || item !== undefined
  return [
    `\`${status}\` ${description} The body is ${isLinked ? type : 'an object'}.`,
    ...(isLinked ? [] : [describeFields(content.schema, reader)]),
    ...(content.example === undefined ? [] : [json(content.example)]),
  ].join('\n\n')
}

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

/** The codes are the keys of the examples of each shared response. */
function errorTable(call: Call, { api, errors }: ApiPagesOptions): string {
  const titles = new Map(errors.map(({ code, title }) => [code, title]))
  const rows = Object.entries(call.responses).flatMap(([status, { $ref, ...own }]) => {
    if (!/^[45]/.test(status)) return []
    const response = $ref === undefined ? own : api.components.responses[$ref.slice($ref.lastIndexOf('/') + 1)]
    const codes = Object.values(response?.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}))
    const known = codes.filter((code) => titles.has(code))
    if (known.length === 0) return [`| ${status} | | ${response?.description?.split('\n')[0] ?? ''} |`]
    return known.map((code) => `| ${status} | [\`${code}\`](${addressOf(`errors/${code}`)}) | ${titles.get(code)} |`)
  })
  return `| Status | Code | Meaning |\n|---|---|---|\n${rows.join('\n')}`
}

function tryItOf(call: Call, { publicUrl, basePath }: ApiPagesOptions): TryItCall {
  const { body, isForm } = sampleCall(call, publicUrl)
  const shown = call.parameters.filter((parameter) => parameter.in !== 'header')
  return {
    method: call.method,
    path: `${basePath}${call.path}`,
    parameters: shown.map((parameter) => {
      const { name, required = false, schema } = parameter
      const values = schema.enum?.map(String)
      const example = required || parameter.example !== undefined ? String(sampleValue(parameter)) : ''
      return { name, in: parameter.in, isRequired: required, example, ...(values && { values }) }
    }),
    body: body === undefined || isForm ? null : JSON.stringify(body, null, 2),
  }
}

function objectPage(name: string, calls: Call[], api: ApiDescription, reader: SchemaReader): DocsPage {
  const schema = reader.schemas[name] as Schema
  const answering = calls.filter((call) => {
    const answered = schemaName(firstContent(successOf(call)?.[1])?.schema)
    return answered === name || schemaName(listItem(reader.schemas[answered ?? ''])) === name
  })
  const example = answering.map((call) => exampleOf(call)).find((one) => one !== undefined)
  const summary = schema.description?.split('\n\n')[0] ?? `The fields of ${name}, as operations and events show it.`
  const parts = [
    `# ${name}`,
    summary,
    '## Fields',
    describeFields(schema, reader),
    ...(answering.length === 0
      ? []
      : [
          '## Operations',
          answering.map((call) => `- [${call.summary}](${addressOf(operationPath(call))})`).join('\n'),
        ]),
    ...(example === undefined ? [] : ['## Example', json(example)]),
  ]
  const group = api.tags.find((tag) => answering[0]?.tags.includes(tag.name))?.name ?? ''
  return { path: objectPath(name), title: name, summary, group, markdown: `${parts.join('\n\n')}\n` }
}

function exampleOf(call: Call): unknown {
  const example = firstContent(successOf(call)?.[1])?.example as { object?: string; data?: unknown[] } | undefined
  return example?.object === 'list' ? example.data?.[0] : example
}

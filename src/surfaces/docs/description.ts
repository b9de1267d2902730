/** As much of the OpenAPI and AsyncAPI descriptions as the reference pages read. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  /** The values of today of a list that may grow. */
  'x-extensible-enum'?: string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  format?: string
  pattern?: string
  default?: unknown
  examples?: unknown[]
  deprecated?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

export type Parameter = {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }>
export type Body = { required?: boolean; content?: Content; description?: string; $ref?: string }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Body>
}

export type ApiDescription = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, Body>
  }
}

type EventMessage = {
  name: string
  summary: string
  payload: { $ref: string }
  examples: { headers: Record<string, string>; payload: Record<string, unknown> }[]
}

export type EventDescription = {
  info: { description: string }
  components: { messages: Record<string, EventMessage>; schemas: Record<string, Schema> }
}

export type Call = Omit<Operation, 'parameters'> & { method: string; path: string; parameters: Parameter[] }

const lastPart = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** Every operation, in the order of the description, with its shared parameters filled in. */
export const listCalls = (api: ApiDescription): Call[] =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map((parameter) =>
        parameter.$ref === undefined ? parameter : (api.components.parameters[lastPart(parameter.$ref)] as Parameter),
      ),
    })),
  )

export const schemaName = (schema: Schema | undefined): string | null =>
  schema?.$ref === undefined ? null : lastPart(schema.$ref)

/** The only kind of body that an operation takes or answers with, with its example. */
export function firstContent(body: Body | undefined): { type: string; schema?: Schema; example?: unknown } | null {
  const [entry] = Object.entries(body?.content ?? {})
  return entry === undefined ? null : { type: entry[0], ...entry[1] }
}

/** Of an operation that succeeds. */
export const successOf = (call: Call): [string, Body] | undefined =>
  Object.entries(call.responses).find(([status]) => status.startsWith('2'))

export const kebabCase = (name: string) =>
  name
    .split(/(?=[A-Z])/)
    .join('-')
    .toLowerCase()

/** Names of the groups and methods of the SDK. */
export const sdkGroup = (path: string) =>
  (path.split('/')[1] ?? '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const wordsOf = (camelCase: string) => camelCase.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/(?<=..)s$/, '')
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The operation id without the words of the group. The verb always stays. */
export function sdkMethod(operationId: string, group: string): string {
  const groupWords = wordsOf(group).map(singular)
  const [verb = '', ...words] = wordsOf(operationId)
  return [verb, ...words.filter((word) => !groupWords.includes(singular(word))).map(capitalized)].join('')
}

/** Meta's dialect is left to the clients that are made for it. */
export const NOT_IN_SDK = 'Cloud API'

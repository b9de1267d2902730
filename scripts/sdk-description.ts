import type { Parameter, Schema } from '../src/surfaces/docs/description.ts'

export type { Parameter, Schema }

/** As much of openapi.json as the SDK is made from. */
type Content = { content?: { 'application/json'?: { schema: Schema }; 'text/csv'?: unknown } }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}

export type Description = {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { requestBody: Content } }>
  components: { schemas: Record<string, Schema>; responses?: Record<string, unknown> }
}

export type Call = Operation & { method: string; path: string }

/** Meta's dialect is left to the clients that are made for it. */
const LEFT_OUT = 'Cloud API'

export const takesFile = ({ requestBody }: Operation) => requestBody !== undefined && bodyOf(requestBody) === null

/** Whether the operation answers a file for spreadsheets when it is asked to. */
export const answersCsv = (call: Call): boolean => successOf(call)?.content?.['text/csv'] !== undefined

/** The operations that get a method, in the order of the description. */
export const callsOf = (description: Description): Call[] =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(LEFT_OUT) ? [] : [{ ...operation, method: method.toUpperCase(), path }],
    ),
  )

export const SCHEMAS = '#/components/schemas/'
const RESPONSES = '#/components/responses/'

export const nameOf = (schema: Schema): string | null =>
  schema.$ref?.startsWith(SCHEMAS) ? schema.$ref.slice(SCHEMAS.length) : null

/** Names of all schemas that these parts of the description refer to, directly or through others. */
export function reachedFrom(description: Description, parts: readonly unknown[]): Set<string> {
  const reached = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const name = nameOf(node as Schema)
    if (name !== null && !reached.has(name)) {
      reached.add(name)
      visit(description.components.schemas[name])
    }
    const { $ref: reference } = node as Schema
    if (reference?.startsWith(RESPONSES)) visit(description.components.responses?.[reference.slice(RESPONSES.length)])
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parts)
  return reached
}

export const bodyOf = (content: Content | undefined): Schema | null =>
  content?.content?.['application/json']?.schema ?? null

const successOf = (call: Call): Content | undefined =>
  Object.entries(call.responses).find(([status]) => /^2/.test(status))?.[1]

/** What a call answers when all goes well; null for no body. */
export const answerOf = (call: Call): Schema | null => bodyOf(successOf(call))

export const parametersIn = (call: Call, place: string): Parameter[] =>
  (call.parameters ?? []).filter((parameter) => parameter.in === place)

/** Parameters that stand in `components` are headers; their names say which. */
export const takesHeader = (call: Call, name: string): boolean =>
  (call.parameters ?? []).some(({ $ref }) => $ref === `#/components/parameters/${name}`)

/** The schema of an entry, if it is that of a list. */
export function itemOf(description: Description, schema: Schema | null): Schema | null {
  const list = schema && description.components.schemas[nameOf(schema) ?? '']
  return list?.properties?.object?.const === 'list' ? (list.properties.data?.items ?? null) : null
}

export const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

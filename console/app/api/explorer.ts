import { queryOptions } from '@tanstack/react-query'

/** The operations of the public API, from the description that the server publishes. */
export type Operation = {
  id: string
  summary: string
  tag: string
  method: string
  path: string
  parameters: { name: string; description: string }[]
  /** An example, as a person writes it; null when the operation takes none. */
  body: string | null
}

type Reference = { $ref?: string }
type Parameter = Reference & { name?: string; in?: string; description?: string }
type Described = {
  operationId: string
  summary: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
type Description = {
  paths: Record<string, Record<string, Described>>
  components: { parameters: Record<string, Parameter> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

function operationsOf({ paths, components }: Description): Operation[] {
  const resolve = (parameter: Parameter): Parameter =>
    parameter.$ref === undefined ? parameter : (components.parameters[parameter.$ref.split('/').at(-1) ?? ''] ?? {})
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { operationId, summary, tags, parameters = [], requestBody }]) => ({
        id: operationId,
        summary,
        tag: tags?.[0] ?? '',
        method: method.toUpperCase(),
        path,
        parameters: parameters
          .map(resolve)
          .filter((parameter) => parameter.in === 'query')
          .map(({ name = '', description = '' }) => ({ name, description })),
        body: requestBody === undefined ? null : JSON.stringify(exampleOf(requestBody), null, 2),
      })),
  )
}

const exampleOf = ({ content }: NonNullable<Described['requestBody']>) => content['application/json']?.example ?? {}

export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/api/public/v1/openapi.json', { signal })
    return operationsOf((await response.json()) as Description)
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** As the signed-in person, or with a key that the person holds. */
export type Explored = { method: string; path: string; body: string | null; key: string | null }
export type ExplorerAnswer = {
  status: number
  durationMs: number
  requestId: string | null
  headers: Record<string, string>
  body: string
}

export async function explore({ method, path, body, key }: Explored): Promise<ExplorerAnswer> {
  const startedMs = performance.now()
  const response = await fetch(`${key === null ? '/api/proxy' : '/api/public/v1'}${path}`, {
    method,
    credentials: key === null ? 'same-origin' : 'omit',
    headers: {
      accept: 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    durationMs: performance.now() - startedMs,
    requestId: response.headers.get('x-request-id'),
    headers: Object.fromEntries(response.headers),
    body: text,
  }
}

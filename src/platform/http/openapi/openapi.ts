import type { ErrorDeclaration } from '../../../kernel/errors.ts'
import type { Method, Route } from '../define-route.ts'
import { type Components, createComponents, type Json, type JsonObject } from './openapi-components.ts'
import { errorsOf } from './openapi-errors.ts'
import { describeOperation } from './openapi-operation.ts'
import { fieldProblemSchema, problemSchema } from './openapi-problem.ts'
import { describeWebhook, WEBHOOK_TAG, type WebhookDescription } from './openapi-webhooks.ts'

/**
 * The description of the public API, generated from the routes and nothing else, so that it cannot disagree with them. The
 * order of everything in it is fixed: the file is committed, and a change of the contract has to be readable as a diff.
 */
export type OpenApiDocument = {
  openapi: string
  info: JsonObject
  paths: JsonObject
  components: JsonObject
  [name: string]: Json
}

export type OpenApiOptions = {
  info: {
    title: string
    version: string
    summary: string
    description: string
    contact: JsonObject
    license: JsonObject
  }
  /** Only those that a route uses appear. */
  tags: readonly { name: string; description: string }[]
  servers: readonly { url: string; description: string }[]
  /** Where the first server's paths begin, for the examples. */
  basePath: string
  routes: readonly Route[]
  /** The errors that there are besides those of the routes: the list of codes is meant to be complete. */
  errors: readonly ErrorDeclaration[]
  webhooks?: readonly WebhookDescription[]
}

const VERSION = '3.1.1'
const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function buildOpenApi(options: OpenApiOptions): OpenApiDocument {
  const components = createComponents()
  components.refer('schemas', 'Problem', () => problemSchema(allCodes(options)))
  components.refer('schemas', 'FieldProblem', () => fieldProblemSchema)
  const paths = describePaths(components, options)
  const webhooks = describeWebhooks(components, options.webhooks ?? [])
  return {
    openapi: VERSION,
    info: { ...options.info },
    servers: options.servers.map((server) => ({ ...server, 'x-internal': false })),
    tags: usedTags(options),
    security: [{ apiKey: [] }],
    paths,
    ...(webhooks !== null && { webhooks }),
    components: { ...components.all(), securitySchemes: { apiKey: keyScheme } },
  }
}

/** As it is committed and served. */
export const serializeDescription = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

const keyScheme: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key, sent as `Authorization: Bearer nxk_live_…`, or `nxk_test_…` for the sandbox of an organization. Create keys in the console or with `npx nexkit key create`; a key is shown once. The scopes of a key decide what it may do; each operation names the scope it needs.',
}

function describePaths(components: Components, { routes, basePath }: OpenApiOptions): JsonObject {
  assertUnique(routes.map((route) => route.id))
  const paths: JsonObject = {}
  for (const path of [...new Set(routes.map((route) => route.path))].sort()) {
    const here = routes.filter((route) => route.path === path)
    const ordered = here.toSorted((one, other) => METHODS.indexOf(one.method) - METHODS.indexOf(other.method))
    paths[path] = Object.fromEntries(
      ordered.map((route) => [route.method.toLowerCase(), describeOperation(components, route, basePath)]),
    )
  }
  return paths
}

const allCodes = ({ errors, routes }: OpenApiOptions) =>
  [...new Set([...errors, ...routes.flatMap(errorsOf)].map((error) => error.code))].sort()

function describeWebhooks(components: Components, webhooks: readonly WebhookDescription[]): JsonObject | null {
  if (webhooks.length === 0) return null
  const sorted = webhooks.toSorted((one, other) => (one.type < other.type ? -1 : 1))
  return Object.fromEntries(sorted.map((webhook) => [webhook.type, describeWebhook(components, webhook)]))
}

function usedTags({ tags, routes, webhooks = [] }: OpenApiOptions): JsonObject[] {
  const used = new Set(routes.map((route) => route.tag))
  if (webhooks.length > 0) used.add(WEBHOOK_TAG)
  const undescribed = [...used].filter((name) => !tags.some((tag) => tag.name === name))
  if (undescribed.length > 0) throw new Error(`the tag ${undescribed.join(', ')} has no description`)
  return tags.filter((tag) => used.has(tag.name)).map((tag) => ({ ...tag }))
}

function assertUnique(ids: string[]): void {
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`two routes are called ${twice.join(', ')}`)
}

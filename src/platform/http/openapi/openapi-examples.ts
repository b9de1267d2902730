import type { z } from 'zod'
import type { Route } from '../define-route.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { createQueryReader } from '../pipeline/query-parameters.ts'
import type { WebhookDescription } from './openapi-webhooks.ts'

/**
 * What is wrong with the examples of a route, as sentences; nothing when each passes its own schema. A reply must come
 * out of its schema as it went in: a member that the schema does not name would be shown in the docs and never sent.
 */
export function exampleFaults(route: Route): string[] {
  const { example, reply, body, params, query } = route
  const values = query && createQueryReader(query)(new URLSearchParams(example.query)).values
  return [
    ...faultsOf(`${route.id}: example.params`, params, example.params ?? {}),
    ...faultsOf(`${route.id}: example.query`, query, values),
    ...faultsOf(`${route.id}: example.body`, body, example.body),
    ...faultsOf(`${route.id}: example.reply`, reply.body ?? undefined, example.reply),
    ...strippedMembers(`${route.id}: example.reply`, reply.body ?? undefined, example.reply),
  ]
}

export const webhookExampleFaults = ({ type, schema, example }: WebhookDescription): string[] => [
  ...faultsOf(`${type}: example`, schema, example),
  ...strippedMembers(`${type}: example`, schema, example),
]

function faultsOf(where: string, schema: z.ZodType | undefined, value: unknown): string[] {
  if (schema === undefined) return []
  const result = schema.safeParse(value)
  return result.success ? [] : result.error.issues.map((issue) => `${where} ${issue.path.join('.')}: ${issue.message}`)
}

function strippedMembers(where: string, schema: z.ZodType | undefined, value: unknown): string[] {
  const result = schema?.safeParse(value)
  if (result === undefined || !result.success) return []
  const isSame = canonicalJson(result.data) === canonicalJson(value)
  return isSame ? [] : [`${where}: the schema drops or changes something`]
}

import type { FieldProblem } from '../../kernel/errors.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { IDEMPOTENCY_KEY } from './tool-schemas.ts'

/**
 * The arguments of a tool as the request that anybody else would send to its route: each goes back to where it came from,
 * path, query, header or body. What is in none of them goes where the route will refuse it by name.
 */
export type Arguments = Record<string, unknown>

export type ToolRequest = { ok: true; request: Request } | { ok: false; problems: FieldProblem[] }

export function buildToolRequest(
  route: Route,
  given: Arguments,
  { baseUrl, headers }: { baseUrl: string; headers: Headers },
): ToolRequest {
  const { [IDEMPOTENCY_KEY]: idempotencyKey, ...rest } = given
  const problems = Object.keys(route.params?.shape ?? {}).flatMap((name) => pathProblem(name, rest[name]))
  const own = new Headers(headers)
  own.set('accept', 'application/json')
  if (route.method === 'POST') {
    const key = idempotencyKey ?? crypto.randomUUID()
    if (isHeaderText(key)) own.set('idempotency-key', key)
    else problems.push(keyProblem)
  } else if (idempotencyKey !== undefined) rest[IDEMPOTENCY_KEY] = idempotencyKey
  if (problems.length > 0) return { ok: false, problems }
  const { path, query, body } = spread(route, rest)
  if (body !== null) own.set('content-type', 'application/json')
  const request = new Request(`${baseUrl}${path}${query}`, {
    method: route.method,
    headers: own,
    ...(body !== null && { body: JSON.stringify(body) }),
  })
  return { ok: true, request }
}

const isHeaderText = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)

const keyProblem: FieldProblem = {
  parameter: IDEMPOTENCY_KEY,
  code: 'wrong_format',
  detail: `"${IDEMPOTENCY_KEY}" must be 1 to 255 visible ASCII characters. A random UUID is a good choice.`,
}

/** Other callers cannot leave out a part of a path, or name its parent: to them it would be another address. */
function pathProblem(name: string, value: unknown): FieldProblem[] {
  if (value === undefined || value === null || value === '')
    return [{ parameter: name, code: 'required', detail: `"${name}" is required.` }]
  if (typeof value !== 'string' && typeof value !== 'number')
    return [{ parameter: name, code: 'wrong_type', detail: `"${name}" must be a text.` }]
  if (value === '.' || value === '..')
    return [{ parameter: name, code: 'wrong_format', detail: `"${name}" cannot be "${value}".` }]
  return []
}

function spread(route: Route, given: Arguments): { path: string; query: string; body: Arguments | null } {
  const inPath = Object.keys(route.params?.shape ?? {})
  const path = route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encoded(given[name]))
  const left = Object.entries(given).filter(([name]) => !inPath.includes(name))
  const hasBody = route.body !== undefined
  const isInQuery = (name: string) => !hasBody || Object.hasOwn(route.query?.shape ?? {}, name)
  const search = new URLSearchParams()
  for (const [name, value] of left) if (isInQuery(name) && isGiven(value)) search.set(name, asText(value))
  const body = hasBody ? Object.fromEntries(left.filter(([name]) => !isInQuery(name))) : null
  return { path, query: search.size === 0 ? '' : `?${search}`, body }
}

const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed())

/** Models fill in null for what they mean to leave out; a query has no such value. */
const isGiven = (value: unknown) => value !== undefined && value !== null

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

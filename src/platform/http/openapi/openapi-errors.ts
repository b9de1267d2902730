import type { ErrorDeclaration } from '../../../kernel/errors.ts'
import { isCacheable, type Route } from '../define-route.ts'
import * as http from '../http.errors.ts'
import { exampleProblem } from '../problem.ts'
import { type Components, exampleOf, type JsonObject, type Reference } from './openapi-components.ts'
import { describeHeaders, type ResponseHeader } from './openapi-headers.ts'

/** Which errors an operation can answer with, and how each of them looks. */

const readsBody = (route: Route) => route.method !== 'GET' && route.method !== 'DELETE'

/** Follows the checks of the pipeline: what a route declares decides which of them it can fail. */
export function errorsOf(route: Route): ErrorDeclaration[] {
  const isKeyed = route.access.type === 'key'
  const hasScope = route.access.type === 'key' && route.access.scope !== null
  const candidates: (ErrorDeclaration | false)[] = [
    http.urlTooLong,
    http.parameterInvalid,
    http.notAcceptable,
    isKeyed && http.unauthenticated,
    isKeyed && http.rateLimited,
    hasScope && http.scopeMissing,
    route.path.includes('{') && http.pathInvalid,
    route.query !== undefined && 'cursor' in route.query.shape && http.cursorInvalid,
    ...(readsBody(route) ? bodyErrors : []),
    ...(route.idempotency === undefined ? [] : idempotencyErrors),
    isCacheable(route) && http.ifNoneMatchTooLong,
    ...(route.lock === undefined ? [] : [http.ifMatchInvalid, http.versionConflict]),
    ...(route.errors ?? []),
    http.internalError,
    http.unavailable,
  ]
  const errors = candidates.filter((error) => error !== false)
  return [...new Map(errors.map((error) => [error.code, error])).values()]
}

const bodyErrors: ErrorDeclaration[] = [
  ...Object.values(http.jsonProblems),
  http.bodyTooLarge,
  http.requestTimeout,
  http.mediaTypeUnsupported,
  http.validationFailed,
]

const idempotencyErrors: ErrorDeclaration[] = [
  http.idempotencyKeyInvalid,
  http.idempotencyKeyInUse,
  http.idempotencyKeyReused,
]

/**
 * One response per status, shared under the names of its codes by all operations that have the same. Every one of them refers to
 * the one schema of a problem: generators write a class for each schema that is spelled out in a response.
 */
export function describeErrors(components: Components, errors: readonly ErrorDeclaration[], instance: string) {
  const byStatus = Map.groupBy(errors, (error) => error.status)
  const groups = [...byStatus].sort(([one], [other]) => one - other)
  return groups.map(([status, ofStatus]): [string, JsonObject | Reference] => {
    const group = ofStatus.toSorted((one, other) => (one.code < other.code ? -1 : 1))
    const describe = () => describeResponse(components, status, group, instance)
    return [String(status), components.refer('responses', responseName(group), describe)]
  })
}

const jsonCodes = Object.values(http.jsonProblems).map(({ code }) => code)

/** What can be wrong with JSON is one name where all of it is meant. */
function responseName(errors: readonly ErrorDeclaration[]): string {
  const codes = errors.map(({ code }) => code)
  const isAnyJson = jsonCodes.every((code) => codes.includes(code))
  const names = isAnyJson ? [...codes.filter((code) => !jsonCodes.includes(code)), 'json_unreadable'] : codes
  return names.map(pascalCase).join('Or')
}

export const pascalCase = (name: string) =>
  name.replaceAll(/(?:^|[._-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

function describeResponse(
  components: Components,
  status: number,
  errors: ErrorDeclaration[],
  instance: string,
): JsonObject {
  const examples = errors.map((error) => [
    error.code,
    components.refer('examples', error.code, () => ({
      summary: error.title,
      description: `${error.cause} ${error.fix}`,
      value: exampleOf(exampleProblem(error, instance)),
    })),
  ])
  return {
    description: errors.map(({ code, title }) => `\`${code}\`: ${title}.`).join('\n\n'),
    headers: describeHeaders(components, errorHeaders(status, errors)),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function errorHeaders(status: number, errors: readonly ErrorDeclaration[]): ResponseHeader[] {
  if (status === 401 || status === 403) return ['WWW-Authenticate']
  if (status === 412) return ['ETag']
  if (status === 415) return ['Accept']
  const isPassing =
    status === 429 || status === 503 || errors.some((error) => error.code === http.idempotencyKeyInUse.code)
  return isPassing ? ['Retry-After'] : []
}

import type { ProblemError } from '../../../kernel/errors.ts'
import type { Route } from '../define-route.ts'
import {
  bodyTooLarge,
  ifMatchInvalid,
  ifNoneMatchTooLong,
  jsonProblems,
  mediaTypeUnsupported,
  parameterInvalid,
  pathInvalid,
  requestTimeout,
  validationFailed,
} from '../http.errors.ts'
import { decodeUtf8Strict, parseStrictJson } from '../json/strict-json.ts'
import { isJsonContentType } from './accept.ts'
import { readBody } from './body-reader.ts'
import { type IfMatch, readIfMatch, TAGS_CHARACTERS_MAX } from './entity-tags.ts'
import type { Exchange } from './exchange.ts'
import type { QueryReader } from './query-parameters.ts'
import { breaksSchema, countOf, fieldProblems, inBody, inQuery, isBeyondSchema, refuseValues } from './validation.ts'

/** Reads the parts of a request. Each part matches what its route declares, or the reader throws a problem with the reason. */

export type BodyLimits = { bodyBytesMax: number; bodyTimeoutMs: number }

/** Shared by all paths without parameters, so that one comparison shows that there are no parameters. */
export const NO_PARAMS: Record<string, string> = Object.freeze({})

function decodeParam(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    throw pathInvalid()
  }
}

export function decodeParams(rawParams: Record<string, string>): Record<string, string> {
  if (rawParams === NO_PARAMS) return NO_PARAMS
  const params: Record<string, string> = {}
  for (const name in rawParams) {
    const value = decodeParam(rawParams[name] ?? '')
    params[name] = value
    if (value.includes('\u0000')) throw pathInvalid({ says: 'The path contains a NUL character. Remove it.' })
  }
  return params
}

export function parseQuery(route: Route, readQuery: QueryReader | null, exchange: Exchange): unknown {
  if (route.query === undefined || readQuery === null) {
    const first = exchange.query === '' ? undefined : new URLSearchParams(exchange.query).keys().next().value
    if (first === undefined) return undefined
    const detail = `This endpoint has no parameters; "${first}" is unknown.`
    throw parameterInvalid({ errors: [{ parameter: first, code: 'parameter_unknown', detail }] })
  }
  const { values, problems } = readQuery(new URLSearchParams(exchange.query))
  const result = route.query.safeParse(values)
  if (!result.success) problems.push(...fieldProblems(route.query, values, result.error, inQuery))
  if (problems.length > 0)
    throw parameterInvalid({ says: countOf(problems.length, 'query parameter'), errors: problems })
  return result.data
}

export function parseIfMatch(request: Request): IfMatch | null {
  const header = readIfMatch(request.headers.get('if-match'))
  if (header.ok) return header.ifMatch
  throw ifMatchInvalid({ errors: [{ header: 'If-Match', code: 'wrong_format', detail: header.detail }] })
}

export function assertTagsReadable(request: Request): void {
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && ifNoneMatch.length > TAGS_CHARACTERS_MAX) throw ifNoneMatchTooLong()
}

export async function readAndParse(
  limits: BodyLimits,
  route: Route,
  request: Request,
  exchange: Exchange,
): Promise<unknown> {
  const read = await readBody(request, { bytesMax: limits.bodyBytesMax, timeoutMs: limits.bodyTimeoutMs })
  if (!read.ok) throw bodyProblem(limits, read.reason)
  exchange.requestBytes = read.bytes.byteLength
  if (read.bytes.byteLength === 0 && route.body === undefined) return undefined
  if (read.bytes.byteLength === 0 && route.isBodyOptional) return validateBody(route, {})
  if (!isJsonContentType(request.headers.get('content-type')))
    throw mediaTypeUnsupported({ headers: { Accept: 'application/json' } })
  const text = decodeUtf8Strict(read.bytes)
  if (text === null) throw jsonProblems.json_text_invalid({ says: 'The body is not valid UTF-8.' })
  exchange.requestBody = text
  const parsed = parseStrictJson(text)
  if (!parsed.ok) throw jsonProblems[parsed.problem.code]({ says: parsed.problem.detail })
  return validateBody(route, parsed.value)
}

function validateBody(route: Route, value: unknown): unknown {
  if (route.body === undefined) {
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return undefined
    throw validationFailed({
      says: 'This endpoint accepts no body. Leave it out.',
      errors: [{ pointer: '#', code: 'body_unexpected', detail: 'Send no body, or an empty object.' }],
    })
  }
  const result = route.body.safeParse(value)
  if (result.success) return result.data
  const errors = fieldProblems(route.body, value, result.error, inBody)
  throw isBeyondSchema(result.error) ? refuseValues(errors) : breaksSchema(errors)
}

export function bodyProblem(limits: BodyLimits, reason: string): ProblemError {
  switch (reason) {
    case 'too_large':
      return bodyTooLarge({ params: { bytes_max: limits.bodyBytesMax } })
    case 'encoding_unsupported':
      return mediaTypeUnsupported({
        says: 'This Content-Encoding is not supported. Send the body plain or as gzip.',
        headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip' },
      })
    case 'encoding_invalid':
      return jsonProblems.json_invalid({ says: 'The body is not valid gzip, although Content-Encoding says so.' })
    default:
      return requestTimeout({ params: { timeout_ms: limits.bodyTimeoutMs } })
  }
}

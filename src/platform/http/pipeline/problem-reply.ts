import { ProblemError } from '../../../kernel/errors.ts'
import { isDatabaseUnavailable } from '../../database/database-errors.ts'
import type { Log } from '../../telemetry/log.ts'
import { internalError, unavailable } from '../http.errors.ts'
import { problemOf } from '../problem.ts'
import type { Exchange } from './exchange.ts'
import type { HeaderList, Reply } from './reply.ts'

/** Whatever was thrown, as an answer: its code goes into the request log, a bug into the server's own. */

type ProblemParts = { docsUrl: string }

function setHeaders(headers: HeaderList, values: Record<string, string> | undefined): void {
  for (const name in values) headers.push(name, values[name] as string)
}

export const renderProblem = ({ docsUrl }: ProblemParts, exchange: Exchange, error: ProblemError) =>
  JSON.stringify(problemOf(error, { requestId: exchange.requestId, path: exchange.fullPath, docsUrl }))

/** What is not a declared problem is either the database being away, which passes, or a bug, which is logged whole. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (isDatabaseUnavailable(error)) return unavailable({ headers: { 'Retry-After': '1' }, cause: error })
  return internalError({ cause: error })
}

export function problemReply(
  parts: ProblemParts & { log: Log },
  exchange: Exchange,
  thrown: unknown,
  headers: HeaderList,
): Reply {
  const error = asProblem(thrown)
  exchange.errorCode = error.code
  exchange.errorDetail = error.options.detail ?? null
  if (error.status >= 500) logFailure(parts.log, exchange, error)
  setHeaders(headers, error.options.headers)
  const body = renderProblem(parts, exchange, error)
  const { requestId } = exchange
  return { status: error.status, requestId, body, headers, isProblem: true, isSecret: false }
}

function logFailure(log: Log, exchange: Exchange, error: ProblemError): void {
  const fields = {
    request_id: exchange.requestId,
    route: exchange.route?.id,
    code: error.code,
    err: error.cause ?? error,
  }
  if (error.status === 500) log.error(fields, 'request failed')
  else log.warn(fields, 'request could not be served')
}

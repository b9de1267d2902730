import type { Id } from '../../kernel/ids.ts'
import type { AuthenticationFailure, Caller } from './caller.ts'
import type { Route } from './define-route.ts'

/**
 * One request and its answer while it is being worked on. The pipeline fills it in; when it is over, the finished
 * exchange goes to the request log and the metrics as it is, so that neither has to know the pipeline.
 */
export type Exchange = {
  requestId: Id<'req'>
  startedAtMs: number
  durationMs: number
  method: string
  /** Null when no route matched. */
  route: Route | null
  /** The path without its base path: both base paths give the same. */
  path: string
  /** As called. */
  fullPath: string
  query: string
  address: string
  userAgent: string | null
  clientRequestId: string | null
  caller: Caller | null
  /** Known although authentication failed: an expired or revoked key still belongs to someone. */
  failedKey: { orgId: Id<'org'>; keyId: Id<'key'> } | null
  authenticationFailure: AuthenticationFailure | null
  idempotencyKey: string | null
  isReplayed: boolean
  requestBytes: number
  requestBody: string | null
  responseBytes: number
  responseBody: string | null
  status: number
  errorCode: string | null
  /** For the log only: what really went wrong. */
  errorDetail: string | null
}

const header = (request: Request, name: string, lengthMax: number) =>
  request.headers.get(name)?.slice(0, lengthMax) ?? null

export type ExchangeStart = {
  request: Request
  requestId: Id<'req'>
  startedAtMs: number
  route: Route | null
  fullPath: string
  path: string
  query: string
  address: string
}

export function beginExchange(start: ExchangeStart): Exchange {
  return {
    requestId: start.requestId,
    startedAtMs: start.startedAtMs,
    durationMs: 0,
    method: start.request.method,
    route: start.route,
    path: start.path,
    fullPath: start.fullPath,
    query: start.query,
    address: start.address,
    userAgent: header(start.request, 'user-agent', 500),
    clientRequestId: header(start.request, 'x-request-id', 128),
    caller: null,
    failedKey: null,
    authenticationFailure: null,
    idempotencyKey: null,
    isReplayed: false,
    requestBytes: 0,
    requestBody: null,
    responseBytes: 0,
    responseBody: null,
    status: 0,
    errorCode: null,
    errorDetail: null,
  }
}

import type { Id } from '../../../kernel/ids.ts'
import { activeSpan, beginSpan, isTracing, type Span } from '../../telemetry/spans.ts'
import { parseTraceparent, rememberTrace } from '../../telemetry/traces.ts'
import type { Route } from '../define-route.ts'
import type { AuthenticationFailure, Caller, FailedKey } from './caller.ts'
import type { HeaderList, Reply } from './reply.ts'

/**
 * One request and its answer while it is being worked on. The pipeline fills it in; when it is over, the finished
 * exchange goes to the request log and the metrics as it is, so that neither has to know the pipeline.
 */
export type Exchange = {
  requestId: Id<'req'>
  startedAtMs: number
  /** On a clock that is never set back, for the duration. */
  startedTickMs: number
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
  caller: ExchangeCaller | null
  failedKey: FailedKey | null
  authenticationFailure: AuthenticationFailure | null
  idempotencyKey: string | null
  isReplayed: boolean
  /** Unmasked: the log masks them before it stores them. Null where they are not kept. */
  requestHeaders: Headers | null
  requestBytes: number
  requestBody: string | null
  responseHeaders: Headers | null
  responseBytes: number
  responseBody: string | null
  status: number
  errorCode: string | null
  /** For the log only: what really went wrong. */
  errorDetail: string | null
  /** Null while tracing is off. */
  span: Span | null
}

/** A caller of ours, or the network behind a hook, which proves itself in its own way. */
export type ExchangeCaller = Omit<Caller, 'type'> & { type: Caller['type'] | 'hook' }

const USER_AGENT_CHARACTERS_MAX = 500
const CLIENT_REQUEST_ID_CHARACTERS_MAX = 128

const cut = (text: string | null, charactersMax: number) =>
  text !== null && text.length > charactersMax ? text.slice(0, charactersMax) : text

export type ExchangeStart = Pick<
  Exchange,
  'requestId' | 'startedAtMs' | 'route' | 'path' | 'fullPath' | 'query' | 'address'
>

export function beginExchange({ method, headers }: Request, start: ExchangeStart): Exchange {
  const span = beginRequestSpan(method, headers, start)
  rememberTrace(start.requestId, span === null ? headers.get('traceparent') : span.traceparent)
  return {
    requestId: start.requestId,
    startedAtMs: start.startedAtMs,
    startedTickMs: performance.now(),
    durationMs: 0,
    method,
    route: start.route,
    path: start.path,
    fullPath: start.fullPath,
    query: start.query,
    address: start.address,
    userAgent: cut(headers.get('user-agent'), USER_AGENT_CHARACTERS_MAX),
    clientRequestId: cut(headers.get('x-request-id'), CLIENT_REQUEST_ID_CHARACTERS_MAX),
    caller: null,
    failedKey: null,
    authenticationFailure: null,
    idempotencyKey: null,
    isReplayed: false,
    requestHeaders: headers,
    requestBytes: 0,
    requestBody: null,
    responseHeaders: null,
    responseBytes: 0,
    responseBody: null,
    status: 0,
    errorCode: null,
    errorDetail: null,
    span,
  }
}

/** Once the status is known. */
export function endExchange(exchange: Exchange): void {
  exchange.durationMs = performance.now() - exchange.startedTickMs
  if (exchange.span !== null) endRequestSpan(exchange, exchange.span)
}

export type UrlParts = { fullPath: string; query: string }

/** As the caller wrote them, not decoded: a parser of URLs would take ten times as long, and change what it reads. */
export function splitUrl(url: string): UrlParts {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  const queryStart = url.indexOf('?', pathStart)
  if (queryStart === -1) return { fullPath: url.slice(pathStart), query: '' }
  return { fullPath: url.slice(pathStart, queryStart), query: url.slice(queryStart + 1) }
}

/** The page after this one, for clients that follow links; everything else as it was asked for. */
export function nextPageLink({ fullPath, query }: UrlParts, cursor: string): string {
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${fullPath}?${parameters}>; rel="next"`
}

/** Decides whether a valid request runs, and which part of its answer the agent sees. */
export type Gate = (call: GatedCall, run: () => Promise<Reply>) => Promise<Reply>

export type GatedCall = {
  route: Route
  caller: Caller
  params: Record<string, string>
  query: unknown
  body: unknown
  request: Request
  exchange: Exchange
  headers: HeaderList
  /** The stored answer for a repeat under the same Idempotency-Key; null when this is not a repeat. Runs nothing. */
  replay: () => Promise<Reply | null>
  /** Throws the error that the handler would refuse the request with now. Changes nothing. */
  rehearse: () => Promise<void>
}

/**
 * The span of a request, by the semantic conventions for HTTP. It continues the trace in `traceparent`, or that of the work that
 * makes the request within this process (a tool of MCP, an approval). The path, the query and the address of the caller stay out of
 * it: they can hold phone numbers and tokens. The route has the path without its values.
 */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function beginRequestSpan(method: string, headers: Headers, { route, requestId }: ExchangeStart): Span | null {
  if (!isTracing()) return null
  const caller = activeSpan()
  const known = METHODS.has(method) ? method : '_OTHER'
  return beginSpan(route === null ? known : `${known} ${route.path}`, {
    kind: caller === null ? 'server' : 'internal',
    parent: caller ?? parseTraceparent(headers.get('traceparent')),
    attributes: {
      'http.request.method': known,
      'nexkit.request_id': requestId,
      ...(route !== null && { 'http.route': route.path, 'nexkit.operation': route.id }),
    },
  })
}

/** Only a status of 5xx is a failure of the server. */
function endRequestSpan({ status, errorCode, caller }: Exchange, span: Span): void {
  span.describe({
    'http.response.status_code': status,
    ...(errorCode !== null && { 'nexkit.error_code': errorCode }),
    ...(caller !== null && { 'nexkit.organization_id': caller.orgId, 'nexkit.caller': caller.type }),
  })
  if (status >= 500) span.fail(errorCode ?? String(status))
  span.end()
}

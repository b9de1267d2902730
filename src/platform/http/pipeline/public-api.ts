import { Hono } from 'hono'
import { newId } from '../../../kernel/ids.ts'
import type { ReadSocketAddress } from '../../runtime/server.ts'
import { within } from '../../telemetry/spans.ts'
import type { Method, Route } from '../define-route.ts'
import { methodNotAllowed, routeNotFound, urlTooLong } from '../http.errors.ts'
import { keyPolicy } from './admission.ts'
import type { Authentication, Caller } from './caller.ts'
import { beginExchange, type Exchange, endExchange, splitUrl } from './exchange.ts'
import { createRouteHandler, type Pipeline } from './handle-request.ts'
import { problemReply } from './problem-reply.ts'
import { NO_PARAMS } from './read-request.ts'
import { type Reply, replyHeaders, type Sent, sendReply } from './reply.ts'

/**
 * The routes as one router under every base path. A base path is an alias, never a redirect: same handlers, same limits,
 * same idempotency space, same entries in the request log.
 */
export type PublicApiOptions = Pipeline & {
  routes: readonly Route[]
  basePaths: readonly string[]
  readClientAddress: (socketAddress: string, request: Request) => string
  onExchange: (exchange: Exchange) => void
}

/** One call on its way in. */
type Call = {
  request: Request
  readSocketAddress: ReadSocketAddress
  basePath: string
  fullPath: string
  query: string
  isUrlTooLong: boolean
}

type PathHandler = (call: Call) => Response | Promise<Response>

type Environment = { Bindings: Call; Variables: object }

const URL_BYTES_MAX = 8192

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, Agent-Session, Approval-Id, Nexkit-Organization, traceparent',
  'Access-Control-Max-Age': '7200',
}

export type PublicApi = {
  /** For paths without parameters, which are most requests: found by one look. Null for all others. */
  fetchFixed(request: Request, readSocketAddress: ReadSocketAddress): Response | Promise<Response> | null
  /** Null when the path is not below a base path. */
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Response | Promise<Response> | null
}

/** Paths without parameters are looked up as they are; only the others need the router. */
export function createPublicApi(options: PublicApiOptions): PublicApi {
  const fixedPaths = new Map<string, { basePath: string; handle: PathHandler }>()
  const router = new Hono<Environment>({ strict: true })
  for (const [path, routes] of Map.groupBy(options.routes, (route) => route.path)) {
    const handle = createPathHandler(options, routes)
    for (const basePath of options.basePaths) {
      if (path.includes('{')) router.all(basePath + honoPath(path), ({ env }) => handle(env))
      else fixedPaths.set(basePath + path, { basePath, handle })
    }
  }
  router.notFound(({ env }) => refuse(options, env, routeNotFound()))
  const fetchFixed: PublicApi['fetchFixed'] = (request, readSocketAddress) => {
    const { url } = request
    const { fullPath, query } = splitUrl(url)
    const fixed = fixedPaths.get(fullPath)
    if (fixed === undefined) return null
    const isUrlTooLong = url.length > URL_BYTES_MAX
    return fixed.handle({ request, readSocketAddress, basePath: fixed.basePath, fullPath, query, isUrlTooLong })
  }
  return {
    fetchFixed,
    fetch(request, readSocketAddress) {
      const answer = fetchFixed(request, readSocketAddress)
      if (answer !== null) return answer
      const { url } = request
      const { fullPath, query } = splitUrl(url)
      const basePath = options.basePaths.find((base) => fullPath === base || fullPath.startsWith(`${base}/`))
      if (basePath === undefined) return null
      const isUrlTooLong = url.length > URL_BYTES_MAX
      return router.fetch(request, { request, readSocketAddress, basePath, fullPath, query, isUrlTooLong })
    },
  }
}

const honoPath = (path: string) => path.replaceAll(/\{([^}]+)\}/g, ':$1')

/** Exactly the documented methods, plus what follows from them. */
const allowedMethods = (routes: readonly Route[]): string[] => {
  const methods: (Method | 'HEAD' | 'OPTIONS')[] = routes.map((route) => route.method)
  if (methods.includes('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS']
}

/** One handler per path, which checks the method: so a wrong method (405) differs from a wrong path (404). */
function createPathHandler(options: PublicApiOptions, routes: readonly Route[]): PathHandler {
  const allowed = allowedMethods(routes)
  const handlers = new Map<string, { route: Route; handle: ReturnType<typeof createRouteHandler> }>(
    routes.map((route) => [route.method, { route, handle: createRouteHandler(options, route, routes) }]),
  )
  return (call) => {
    const { request } = call
    const { method } = request
    const found = handlers.get(method === 'HEAD' ? 'GET' : method)
    if (found !== undefined) {
      const { route, handle } = found
      const exchange = openExchange(options, call, route)
      if (call.isUrlTooLong) return finish(options, call, exchange, problem(options, call, exchange, urlTooLong()))
      const params = rawParams(route.path, exchange.path)
      const { span } = exchange
      const reply =
        span === null ? handle(request, exchange, params) : within(span, () => handle(request, exchange, params))
      return finish(options, call, exchange, reply)
    }
    if (method === 'OPTIONS') return preflight(options, call, allowed)
    return refuse(options, call, methodNotAllowed({ headers: { Allow: allowed.join(', ') }, params: { allowed } }))
  }
}

/** Path values straight from the URL: they are decoded once, by us, with an error for what does not decode. */
function rawParams(template: string, path: string): Record<string, string> {
  if (!template.includes('{')) return NO_PARAMS
  const values = path.split('/')
  const params: Record<string, string> = {}
  for (const [index, part] of template.split('/').entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = values[index] ?? ''
  }
  return params
}

function openExchange(options: PublicApiOptions, call: Call, route: Route | null): Exchange {
  const { request, fullPath, query } = call
  const startedAtMs = options.clock.now()
  return beginExchange(request, {
    requestId: newId('req', startedAtMs),
    startedAtMs,
    route,
    fullPath,
    path: fullPath.slice(call.basePath.length),
    query,
    address: options.readClientAddress(call.readSocketAddress(request), request),
  })
}

/** From the reply to the Response and to the log, at once where nothing has to be waited for. */
function finish(
  options: PublicApiOptions,
  call: Call,
  exchange: Exchange,
  reply: Reply | Promise<Reply>,
): Response | Promise<Response> {
  if (reply instanceof Promise) return reply.then((settled) => finish(options, call, exchange, settled))
  const sent = sendReply(call.request, reply)
  if (sent instanceof Promise) return sent.then((settled) => closeExchange(options, exchange, reply, settled))
  return closeExchange(options, exchange, reply, sent)
}

function closeExchange(options: PublicApiOptions, exchange: Exchange, reply: Reply, sent: Sent): Response {
  // Polling with entity tags should be cheap in every respect.
  if (sent.status === 304 && exchange.caller?.rateLimit)
    options.rateLimiter.refund(exchange.caller.rateLimitId ?? exchange.caller.id, keyPolicy(exchange.caller.rateLimit))
  exchange.status = sent.status
  exchange.responseHeaders = sent.response.headers
  exchange.responseBytes = sent.bytes
  exchange.responseBody = reply.isSecret ? null : reply.body
  if (reply.csvStream === undefined) logExchange(options, exchange)
  else void logStream(options, exchange, reply.csvStream.ended)
  return sent.response
}

function logExchange(options: PublicApiOptions, exchange: Exchange): void {
  endExchange(exchange)
  options.onExchange(exchange)
}

/** A stream is logged when it ends, with its size and the whole duration. */
async function logStream(options: PublicApiOptions, exchange: Exchange, ended: Promise<number>): Promise<void> {
  try {
    exchange.responseBytes = await ended
  } catch (error) {
    exchange.errorDetail = String(error)
    options.log.error({ err: error, request_id: exchange.requestId }, 'reading rows for a CSV answer failed')
  }
  logExchange(options, exchange)
}

const problem = (options: PublicApiOptions, { request }: Call, exchange: Exchange, error: unknown) =>
  problemReply(options, exchange, error, replyHeaders(request))

function refuse(options: PublicApiOptions, call: Call, error: unknown): Response | Promise<Response> {
  const exchange = openExchange(options, call, null)
  const said = call.isUrlTooLong ? urlTooLong() : error
  const answer = () => finish(options, call, exchange, problem(options, call, exchange, said))
  const named = nameCaller(options, call, exchange)
  return named instanceof Promise ? named.then(answer) : answer()
}

/**
 * Finds the caller of a wrong path, so that it appears in the caller's request log: integrators look for it there first. The
 * answer is the same for every caller. An invalid credential, or one that cannot be checked, belongs to no caller.
 */
function nameCaller(options: PublicApiOptions, { request }: Call, exchange: Exchange): void | Promise<void> {
  if (!request.headers.has('authorization')) return
  const take = (authentication: Authentication) => {
    if (authentication.ok) exchange.caller = authentication.caller
  }
  const authentication = options.authenticate(request, exchange.address)
  return authentication instanceof Promise ? authentication.then(take, () => {}) : take(authentication)
}

function preflight(options: PublicApiOptions, call: Call, allowed: readonly string[]): Response | Promise<Response> {
  if (call.isUrlTooLong) return refuse(options, call, urlTooLong())
  const exchange = openExchange(options, call, null)
  const headers = replyHeaders(call.request)
  const methods = allowed.join(', ')
  headers.push(...Object.entries(PREFLIGHT_HEADERS).flat(), 'Allow', methods, 'Access-Control-Allow-Methods', methods)
  const reply = { status: 204, requestId: exchange.requestId, body: null, headers, isProblem: false, isSecret: false }
  return finish(options, call, exchange, reply)
}

/**
 * Serves the public routes to code in this process that has already authenticated its caller. A request passes the same checks,
 * is logged and takes effect like a request from outside, but carries no token.
 */
export type InternalApi = {
  /** Prefix of every route path. */
  baseUrl: string
  call(caller: Caller, request: Request, address: string): Promise<Response>
}

const ORIGIN = 'http://localhost'

export function createInternalApi(
  options: Omit<PublicApiOptions, 'authenticate' | 'basePaths' | 'readClientAddress'> & { basePath: string },
): InternalApi {
  const callers = new WeakMap<Request, Caller>()
  const authenticate = (request: Request): Authentication => {
    const caller = callers.get(request)
    return caller === undefined ? { ok: false, failure: 'missing', credentialSent: false } : { ok: true, caller }
  }
  const api = createPublicApi({
    ...options,
    basePaths: [options.basePath],
    authenticate,
    readClientAddress: (address) => address,
  })
  return {
    baseUrl: `${ORIGIN}${options.basePath}`,
    async call(caller, request, address) {
      callers.set(request, caller)
      const response = await api.fetch(request, () => address)
      if (response === null) throw new Error(`${request.url} is not below ${options.basePath}`)
      return response
    },
  }
}

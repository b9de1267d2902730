import { Hono } from 'hono'
import { newId } from '../../kernel/ids.ts'
import type { Method, Route } from './define-route.ts'
import { beginExchange, type Exchange } from './exchange.ts'
import { createRouteHandler, keyPolicy, type Pipeline, problemReply } from './handle-request.ts'
import { methodNotAllowed, routeNotFound, urlTooLong } from './http.errors.ts'
import { type Reply, sendReply, standardHeaders } from './reply.ts'

/**
 * The routes as one router under every base path. A base path is an alias, never a redirect: same handlers, same limits,
 * same idempotency space, same entries in the request log.
 */
export type PublicApiOptions = Pipeline & {
  routes: readonly Route[]
  basePaths: readonly string[]
  readClientAddress: (socketAddress: string, forwardedFor: string | null) => string
  onExchange: (exchange: Exchange) => void
}

type Environment = { Bindings: { socketAddress: string } }

const URL_BYTES_MAX = 8192

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent',
  'Access-Control-Max-Age': '7200',
}

export type PublicApi = {
  fetch(request: Request, socketAddress: string): Response | Promise<Response>
  owns(path: string): boolean
}

export function createPublicApi(options: PublicApiOptions): PublicApi {
  const app = new Hono<Environment>({ strict: true })
  const routesByPath = Map.groupBy(options.routes, (route) => route.path)
  for (const basePath of options.basePaths) {
    for (const [path, routes] of routesByPath) mountPath(app, options, basePath, path, routes)
  }
  const baseOf = (path: string) => options.basePaths.find((base) => path === base || path.startsWith(`${base}/`))
  app.notFound((context) =>
    refuse(options, baseOf(context.req.path) ?? '', context.req.raw, context.env.socketAddress, routeNotFound()),
  )
  return {
    fetch: (request, socketAddress) => app.fetch(request, { socketAddress }),
    owns: (path) => baseOf(path) !== undefined,
  }
}

const honoPath = (path: string) => path.replaceAll(/\{([^}]+)\}/g, ':$1')

/** Exactly the documented methods, plus what follows from them. */
const allowedMethods = (routes: readonly Route[]): string[] => {
  const methods: (Method | 'HEAD' | 'OPTIONS')[] = routes.map((route) => route.method)
  if (methods.includes('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS']
}

/** One handler per path, which looks at the method itself: a router chain of several would cost every request. */
function mountPath(
  app: Hono<Environment>,
  options: PublicApiOptions,
  basePath: string,
  path: string,
  routes: readonly Route[],
) {
  const allowed = allowedMethods(routes)
  const handlers = new Map(
    routes.map((route) => [route.method as string, { route, handle: createRouteHandler(options, route) }]),
  )
  app.all(basePath + honoPath(path), (context) => {
    const { raw } = context.req
    const { socketAddress } = context.env
    const found = handlers.get(raw.method === 'HEAD' ? 'GET' : raw.method)
    if (found !== undefined) {
      return serve(options, basePath, found.route, raw, socketAddress, (request, exchange) =>
        found.handle(request, exchange, rawParams(found.route.path, exchange.path)),
      )
    }
    if (raw.method === 'OPTIONS') return preflight(options, basePath, raw, socketAddress, allowed)
    const error = methodNotAllowed({ headers: { Allow: allowed.join(', ') }, params: { allowed } })
    return refuse(options, basePath, raw, socketAddress, error)
  })
}

/** Path values straight from the URL: they are decoded once, by us, with an error for what does not decode. */
function rawParams(template: string, path: string): Record<string, string> {
  if (!template.includes('{')) return {}
  const values = path.split('/')
  const params: Record<string, string> = {}
  for (const [index, part] of template.split('/').entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = values[index] as string
  }
  return params
}

type Work = (request: Request, exchange: Exchange) => Promise<Reply> | Reply

async function serve(
  options: PublicApiOptions,
  basePath: string,
  route: Route | null,
  request: Request,
  socketAddress: string,
  work: Work,
): Promise<Response> {
  const startedAtMs = options.clock.now()
  const startedAt = performance.now()
  const { fullPath, query } = splitUrl(request.url)
  const exchange = beginExchange({
    request,
    requestId: newId('req', startedAtMs),
    startedAtMs,
    route,
    fullPath,
    path: fullPath.slice(basePath.length),
    query,
    address: options.readClientAddress(socketAddress, request.headers.get('x-forwarded-for')),
  })
  const reply =
    request.url.length > URL_BYTES_MAX
      ? problemReply(options, exchange, urlTooLong(), { ...standardHeaders, 'X-Request-Id': exchange.requestId })
      : await work(request, exchange)
  const sent = await sendReply(request, reply)
  // Polling with entity tags should be cheap in every respect.
  if (sent.status === 304 && exchange.caller?.rateLimit)
    options.rateLimiter.refund(exchange.caller.id, keyPolicy(exchange.caller.rateLimit))
  exchange.status = sent.status
  exchange.responseBytes = sent.bytes
  exchange.responseBody = reply.isSecret ? null : reply.body
  exchange.durationMs = performance.now() - startedAt
  options.onExchange(exchange)
  return sent.response
}

function splitUrl(url: string): { fullPath: string; query: string } {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  const queryStart = url.indexOf('?', pathStart)
  if (queryStart === -1) return { fullPath: url.slice(pathStart), query: '' }
  return { fullPath: url.slice(pathStart, queryStart), query: url.slice(queryStart + 1) }
}

const refuse = (options: PublicApiOptions, basePath: string, request: Request, socketAddress: string, error: unknown) =>
  serve(options, basePath, null, request, socketAddress, (_, exchange) =>
    problemReply(options, exchange, error, { ...standardHeaders, 'X-Request-Id': exchange.requestId }),
  )

const preflight = (
  options: PublicApiOptions,
  basePath: string,
  request: Request,
  socketAddress: string,
  allowed: readonly string[],
) =>
  serve(options, basePath, null, request, socketAddress, (_, exchange) => ({
    status: 204,
    body: null,
    headers: {
      ...standardHeaders,
      ...PREFLIGHT_HEADERS,
      'X-Request-Id': exchange.requestId,
      Allow: allowed.join(', '),
      'Access-Control-Allow-Methods': allowed.join(', '),
    },
    isProblem: false,
    isSecret: false,
  }))

import { credentialIn } from '../../accounts/keys/keys.ts'
import { mediaIdOf } from '../../channels/content/content.ts'
import { newId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { beginExchange, type Exchange, endExchange, splitUrl } from '../../platform/http/pipeline/exchange.ts'
import { type HeaderList, replyHeaders, sendReply, standardHeaders } from '../../platform/http/pipeline/reply.ts'
import { within } from '../../platform/telemetry/spans.ts'
import { cloudApiRoutes, edgeRouteId } from './cloud-api.routes.ts'
import { admitCaller } from './cloud-api-admission.ts'
import type { CloudApiCall, CloudApiContext, CloudApiOptions, CloudApiReply, OpenCall } from './cloud-api-context.ts'
import { answerOf, objectUnknown, pathUnknown, renderProblem, requestInvalid } from './cloud-api-problem.ts'
import { MANAGED_EDGES, manageObject } from './management-calls.ts'
import * as mediaCalls from './media-calls.ts'
import { createMediaLinks } from './media-calls.ts'
import { createUploadReader } from './media-upload.ts'
import * as messageCalls from './message-calls.ts'
import { manageSubscription, SUBSCRIPTION_EDGES } from './subscription-calls.ts'
import { debugToken, getAccessToken } from './token-calls.ts'
import { beginUpload, continueUpload } from './upload-calls.ts'

/**
 * Meta's dialect: what an application written for the WhatsApp Cloud API calls, under the same base paths and the same
 * keys as the public API, writing to the same chats. Requests are read as the graph reads them (unknown members ignored,
 * any version or none) and every answer, refusals included, has Meta's shape.
 *
 *   path ──▶ key, rate, scope ──▶ the call ──▶ 200 in Meta's shape
 *     │          └── whatever goes wrong ──▶ Meta's envelope with Meta's code
 *     └── not of the dialect: null, and the public API looks at it
 */
export { createMediaLinks } from './media-calls.ts'

export type CloudApi = {
  /** Null when the path is not of the dialect. */
  fetch(request: Request, readSocketAddress: (request: Request) => string): Promise<Response> | null
}

type Handler = (context: CloudApiContext, call: CloudApiCall) => Promise<CloudApiReply>
type OpenHandler = (context: CloudApiContext, call: OpenCall) => Promise<CloudApiReply>
type Operation = { route: Route; handle: Handler } | { route: Route; handleOpen: OpenHandler }

const routeOf = (id: string) => cloudApiRoutes.find((route) => route.id === id) as Route

/** Edges and methods without a separate route are logged under that of the object. */
const manage = { route: routeOf('getCloudApiObject'), handle: manageObject }

const OPERATIONS: Record<Exclude<CloudApiPath['kind'], 'unknown'>, Record<string, Operation>> = {
  messages: { POST: { route: routeOf('sendCloudApiMessage'), handle: messageCalls.postMessages } },
  media: { POST: { route: routeOf('uploadCloudApiMedia'), handle: mediaCalls.uploadMedia } },
  templates: {
    GET: { route: routeOf('listCloudApiTemplates'), handle: manageObject },
    POST: manage,
    DELETE: manage,
  },
  managed: { GET: manage, POST: manage, DELETE: manage },
  subscription: Object.fromEntries(
    ['GET', 'POST', 'DELETE'].map((method) => [method, { ...manage, handle: manageSubscription }]),
  ),
  object: {
    GET: { route: routeOf('getCloudApiObject'), handle: getObject },
    POST: manage,
    DELETE: { route: routeOf('deleteCloudApiMedia'), handle: mediaCalls.deleteMedia },
  },
  content: { GET: { route: routeOf('getCloudApiObject'), handle: mediaCalls.readContent } },
  accessToken: {
    GET: { route: routeOf('getCloudApiAccessToken'), handleOpen: getAccessToken },
    POST: { route: routeOf('postCloudApiAccessToken'), handleOpen: getAccessToken },
  },
  debugToken: { GET: { route: routeOf('debugCloudApiToken'), handle: debugToken } },
  uploads: { POST: { ...manage, handle: beginUpload } },
  upload: { GET: { ...manage, handle: continueUpload }, POST: { ...manage, handle: continueUpload } },
}

/** One address for all objects, as in the graph. */
function getObject(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  return mediaIdOf(call.objectId) !== null ? mediaCalls.describeMedia(context, call) : manageObject(context, call)
}

const URL_BYTES_MAX = 8192

export function createCloudApi(options: CloudApiOptions): CloudApi {
  const own = new Set(options.ownCollections)
  const mounts = mountsOf(options.basePaths, own)
  const links = createMediaLinks({ key: options.linkKey, clock: options.clock })
  const context = { ...options, links, readUpload: createUploadReader(options.media.begin) }
  return {
    fetch(request, readSocketAddress) {
      const { fullPath, query } = splitUrl(request.url)
      const mount = mounts.find(({ prefix }) => fullPath.startsWith(prefix))
      if (mount === undefined) return null
      const basePath = mount.prefix.slice(0, -1)
      const ofTokens = readTokenPath(fullPath.slice(basePath.length))
      // Most requests are for one of our own collections, which one check detects.
      const firstEnd = fullPath.indexOf('/', mount.prefix.length)
      const first = fullPath.slice(mount.prefix.length, firstEnd === -1 ? undefined : firstEnd)
      if (ofTokens === null && mount.isOurs(first)) return null
      const path = ofTokens ?? readCloudApiPath(fullPath.slice(basePath.length), mount.isOurs)
      if (path === null) return null
      const address = options.readClientAddress(readSocketAddress(request), request)
      return serve(context, request, { path, basePath, fullPath, query, address })
    },
  }
}

type Mount = { prefix: string; isOurs: (firstSegment: string) => boolean }

/**
 * Where the dialect is served: below the base paths of the public API, below them without their version, and at the root of
 * the host for clients that take a host only. Outside of the base paths it takes versions and ids of Meta's kind alone,
 * which none of our own paths begins with.
 */
function mountsOf(basePaths: readonly string[], own: ReadonlySet<string>): Mount[] {
  const parents = basePaths.map((basePath) => splitLast(basePath))
  return [
    ...basePaths.map((basePath) => ({ prefix: `${basePath}/`, isOurs: (name: string) => own.has(name) })),
    ...parents.map(([parent, version]) => ({
      prefix: `${parent}/`,
      isOurs: (name: string) => name === version || isForeign(name),
    })),
    { prefix: '/', isOurs: isForeign },
  ]
}

const isForeign = (name: string) => !VERSION.test(name) && !BARE_OBJECT_ID.test(name) && !UPLOAD_ID.test(name)

const splitLast = (path: string): [string, string] => {
  const at = path.lastIndexOf('/')
  return [path.slice(0, at), path.slice(at + 1)]
}

type Target = { path: CloudApiPath; basePath: string; fullPath: string; query: string; address: string }

async function serve(context: CloudApiContext, request: Request, target: Target): Promise<Response> {
  const { path, basePath, fullPath, query, address } = target
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const operation = operationOf(path, method)
  const startedAtMs = context.clock.now()
  const exchange = beginExchange(request, {
    requestId: newId('req', startedAtMs),
    startedAtMs,
    route: operation?.route ?? null,
    fullPath,
    path: fullPath.slice(basePath.length),
    query: withoutToken(query),
    address,
  })
  if (request.method === 'OPTIONS') return preflight(context, exchange, path)
  const headers = replyHeaders(request)
  const reply = await within(exchange.span, () => answer(context, request, { ...target, exchange, operation, headers }))
  return finish(context, request, exchange, { reply, headers })
}

function operationOf(path: CloudApiPath, method: string): Operation | undefined {
  const operation = path.kind === 'unknown' ? undefined : OPERATIONS[path.kind][method]
  const isOfEdge = operation?.route === manage.route && 'edge' in path && path.edge !== undefined
  if (operation === undefined || !isOfEdge || path.edge === undefined) return operation
  const route = edgeRoutes.get(edgeRouteId(method, path.edge))
  return route === undefined ? operation : { ...operation, route }
}

const edgeRoutes = new Map(cloudApiRoutes.map((route) => [route.id, route]))

/** What does not exist here is not shown to more callers than what does. */
const scopeOf = (operation: Operation | undefined): Scope | null => {
  const access = operation?.route.access
  return access?.type === 'key' ? access.scope : 'messages:send'
}

type Working = Target & { exchange: Exchange; operation: Operation | undefined; headers: HeaderList }

async function answer(context: CloudApiContext, request: Request, working: Working): Promise<CloudApiReply> {
  const { exchange, operation, headers } = working
  const query = new URLSearchParams(working.query)
  const admit = async (scope: Scope | null) => {
    const credential = withToken(request, query)
    const caller = await admitCaller(context, credential, { exchange, headers, scope })
    return { caller, token: credentialIn(credential.headers.get('authorization') ?? '') }
  }
  try {
    const begin = () => beginCall(working, { request, query })
    if (operation !== undefined && 'handleOpen' in operation)
      return await operation.handleOpen(context, { ...begin(), admit })
    const { caller } = await admit(scopeOf(operation))
    const call = begin()
    if (operation === undefined) throw objectUnknown(request.method, call.objectId)
    return await operation.handle(context, { ...call, caller })
  } catch (error) {
    return refuse(context, exchange, headers, error)
  }
}

function beginCall(
  { path, exchange, headers, basePath }: Working,
  asked: { request: Request; query: URLSearchParams },
) {
  if (asked.request.url.length > URL_BYTES_MAX) throw requestInvalid('The URL is too long.')
  if (path.kind === 'unknown') throw pathUnknown(exchange.path)
  const { objectId, edge = null, item = null } = path
  return { ...asked, exchange, basePath, objectId, edge, item, headers }
}

const TOKEN = /(^|&)access_token=([^&]*)/

const OAUTH_SCHEME = /^oauth +([^ ]+) *$/i

/** The graph takes the token in the query as well, and calls the scheme of the header OAuth, too. The header wins. */
function withToken(request: Request, query: URLSearchParams): Request {
  const header = request.headers.get('authorization')
  const token = header === null ? query.get('access_token') : (OAUTH_SCHEME.exec(header)?.[1] ?? null)
  if (token === null || !PRINTABLE.test(token)) return request
  return new Request(request.url, { headers: { authorization: `Bearer ${token}` } })
}

const PRINTABLE = /^[!-~]{1,512}$/

/** The request log stores the query, never a token. */
const withoutToken = (query: string): string => query.replace(TOKEN, '$1access_token=***')

/** The request id is also the trace id, so support can find a call by it. */
function refuse({ log }: CloudApiContext, exchange: Exchange, headers: HeaderList, error: unknown): CloudApiReply {
  const problem = answerOf(error)
  exchange.errorCode = problem.errorCode
  exchange.errorDetail = problem.details ?? problem.title
  const fields = { request_id: exchange.requestId, route: exchange.route?.id, code: problem.code, err: error }
  if (problem.status === 500) log.error(fields, 'request failed')
  else if (problem.status > 500) log.warn(fields, 'request could not be served')
  for (const [name, value] of Object.entries(problem.headers ?? {})) headers.push(name, value)
  return { status: problem.status, body: renderProblem(problem, exchange.requestId) }
}

type Finished = { reply: CloudApiReply; headers: HeaderList }

async function finish(
  context: CloudApiContext,
  request: Request,
  exchange: Exchange,
  { reply, headers }: Finished,
): Promise<Response> {
  const { requestId } = exchange
  if ('response' in reply) return close(context, exchange, reply.response, reply.bytes)
  const { isSecret = false } = reply
  const sent = await sendReply(request, { ...reply, requestId, headers, isProblem: false, isSecret })
  exchange.responseBody = isSecret ? null : reply.body
  return close(context, exchange, sent.response, sent.bytes)
}

function close({ onExchange }: CloudApiContext, exchange: Exchange, response: Response, bytes: number): Response {
  exchange.status = response.status
  exchange.responseBytes = bytes
  endExchange(exchange)
  onExchange(exchange)
  return response
}

/** Browsers ask before they send a key; the answer is the same for all of them. */
function preflight(context: CloudApiContext, exchange: Exchange, path: CloudApiPath): Response {
  const known = path.kind === 'unknown' ? [] : Object.keys(OPERATIONS[path.kind])
  const allowed = [...known, 'OPTIONS'].join(', ')
  const headers = {
    ...standardHeaders,
    'X-Request-Id': exchange.requestId,
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Content-Encoding, Accept, Idempotency-Key',
    'Access-Control-Max-Age': '7200',
  }
  return close(context, exchange, new Response(null, { status: 204, headers }), 0)
}

/**
 * What a path below a base path means in Meta's dialect. The version may be any or none, and may come twice when a base
 * address with a version meets a client that adds one; slashes may be doubled or trail. Every path below a version is
 * answered in the dialect, because no path of ours begins with one; so is every path below an id of digits. Without these, only paths that look like
 * Meta's are accepted, and never one of our own collections: `/chats/messages` is the chat with a contact called "messages".
 */
export type CloudApiPath =
  | {
      kind:
        | 'messages'
        | 'media'
        | 'templates'
        | 'managed'
        | 'subscription'
        | 'object'
        | 'content'
        | 'accessToken'
        | 'debugToken'
        | 'uploads'
        | 'upload'
      objectId: string
      edge?: string
      /** One member of the edge, such as a QR code. */
      item?: string
    }
  | { kind: 'unknown' }

const VERSION = /^v\d{1,3}(?:\.\d{1,3})?$/
const OBJECT_ID = /^[A-Za-z0-9_-]{1,64}$/
const DIGITS = /^\d{5,64}$/
/** Alone on a path without version, only what can be nothing else. */
const BARE_OBJECT_ID = /^(?:\d{5,64}|med_[0-9a-z]{26})$/

type EdgeKind = 'messages' | 'media' | 'templates' | 'managed' | 'subscription' | 'content' | 'uploads'

const EDGES: Record<string, EdgeKind> = {
  ...Object.fromEntries([...MANAGED_EDGES].map((edge) => [edge, 'managed' as const])),
  ...Object.fromEntries([...SUBSCRIPTION_EDGES].map((edge) => [edge, 'subscription' as const])),
  messages: 'messages',
  media: 'media',
  message_templates: 'templates',
  content: 'content',
  uploads: 'uploads',
}

/** As Graph names uploads. A client takes the name as it is, so it comes without a version, too. */
const UPLOAD_ID = /^upload:[A-Za-z0-9_=-]{1,512}$/

/** Kinds whose edge is passed on to the network. */
const EDGES_NAMED: ReadonlySet<EdgeKind> = new Set(['managed', 'subscription', 'templates', 'uploads'])

/** The one edge whose members have addresses below it. */
const EDGE_OF_ITEMS = 'message_qrdls'

const ACCESS_TOKEN_PATH = /^(?:\/+v\d{1,3}(?:\.\d{1,3})?)*\/+oauth\/+access_token\/*$/
const DEBUG_TOKEN_PATH = /^(?:\/+v\d{1,3}(?:\.\d{1,3})?)*\/+debug_token\/*$/

/** The two paths of Graph that begin with neither a version nor an id. Null for all others. */
function readTokenPath(path: string): CloudApiPath | null {
  if (!path.includes('_token')) return null
  if (DEBUG_TOKEN_PATH.test(path)) return { kind: 'debugToken', objectId: 'debug_token' }
  return ACCESS_TOKEN_PATH.test(path) ? { kind: 'accessToken', objectId: 'oauth' } : null
}

/** Null when the path does not belong to the dialect. */
export function readCloudApiPath(path: string, isOwnCollection: (name: string) => boolean): CloudApiPath | null {
  const segments = path.split('/').filter((segment) => segment !== '')
  const versions = segments.findIndex((segment) => !VERSION.test(segment))
  const isVersioned = VERSION.test(segments[0] ?? '')
  const [objectId, edge, ...rest] = versions === -1 ? [] : segments.slice(versions)
  if (!isVersioned && (objectId === undefined || isOwnCollection(objectId))) return null
  const [item, ...more] = rest
  const isItem = item !== undefined && more.length === 0 && edge === EDGE_OF_ITEMS && OBJECT_ID.test(item)
  const object = rest.length > 0 && !isItem ? null : readObject(objectId, edge, isVersioned)
  const found = object === null || !isItem ? object : { ...object, item }
  return found ?? (isVersioned || DIGITS.test(objectId ?? '') ? { kind: 'unknown' } : null)
}

function readObject(objectId: string | undefined, edge: string | undefined, isVersioned: boolean): CloudApiPath | null {
  if (objectId !== undefined && edge === undefined && UPLOAD_ID.test(objectId)) return { kind: 'upload', objectId }
  if (objectId === undefined || !OBJECT_ID.test(objectId) || Object.hasOwn(EDGES, objectId)) return null
  if (edge === undefined) return isVersioned || BARE_OBJECT_ID.test(objectId) ? { kind: 'object', objectId } : null
  const kind = Object.hasOwn(EDGES, edge) ? EDGES[edge] : undefined
  if (kind === undefined) return null
  return EDGES_NAMED.has(kind) ? { kind, objectId, edge } : { kind, objectId }
}

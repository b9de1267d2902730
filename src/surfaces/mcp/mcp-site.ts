import { sameOriginRequired } from '../../accounts/people/people.errors.ts'
import type { ProblemError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { defineRoute, open, type Route } from '../../platform/http/define-route.ts'
import { methodNotAllowed, unauthenticated } from '../../platform/http/http.errors.ts'
import { decodeUtf8Strict, parseStrictJson } from '../../platform/http/json/strict-json.ts'
import { refuseCredential, spendRate } from '../../platform/http/pipeline/admission.ts'
import { readBody } from '../../platform/http/pipeline/body-reader.ts'
import type { Authentication, Caller } from '../../platform/http/pipeline/caller.ts'
import { beginExchange, type Exchange, endExchange, splitUrl } from '../../platform/http/pipeline/exchange.ts'
import { asProblem, problemReply } from '../../platform/http/pipeline/problem-reply.ts'
import type { InternalApi, PublicApiOptions } from '../../platform/http/pipeline/public-api.ts'
import { bodyProblem } from '../../platform/http/pipeline/read-request.ts'
import { type HeaderList, type Reply, sendReply } from '../../platform/http/pipeline/reply.ts'
import type { ReadSocketAddress } from '../../platform/runtime/server.ts'
import { within } from '../../platform/telemetry/spans.ts'
import { type Chat, findChatByName, isName, type ListChats } from './chat-names.ts'
import type { McpMessage, ToolBox } from './mcp-protocol.ts'
import { type Arguments, buildToolRequest } from './tool-request.ts'
import { refusedArguments, refusedCall, resultOf, type ToolResult } from './tool-results.ts'
import { createTools, isBrief, isWithinScopes, type Tool } from './tools.ts'
import { unmarkMembers } from './untrusted-text.ts'

/**
 * `/mcp`: the routes marked for agents, offered as tools.
 *
 *   origin 403 → preflight 204, method 405 → token 401 → body 413, 408, 400 → rate 429 → the protocol → a tool
 *   a tool → request to its route, in process → the whole pipeline of the public API → result
 *
 * A call of a tool is a call of its route and nothing else: it is validated, counted, executed once and logged like the
 * same call of any other client. Messages that are no call of a tool are counted and logged here.
 */
export type McpSiteOptions = Omit<PublicApiOptions, 'basePaths' | 'credentialRefusal'> & {
  /** The API through which tools call their routes. */
  internalApi: InternalApi
  /** Which of the tools that the caller has the scope for are offered; asked anew for every list and every call. */
  offersTo: (caller: Caller) => Promise<(route: Route) => boolean>
  publicOrigin: string
  /** The challenge for a program without a valid token: it says where to get one. */
  challenge: string
  version: string
}

export type McpSite = {
  /** Null when the path is another. */
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Promise<Response> | null
}

export const MCP_PATH = '/mcp'
/** The headers that are passed on with the request of a tool. */
const HANDED_ON = ['agent-session', 'user-agent', 'x-request-id', 'traceparent']

/** For the name in the request log. */
const mcpRoute: Route = defineRoute({
  id: 'speakMcp',
  method: 'POST',
  path: MCP_PATH,
  tag: 'Agents',
  summary: 'Speak the Model Context Protocol',
  description: 'Called by programs that work with a language model; calls of tools are logged as what they call.',
  access: open,
  reply: { status: 200, body: null },
  example: { reply: null },
  handle: () => undefined,
})

type Site = McpSiteOptions & {
  /** Created with the first message, because the schemas of all tools take about eighty milliseconds. */
  tools(): Tool[]
}

export function createMcpSite(options: McpSiteOptions): McpSite {
  let created: Tool[] | null = null
  const tools = () => {
    created ??= createTools(options.routes)
    return created
  }
  const site: Site = { ...options, tools }
  return {
    fetch(request, readSocketAddress) {
      const { fullPath, query } = splitUrl(request.url)
      if (fullPath !== MCP_PATH) return null
      const address = options.readClientAddress(readSocketAddress(request), request)
      return serve(site, request, { query, address })
    },
  }
}

/** The same for every credential that does not do, as everywhere. */
const refuseToken = ({ challenge }: Site, { credentialSent }: { credentialSent: boolean }): ProblemError =>
  unauthenticated({
    says: 'Connect as WWW-Authenticate says, or send the token of an agent as "Authorization: Bearer nxk_live_…". Create agents in the console; other API keys are not accepted here.',
    headers: { 'WWW-Authenticate': credentialSent ? `${challenge}, error="invalid_token"` : challenge },
  })

type Working = {
  exchange: Exchange
  headers: HeaderList
  /** Whether the message reached a tool, whose route counts it. */
  isCall: boolean
  /** The id of the request that a tool sent, for the log; null when no tool was called. */
  toolRequestId: string | null
}

async function serve(site: Site, request: Request, call: { query: string; address: string }): Promise<Response> {
  const startedAtMs = site.clock.now()
  const exchange = beginExchange(request, {
    requestId: newId('req', startedAtMs),
    startedAtMs,
    route: mcpRoute,
    fullPath: MCP_PATH,
    path: MCP_PATH,
    ...call,
  })
  const working: Working = { exchange, headers: headersFor(request), isCall: false, toolRequestId: null }
  const reply = await within(exchange.span, () => answer(site, request, working)).catch((error) =>
    problemReply(site, exchange, error, working.headers),
  )
  const sent = await sendReply(request, reply)
  exchange.status = sent.status
  endExchange(exchange)
  if (working.toolRequestId === null) {
    exchange.responseBytes = sent.bytes
    exchange.responseBody = reply.body
    site.onExchange(exchange)
  }
  return sent.response
}

async function answer(site: Site, request: Request, working: Working): Promise<Reply> {
  assertKnownOrigin(site, request, working.exchange)
  if (request.method === 'OPTIONS' && request.headers.has('origin')) return preflight(request, working)
  if (request.method !== 'POST') throw methodNotAllowed({ headers: { Allow: 'POST' }, params: { allowed: ['POST'] } })
  const caller = await admit(site, request, working.exchange)
  const read = await readBody(request, { bytesMax: site.bodyBytesMax, timeoutMs: site.bodyTimeoutMs })
  if (!read.ok) throw bodyProblem(site, read.reason)
  working.exchange.requestBytes = read.bytes.byteLength
  const text = decodeUtf8Strict(read.bytes)
  working.exchange.requestBody = text
  const parsed = text === null ? NOT_UTF8 : { text, ...parseStrictJson(text) }
  const counted = parsed.ok ? countedHere(parsed.value) : 1
  for (let left = counted; left > 0; left -= 1) countMessage(site, caller, working)
  if (!parsed.ok) return reply(working, 400, unreadable(parsed.problem.detail))
  const { answerMessage } = await import('./mcp-protocol.ts')
  const response = await answerMessage({
    request: messageRequest(request, parsed.text),
    body: parsed.value,
    tools: toolBox(site, request, { working, caller }),
    version: site.version,
    onError: logRefusal(site, working.exchange),
  })
  // Some messages are refused before they reach a tool, for example because of an unknown name.
  if (counted === 0 && !working.isCall) countMessage(site, caller, working)
  return reply(working, response.status, await response.text())
}

function countMessage(site: Site, caller: Caller, { headers }: Working): void {
  if (caller.rateLimit !== null) spendRate(site, caller, caller.rateLimit, headers)
}

const NOT_UTF8 = { ok: false, problem: { detail: 'The body is not valid UTF-8.' } } as const

/**
 * A browser names the site of its page; other programs name none. Pages that this computer serves to its own browser may call, such
 * as the inspectors of MCP; a request that a proxy forwarded comes from elsewhere.
 */
function assertKnownOrigin({ publicOrigin }: Site, { headers }: Request, { address }: Exchange): void {
  const origin = headers.get('origin')
  if (origin === null || origin === publicOrigin) return
  const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded')
  if (LOOPBACK_ORIGIN.test(origin) && isLoopback(address) && !isForwarded) return
  throw sameOriginRequired({ says: 'Pages of other sites cannot call this address. Connect without a browser.' })
}

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/
const isLoopback = (address: string) => address.startsWith('127.') || address === '::1'

const EXPOSED_HEADERS = 'WWW-Authenticate, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'

const headersFor = ({ headers }: Request): HeaderList =>
  headers.has('origin') ? ['Access-Control-Expose-Headers', EXPOSED_HEADERS] : []

/** Which headers a client sends differs by revision of the protocol, and none of them is a risk: the token is the page's own. */
function preflight({ headers }: Request, { exchange, headers: replied }: Working): Reply {
  const asked = headers.get('access-control-request-headers') ?? ''
  replied.push('Access-Control-Allow-Methods', 'POST', 'Access-Control-Max-Age', '600')
  if (HEADER_NAMES.test(asked)) replied.push('Access-Control-Allow-Headers', asked)
  return { status: 204, requestId: exchange.requestId, body: null, headers: replied, isProblem: false, isSecret: false }
}

const HEADER_NAMES = /^[A-Za-z0-9-]+(?:, ?[A-Za-z0-9-]+)*$/

async function admit(site: Site, request: Request, exchange: Exchange): Promise<Caller> {
  const refuse = (refused: Extract<Authentication, { ok: false }>) =>
    refuseCredential({ ...site, credentialRefusal: () => refuseToken(site, refused) }, exchange, refused)
  const authentication = await site.authenticate(request, exchange.address)
  if (!authentication.ok) throw refuse(authentication)
  const { caller } = authentication
  exchange.caller = caller
  if (caller.type === 'agent') return caller
  throw refuse({ ok: false, failure: 'not_an_agent', credentialSent: true })
}

/** Older clients send several at once, and each costs what it would have cost alone. */
const countedHere = (value: unknown): number =>
  Array.isArray(value) && value.length > 0
    ? value.filter((message) => !isToolCall(message)).length
    : Number(!isToolCall(value))

/** It is counted by the route that it calls. */
const isToolCall = (message: unknown) =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'

const unreadable = (detail: string) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: -32_700, message: `Parse error: ${detail}` }, id: null })

/**
 * Rebuilds the request for the library: the body is read already, and all answers are JSON, whatever the client
 * accepts.
 */
function messageRequest(request: Request, body: string): McpMessage['request'] {
  const headers = new Headers(request.headers)
  for (const name of ['authorization', 'content-encoding', 'content-length']) headers.delete(name)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: 'POST', headers, body })
}

const reply = ({ exchange, headers, toolRequestId }: Working, status: number, body: string): Reply => ({
  status,
  requestId: toolRequestId ?? exchange.requestId,
  body: body === '' ? null : body,
  headers,
  isProblem: false,
  isSecret: false,
})

/** The client receives its mistakes in the answer, so they are logged at debug level only. */
const logRefusal =
  ({ log }: Site, { requestId }: Exchange) =>
  (error: Error) =>
    log.debug({ request_id: requestId, err: error }, 'mcp message refused')

/** The tools of one caller, for one message. */
function toolBox(site: Site, outer: Request, { working, caller }: { working: Working; caller: Caller }): ToolBox {
  const offered = async () => {
    const isOffered = await site.offersTo(caller)
    return site.tools().filter(({ route }) => isWithinScopes(caller, route) && isOffered(route))
  }
  const ask = { baseUrl: site.internalApi.baseUrl, headers: handedOn(outer) }
  const listChats: ListChats = async (query) => {
    const route = site.routes.find(({ id }) => id === 'listChats')
    const built = route === undefined ? null : buildToolRequest(route, query, ask)
    if (built?.ok !== true) throw new Error('chats cannot be listed')
    const response = await site.internalApi.call(caller, built.request, working.exchange.address)
    working.toolRequestId = response.headers.get('x-request-id')
    if (response.status !== 200) return { refusal: await resultOf(response, true) }
    const { data }: { data: Chat[] } = await response.json()
    return { chats: data }
  }
  const resolveName = async ({ route }: Tool, given: Arguments) => {
    const { phone } = given
    if (route.id !== 'getChat' || !isName(phone)) return { arguments: given }
    const found = await findChatByName(listChats, phone)
    return 'refusal' in found ? found : { arguments: { ...given, phone: found.chatId } }
  }
  return {
    list: async () => (await offered()).map(({ definition }) => definition),
    async call(name, given) {
      working.isCall = true
      const tool = (await offered()).find(({ definition }) => definition.name === name)
      if (tool === undefined) return refuseRate(site, caller)
      const meant = await resolveName(tool, withDefaults(tool, unmarkMembers(given)))
      if ('refusal' in meant) return meant.refusal
      const built = buildToolRequest(tool.route, meant.arguments, ask)
      if (!built.ok) return refuseRate(site, caller) ?? refusedArguments(built.problems)
      const response = await site.internalApi.call(caller, built.request, working.exchange.address)
      working.toolRequestId = response.headers.get('x-request-id')
      return resultOf(response, isBrief(tool.route))
    },
  }
}

/** Models fill in null for what they mean to leave out. */
const withDefaults = ({ defaults }: Tool, given: Arguments): Arguments => ({
  ...given,
  ...Object.fromEntries(Object.entries(defaults).filter(([name]) => given[name] === undefined || given[name] === null)),
})

/** A call that reaches no route is counted all the same; null while there is nothing to refuse. */
function refuseRate(site: Site, caller: Caller): ToolResult | null {
  try {
    if (caller.rateLimit !== null) spendRate(site, caller, caller.rateLimit, [])
    return null
  } catch (error) {
    return refusedCall(asProblem(error))
  }
}

function handedOn({ headers }: Request): Headers {
  const own = new Headers()
  for (const name of HANDED_ON) {
    const value = headers.get(name)
    if (value !== null) own.set(name, value)
  }
  return own
}

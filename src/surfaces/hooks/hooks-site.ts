import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { defineRoute, open, type Route } from '../../platform/http/define-route.ts'
import type { HookReceiver, HookReply } from '../../platform/http/hook-receiver.ts'
import { type BodyFailure, readBody } from '../../platform/http/pipeline/body-reader.ts'
import { beginExchange, type Exchange, endExchange } from '../../platform/http/pipeline/exchange.ts'
import { asProblem } from '../../platform/http/pipeline/problem-reply.ts'
import type { ReadSocketAddress } from '../../platform/runtime/server.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { within } from '../../platform/telemetry/spans.ts'

/**
 * `/hooks/{name}/{id}`: the address that networks and payment providers call. The receiver verifies a hook and decides
 * the answer; this file holds what all hooks have in common: the raw bytes within bounds, and an entry in the request
 * log.
 *
 *   path 404 → method 405 → body 413, 408, 400 → the receiver's answer; 503 while the database is away
 *
 * A sender repeats what is not answered with 2xx, so a body is never half taken: it is answered once it is durable.
 */
export type HooksSiteOptions = {
  receivers: readonly HookReceiver[]
  clock: Clock
  log: Log
  readClientAddress: (socketAddress: string, request: Request) => string
  onExchange: (exchange: Exchange) => void
  /** Required, because the limit of the API is far smaller, and a large batch would be lost for good. */
  bodyBytesMax: number
  bodyTimeoutMs?: number
}

export type HooksSite = {
  /** Null when the path is not below /hooks/. */
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Promise<Response> | null
}

/** Meta posts up to 3 MB. */
export const HOOK_BYTES_MAX = 3 * 1024 * 1024
const BODY_TIMEOUT_MS = 20_000
/** What is kept of a body in the request log, before it is masked and cut there. */
const LOGGED_BYTES_MAX = 16 * 1024

const ROOT = '/hooks/'
const PATH = /^\/hooks\/([a-z0-9-]{1,64})\/([A-Za-z0-9_-]{1,128})$/

/** For the name in the request log. */
const hookRoute: Route = defineRoute({
  id: 'receiveHook',
  method: 'POST',
  path: '/hooks/{kind}/{id}',
  tag: 'Hooks',
  summary: 'Receive a report',
  description: 'Called by networks and payment providers, never by clients.',
  access: open,
  reply: { status: 200, body: null },
  example: { reply: null },
  handle: () => undefined,
})

const says = (status: number, body: string, detail: string | null = null): HookReply => ({
  status,
  body,
  contentType: 'text/plain; charset=utf-8',
  owner: null,
  detail,
})

export function createHooksSite(options: HooksSiteOptions): HooksSite {
  const receivers = Map.groupBy(options.receivers, ({ name }) => name)
  return {
    fetch(request, readSocketAddress) {
      const url = new URL(request.url)
      if (!url.pathname.startsWith(ROOT)) return null
      const [, name = '', id = ''] = PATH.exec(url.pathname) ?? []
      const address = options.readClientAddress(readSocketAddress(request), request)
      return serve(options, request, { url, id, receiver: receiverOf(receivers.get(name) ?? [], id), address })
    },
  }
}

/** An id of no known form is left to the first receiver of the name, which does not find it. */
const receiverOf = (named: readonly HookReceiver[], id: string): HookReceiver | null =>
  named.find(({ idPrefix }) => id.startsWith(`${idPrefix}_`)) ?? named[0] ?? null

type Call = { url: URL; id: string; receiver: HookReceiver | null; address: string }

async function serve(options: HooksSiteOptions, request: Request, call: Call): Promise<Response> {
  const startedAtMs = options.clock.now()
  const path = call.url.pathname
  const exchange = beginExchange(request, {
    requestId: newId('req', startedAtMs),
    startedAtMs,
    route: call.receiver === null ? null : hookRoute,
    fullPath: path,
    path,
    query: call.url.search.slice(1),
    address: call.address,
  })
  // They hold signatures and tokens of providers, under names that only the provider knows.
  exchange.requestHeaders = null
  const headers = new Headers({ 'X-Request-Id': exchange.requestId, 'X-Content-Type-Options': 'nosniff' })
  const reply = await within(exchange.span, () => answer(options, request, { ...call, exchange, headers })).catch(
    (error) => fail(options, error, { exchange, headers }),
  )
  return finish(options, exchange, { reply, headers })
}

type Working = Call & { exchange: Exchange; headers: Headers }

async function answer(options: HooksSiteOptions, request: Request, working: Working): Promise<HookReply> {
  const { receiver, exchange, headers, id, url } = working
  if (receiver === null) return says(404, 'Not found.')
  if (!receiver.methods.includes(request.method)) {
    headers.set('Allow', receiver.methods.join(', '))
    return says(405, `Use ${receiver.methods.join(' or ')}.`)
  }
  const read = await readBody(request, {
    bytesMax: options.bodyBytesMax ?? HOOK_BYTES_MAX,
    timeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
  })
  if (!read.ok) {
    if (read.reason !== 'encoding_invalid') headers.set('Connection', 'close')
    return says(STATUS_BY_FAILURE[read.reason], 'The body could not be read.', read.reason)
  }
  noteBody(exchange, read.bytes, receiver)
  return receiver.receive(id, {
    method: request.method,
    query: url.searchParams,
    headers: request.headers,
    body: read.bytes,
  })
}

const STATUS_BY_FAILURE: Record<BodyFailure, number> = {
  too_large: 413,
  timeout: 408,
  aborted: 400,
  encoding_unsupported: 415,
  encoding_invalid: 400,
}

function noteBody(exchange: Exchange, bytes: Uint8Array, { maskForLog }: HookReceiver): void {
  exchange.requestBytes = bytes.byteLength
  if (bytes.byteLength === 0) return
  const body = new TextDecoder().decode(bytes.subarray(0, LOGGED_BYTES_MAX))
  exchange.requestBody = maskForLog?.(body) ?? body
}

/** While the database is away nothing is durable, and the sender comes again; anything else is a bug, logged whole. */
function fail({ log }: HooksSiteOptions, error: unknown, { exchange, headers }: Pick<Working, 'exchange' | 'headers'>) {
  const problem = asProblem(error)
  const fields = { request_id: exchange.requestId, path: exchange.path, code: problem.code, err: error }
  if (problem.status === 500) log.error(fields, 'hook failed')
  else if (problem.status > 500) log.warn(fields, 'hook could not be taken')
  for (const [name, value] of Object.entries(problem.options.headers ?? {})) headers.set(name, value)
  exchange.errorCode = problem.code
  return says(problem.status, problem.declaration.title, problem.options.detail ?? null)
}

function finish(
  { onExchange }: HooksSiteOptions,
  exchange: Exchange,
  { reply, headers }: { reply: HookReply; headers: Headers },
): Response {
  headers.set('Content-Type', reply.contentType)
  if (reply.owner !== null)
    exchange.caller = {
      type: 'hook',
      id: reply.owner.id,
      orgId: reply.owner.orgId,
      scopes: [],
      rateLimit: null,
      expiresAt: null,
    }
  if (reply.status === 401 || reply.status === 403) exchange.authenticationFailure = 'unknown'
  exchange.status = reply.status
  exchange.errorDetail = reply.detail
  exchange.responseBody = reply.body
  exchange.responseBytes = Buffer.byteLength(reply.body)
  endExchange(exchange)
  onExchange(exchange)
  return new Response(reply.body, { status: reply.status, headers })
}

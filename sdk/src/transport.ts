import { pause, withDeadline } from './deadline.ts'
import {
  ApprovalNeededError,
  ConnectionError,
  errorOfResponse,
  NexkitError,
  NotFoundError,
  ServerError,
  TimeoutError,
} from './errors.ts'
import { type FileInput, formOf } from './files.ts'
import type { Approval } from './generated/types.ts'
import { List, type PageBody } from './list.ts'
import { type Answered, Reply, responseInfo } from './reply.ts'
import { retryDelayMs } from './retry.ts'
import { VERSION } from './version.ts'

/** How the calls of a client go: operation → request → tries with waits between them → answer or error. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

type Settings = {
  /** For each try, its body included. 30 seconds unless you say otherwise; `Infinity` for as long as it takes. */
  timeoutMs?: number | undefined
  /** How often a call that may be repeated is, after its first try. Twice unless you say otherwise. */
  retries?: number | undefined
  /** A longer `Retry-After` is not waited for, but thrown. 60 unless you say otherwise. */
  retryAfterSecondsMax?: number | undefined
  headers?: Record<string, string> | undefined
  /** Of an agent's program: the conversation that it works on. A model must not choose it. */
  agentSession?: string | undefined
}

export type TransportOptions = Settings & {
  token: string
  /** With the path of the API. */
  url: string
  fetch?: Fetch | undefined
}

export type CallOptions = Settings & {
  /** Ends the call, its waits and further tries: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
}

export type PostOptions = CallOptions & {
  /** A random one unless you give your own, for example the id of the thing in your system. */
  idempotencyKey?: string | undefined
  /** Of an agent: what the same request answered once it was approved. */
  approvalId?: string | undefined
}

export type ChangeOptions = CallOptions & {
  /** The `etag` of what you saw: the change is made only if it is still so. */
  ifMatch?: string | undefined
  /** Of an agent: what the same request answered once it was approved. */
  approvalId?: string | undefined
}

type AnyOptions = PostOptions & ChangeOptions

export type Operation = { method: string; path: string; query?: object; body?: unknown; file?: FileInput }

type PreparedRequest = { method: string; url: string; headers: Headers; body: string | FormData | null }

/** How the body of a successful answer is read. */
type Reader<T> = (response: Response, body: Blob) => Promise<Answered<T>>

const TIMEOUT_MS = 30_000
const RETRIES = 2
const RETRY_AFTER_SECONDS_MAX = 60

export class Transport {
  // Private to the language, not to the compiler alone: what prints or serializes a client finds no token.
  readonly #options: TransportOptions
  readonly #fetch: Fetch

  constructor(options: TransportOptions) {
    this.#options = options
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init))
  }

  call<T>(operation: Operation, options: AnyOptions): Reply<T> {
    return new Reply(this.#ask<T>(operation, options))
  }

  list<T>(operation: Operation, options: CallOptions): List<T> {
    return new List((cursor) => this.#ask<PageBody<T>>(at(operation, cursor), options))
  }

  /** Where the list is a member of what the operation answers. */
  listWithin<T>(member: string, operation: Operation, options: CallOptions): List<T> {
    return new List(async (cursor) => {
      const { data, response } = await this.#ask<Record<string, PageBody<T>>>(at(operation, cursor), options)
      return { data: data[member] as PageBody<T>, response }
    })
  }

  /** What a list or report answers for spreadsheets: all rows, without pages. */
  csv(operation: Operation, options: CallOptions): Reply<string> {
    const prepare = () => {
      const request = this.#request(operation, options)
      request.headers.set('accept', 'text/csv')
      return request
    }
    return new Reply(this.#send(prepare, options, readText))
  }

  /**
   * A file by an address in an answer. The token is sent to the server of this client only; an address of the API that names
   * another host, as the server is known to others, is asked for at this one.
   */
  download(address: string, options: CallOptions): Reply<Blob> {
    return new Reply(this.#send(() => this.#downloadRequest(address, options), options, readBlob))
  }

  #downloadRequest(address: string, options: CallOptions): PreparedRequest {
    const own = new URL(this.#options.url)
    const { origin, pathname, search } = new URL(address, own)
    const [, inApi] = /\/public\/v1(\/.*)$/.exec(pathname) ?? []
    const request = this.#request({ method: 'GET', path: inApi === undefined ? '' : `${inApi}${search}` }, options)
    if (inApi === undefined) request.url = `${origin}${pathname}${search}`
    if (inApi === undefined && origin !== own.origin) request.headers.delete('authorization')
    request.headers.set('accept', '*/*')
    return request
  }

  #ask<T>(operation: Operation, options: AnyOptions): Promise<Answered<T>> {
    return this.#send(() => this.#request(operation, options), options, readAnswer<T>)
  }

  /** What cannot be sent rejects the answer, as what failed does. */
  async #send<T>(prepare: () => PreparedRequest, options: AnyOptions, read: Reader<T>): Promise<Answered<T>> {
    const request = prepare()
    const retries = options.retries ?? this.#options.retries ?? RETRIES
    const limits = {
      retryAfterSecondsMax:
        options.retryAfterSecondsMax ?? this.#options.retryAfterSecondsMax ?? RETRY_AFTER_SECONDS_MAX,
      isRepeatable: !request.headers.has('if-match'),
    }
    for (let tries = 1, isUncertain = false; ; tries += 1) {
      try {
        return await this.#try(request, options, { isUncertain, read })
      } catch (error) {
        const delayMs = tries > retries ? null : retryDelayMs(error, tries, limits)
        if (delayMs === null) throw withKey(error, request)
        isUncertain ||= error instanceof ConnectionError || error instanceof ServerError
        await pause(delayMs, options.signal)
      }
    }
  }

  /** Made once per call, so that every try has the same Idempotency-Key. */
  #request({ method, path, query, body, file }: Operation, options: AnyOptions): PreparedRequest {
    const { token, url, headers, agentSession } = this.#options
    const all = new Headers({ ...headers, ...options.headers })
    // A key that was given as a header is a key that was given.
    const key = () => options.idempotencyKey ?? all.get('idempotency-key') ?? crypto.randomUUID()
    const own: Record<string, string | undefined> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': `nexkit-sdk/${VERSION}`,
      'content-type': body === undefined ? undefined : 'application/json',
      'idempotency-key': method === 'POST' ? key() : undefined,
      'if-match': options.ifMatch,
      'agent-session': options.agentSession ?? agentSession,
      'approval-id': options.approvalId,
    }
    for (const [name, value] of Object.entries(own)) if (value !== undefined) all.set(name, headerValue(name, value))
    return {
      method,
      url: `${url}${path}${queryText(query)}`,
      headers: all,
      body: file === undefined ? (body === undefined ? null : JSON.stringify(body)) : formOf(file),
    }
  }

  async #try<T>(
    request: PreparedRequest,
    options: CallOptions,
    { isUncertain, read }: { isUncertain: boolean; read: Reader<T> },
  ): Promise<Answered<T>> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS
    const onTimeout = () => new TimeoutError({ message: `${name(request)} was not answered within ${timeoutMs} ms.` })
    const { response, body } = await withDeadline({ timeoutMs, signal: options.signal, onTimeout }, (signal) =>
      this.#exchange(request, signal, options.signal),
    )
    if (response.ok) return read(response, body)
    const error = errorOfResponse(response, await body.text())
    // An earlier try was not answered and has deleted it.
    if (isUncertain && request.method === 'DELETE' && error instanceof NotFoundError)
      return { data: undefined as T, response: responseInfo(response) }
    throw error
  }

  async #exchange(request: PreparedRequest, signal: AbortSignal, callerSignal: AbortSignal | undefined) {
    try {
      const { url, ...init } = request
      // A redirect would turn a POST into a GET: not followed, but reported.
      const response = await this.#fetch(url, { ...init, signal, redirect: 'manual' })
      return { response, body: await response.blob() }
    } catch (cause) {
      if (callerSignal?.aborted) throw callerSignal.reason
      throw new ConnectionError({ message: `${name(request)} got no answer: ${reasonOf(cause)}.`, cause })
    }
  }
}

function withKey(error: unknown, { headers }: PreparedRequest): unknown {
  if (error instanceof NexkitError) error.idempotencyKey = headers.get('idempotency-key')
  return error
}

/** Without the query, which may hold a phone. */
const name = ({ method, url }: PreparedRequest) => `${method} ${url.split('?', 1)}`

/** Node says "fetch failed" and the reason one level below. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = Object(error)
  const inner = Object(cause)
  return inner.message || inner.code || message || code || 'the connection broke'
}

const readText: Reader<string> = async (response, body) => ({
  data: await body.text(),
  response: responseInfo(response),
})

const readBlob: Reader<Blob> = async (response, body) => ({ data: body, response: responseInfo(response) })

async function readAnswer<T>(response: Response, body: Blob): Promise<Answered<T>> {
  const info = responseInfo(response)
  if (response.status === 204) return { data: undefined as T, response: info }
  const text = await body.text()
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw errorOfResponse(response, text)
  }
  const { status, requestId } = info
  if (status === 202 && Object(data).object === 'approval')
    throw new ApprovalNeededError(data as Approval, { status, requestId })
  return { data: data as T, response: info }
}

/** A `fetch` says neither which header it cannot send, nor why; and what it sends of some others arrives as something else. */
function headerValue(name: string, value: string): string {
  if (!/^[ -~]*$/.test(value))
    throw new TypeError(`${name} can hold ASCII characters only, not ${JSON.stringify(value)}`)
  return value
}

const at = (operation: Operation, cursor: string | null): Operation =>
  cursor === null ? operation : { ...operation, query: { ...operation.query, cursor } }

function queryText(query: object = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([key, value]) => [key, [value].flat().join(',')]))}`
}

/** A part of a path. What would end up at another path is a mistake of the program, and found out before it is sent. */
export function pathValue(value: string): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`an id must be a text that is not empty, not ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}

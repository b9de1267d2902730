import type { Egress, EgressInit } from '../../../platform/outbound-http/egress.ts'
import { traceFetch } from '../../../platform/telemetry/call-span.ts'
import type { ChannelFailure, ChannelNumber } from '../../channel-connector.ts'
import { failureOf, failureOfStatus, notReached, readGraphError, readRetryAfterMs } from './graph-failures.ts'
import { type JsonObject, objectOf } from './json-reading.ts'
import { GRAPH_URL, GRAPH_VERSION } from './whatsapp-cloud.fields.ts'

/**
 * Calls to Graph, and what is certain about each.
 *
 *   answered      2xx with a body we could read
 *   refused       Graph said no, or the call surely never reached it
 *   lost          it was handed to the network and no usable answer came back: it may have had its effect
 *
 * What tells "never reached" from "lost": the body is a stream that the runtime reads from only once the connection is
 * made and, with TLS, the handshake done. Whatever fails before that first read was not sent; so a peer that cannot be
 * connected to within the time allowed is a certain failure, too.
 */
export type GraphOutcome =
  | { kind: 'answered'; body: JsonObject }
  | { kind: 'refused'; failure: ChannelFailure }
  | { kind: 'lost'; detail: string }

export type GraphCall = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the version, without a slash in front. */
  path: string
  query?: Record<string, string>
  /** JSON to post. */
  json?: unknown
  form?: FormData
  /** Bytes of an upload, from this position on. */
  file?: { bytes: Uint8Array; offset: string }
  timeoutMs?: number
}

export type GraphClientOptions = {
  userAgent: string
  egress: Pick<Egress, 'fetch'>
  connectTimeoutMs?: number
  timeoutMs?: number
}

export type GraphClient = {
  call(number: ChannelNumber, call: GraphCall, signal: AbortSignal): Promise<GraphOutcome>
  /** The answer as Graph gave it, refusals included; null when none came or it cannot be read. */
  forward(number: ChannelNumber, call: GraphCall, signal: AbortSignal): Promise<GraphAnswer | null>
  /** Bytes from an address that Graph named. */
  fetchBytes(number: ChannelNumber, url: URL, limits: FetchLimits): Promise<BytesOutcome>
}

export type GraphAnswer = { status: number; body: JsonObject }

export type FetchLimits = { bytesMax: number; timeoutMs: number; signal: AbortSignal }
export type BytesOutcome =
  | { kind: 'done'; bytes: Uint8Array; mimeType: string | null }
  | { kind: 'status'; status: number; retryAfterMs: number | null }
  | { kind: 'too_large' }
  | { kind: 'lost'; detail: string }

const CONNECT_TIMEOUT_MS = 5_000
const TIMEOUT_MS = 30_000
/** A page of a hundred templates is some hundred kilobytes; nothing else comes near. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

export const baseUrlOf = ({ baseUrl }: Pick<ChannelNumber, 'baseUrl'>): string => baseUrl ?? GRAPH_URL

const versionOf = ({ settings }: ChannelNumber): string =>
  typeof settings.graph_version === 'string' ? settings.graph_version : GRAPH_VERSION

export function createGraphClient(options: GraphClientOptions): GraphClient {
  const { userAgent, egress, connectTimeoutMs = CONNECT_TIMEOUT_MS, timeoutMs = TIMEOUT_MS } = options
  const headersFor = ({ credentials }: ChannelNumber) => ({
    authorization: `Bearer ${credentials.access_token ?? ''}`,
    'user-agent': userAgent,
    accept: 'application/json',
  })
  const fetchAnswer = (number: ChannelNumber, call: GraphCall, attempt: Attempt) => {
    const { headers, ...body } = bodyOf(call, attempt)
    return traceFetch({ peer: 'whatsapp-cloud', method: call.method, url: baseUrlOf(number) }, () =>
      egress.fetch(urlOf(number, call), {
        method: call.method,
        signal: attempt.signal,
        headers: { ...headersFor(number), ...headers },
        ...body,
      }),
    )
  }
  return {
    async call(number, call, signal) {
      const attempt = beginAttempt({ connectTimeoutMs, timeoutMs: call.timeoutMs ?? timeoutMs, signal })
      try {
        return await readAnswer(await fetchAnswer(number, call, attempt))
      } catch (error) {
        return attempt.explain(error)
      } finally {
        attempt.end()
      }
    },
    async forward(number, call, signal) {
      const attempt = beginAttempt({ connectTimeoutMs, timeoutMs: call.timeoutMs ?? timeoutMs, signal })
      try {
        const response = await fetchAnswer(number, call, attempt)
        const body = await readJson(response)
        return body === null ? null : { status: response.status, body }
      } catch {
        return null
      } finally {
        attempt.end()
      }
    },
    async fetchBytes(number, url, { bytesMax, timeoutMs: bytesTimeoutMs, signal }) {
      const attempt = beginAttempt({ connectTimeoutMs, timeoutMs: bytesTimeoutMs, signal })
      attempt.wrote()
      try {
        const fetch = () => egress.fetch(url, { signal: attempt.signal, headers: headersFor(number) })
        const response = await traceFetch({ peer: 'whatsapp-cloud', method: 'GET', url: url.origin }, fetch)
        if (response.status !== 200) {
          await response.body?.cancel()
          return { kind: 'status', status: response.status, retryAfterMs: readRetryAfterMs(response.headers) }
        }
        const bytes = await readBounded(response, bytesMax)
        if (bytes === null) return { kind: 'too_large' }
        return { kind: 'done', bytes, mimeType: response.headers.get('content-type') }
      } catch (error) {
        return { kind: 'lost', detail: describe(error) }
      } finally {
        attempt.end()
      }
    },
  }
}

function urlOf(number: ChannelNumber, { path, query }: GraphCall): string {
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return `${baseUrlOf(number)}/${versionOf(number)}/${path}${search}`
}

const encoder = new TextEncoder()

type CallBody = Pick<EgressInit, 'headers' | 'body' | 'duplex'>

/**
 * A stream with a declared length goes out as an ordinary body, not in chunks. Calls without one, and uploads, may be made
 * again whatever their outcome, so it does not matter how far they came.
 */
function bodyOf({ json, form, file }: GraphCall, attempt: Attempt): CallBody {
  if (json === undefined) {
    attempt.wrote()
    if (file !== undefined)
      return {
        headers: { 'content-type': 'application/octet-stream', file_offset: file.offset },
        body: file.bytes as Uint8Array<ArrayBuffer>,
      }
    return form === undefined ? {} : { body: form }
  }
  const bytes = encoder.encode(JSON.stringify(json))
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    attempt.wrote()
    controller.enqueue(bytes)
    controller.close()
  }
  return {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) },
    body: () => new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }),
    duplex: 'half',
  }
}

type Attempt = {
  signal: AbortSignal
  /** There is a connection, and from here on the outcome is unknown. */
  wrote(): void
  explain(error: unknown): GraphOutcome
  end(): void
}

function beginAttempt(limits: { connectTimeoutMs: number; timeoutMs: number; signal: AbortSignal }): Attempt {
  const connecting = new AbortController()
  const timer = setTimeout(() => connecting.abort(new Error('no connection in time')), limits.connectTimeoutMs)
  let isWritten = false
  return {
    signal: AbortSignal.any([connecting.signal, AbortSignal.timeout(limits.timeoutMs), limits.signal]),
    wrote() {
      isWritten = true
      clearTimeout(timer)
    },
    explain(error) {
      const detail = describe(error)
      if (isWritten) return { kind: 'lost', detail }
      return { kind: 'refused', failure: notReached(`The network could not be reached: ${detail}.`) }
    },
    end: () => clearTimeout(timer),
  }
}

const codeOf = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : null

/**
 * The code of a certificate that does not hold, and one sentence for everything else: what refuses, resets and stays silent
 * looks the same, so that a number cannot be used to find out what listens where.
 */
const describe = (error: unknown): string => {
  const code = codeOf(error) ?? ''
  return code.includes('CERT') || code.includes('VERIFY') ? code : 'the address does not answer'
}

/** A no that cannot be read is still a no; a yes that cannot be read is none, and a fault without a word may be either. */
async function readAnswer(response: Response): Promise<GraphOutcome> {
  const retryAfterMs = readRetryAfterMs(response.headers)
  const isRefusal = response.status >= 300 && response.status < 500
  const body = await readJson(response).catch((error) => {
    if (isRefusal) return null
    throw error
  })
  const error = body === null ? null : readGraphError(body.error)
  if (error !== null) return { kind: 'refused', failure: failureOf(error, response.status, retryAfterMs) }
  if (isRefusal) return { kind: 'refused', failure: failureOfStatus(response.status, retryAfterMs) }
  if (response.status < 300 && body !== null) return { kind: 'answered', body }
  return { kind: 'lost', detail: `status ${response.status} without a readable answer` }
}

async function readJson(response: Response): Promise<JsonObject | null> {
  const bytes = await readBounded(response, ANSWER_BYTES_MAX)
  if (bytes === null) return null
  try {
    return objectOf(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return null
  }
}

/** Null when there is more than that. */
async function readBounded(response: Response, bytesMax: number): Promise<Uint8Array | null> {
  const reader = response.body?.getReader()
  if (reader === undefined) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks, bytes)
    bytes += value.byteLength
    if (bytes > bytesMax) {
      await reader.cancel().catch(() => {})
      return null
    }
    chunks.push(value)
  }
}

import { COMPRESSION_BYTES_MIN, chooseEncoding, compressAnswer, encodingFor } from './accept.ts'
import type { CsvStream } from './csv-answer.ts'
import { entityTag, isSameTag } from './entity-tags.ts'

/** The answer before it becomes a Response: text, so that it can be logged, stored for a replay, hashed and compressed. */
export type Reply = {
  status: number
  requestId: string
  body: string | null
  headers: HeaderList
  isProblem: boolean
  /** Never compressed, cached or logged. */
  isSecret: boolean
  /** Where the same text was sent before. */
  rendered?: Rendered | undefined
  /** Instead of a body: rows that are read while they are sent. */
  csvStream?: CsvStream
}

/** What differs from answer to answer: name, value, name, value … */
export type HeaderList = string[]

/** A text that is sent again and again, with its entity tag already among the headers. */
export type Rendered = { body: string; bytes: number; tag: string; headers: Headers }

export const API_VERSION = '2026-11-01'

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Location',
  'Link',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'Original-Request-Id',
  'Key-Expires-At',
  'API-Version',
].join(', ')

/** The same on every answer of the public API. Any page may read it: the key is a header the page must hold itself. */
export const standardHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Content-Language': 'en',
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Authorization, Accept, Accept-Encoding',
}

/** The headers that answers of a kind share are prepared once: the runtime copies them for a tenth of the price of setting them. */
const prepared = (more: Record<string, string>) => new Headers({ ...standardHeaders, ...more })
const JSON_REPLY = prepared({ 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache' })
const SECRET_REPLY = prepared({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
const PROBLEM_REPLY = prepared({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
const CSV_REPLY = prepared({ 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Cache-Control': 'no-store' })
const NOT_MODIFIED_REPLY = prepared({ 'Cache-Control': 'private, no-cache' })
const EMPTY_REPLY = prepared({})

/** Only browsers need the list of headers that a script may read. */
export const replyHeaders = (request: Request): HeaderList =>
  request.headers.has('origin') ? ['Access-Control-Expose-Headers', EXPOSED_HEADERS] : []

export function renderOnce(body: string): Rendered {
  const tag = entityTag(body)
  const headers = new Headers(JSON_REPLY)
  headers.set('ETag', tag)
  return { body, bytes: Buffer.byteLength(body), tag, headers }
}

export type Sent = { response: Response; status: number; bytes: number }

/** Every answer has its own request id, and a Response copies the headers it is given: the shared ones can carry it. */
function respond(body: BodyInit | null, { status, requestId, headers: own }: Answer, shared: Headers): Response {
  shared.set('X-Request-Id', requestId)
  const response = new Response(body, { status, headers: shared })
  for (let index = 0; index < own.length; index += 2) {
    const name = own[index] as string
    const value = own[index + 1] as string
    // The one header that may come several times.
    if (name === 'Set-Cookie') response.headers.append(name, value)
    else response.headers.set(name, value)
  }
  return response
}

type Answer = Pick<Reply, 'status' | 'requestId' | 'headers'>

/** Entity tag, 304, compression and the final Response. Waits only for compression. */
export function sendReply(request: Request, reply: Reply): Sent | Promise<Sent> {
  const { status, body, headers, csvStream } = reply
  if (csvStream !== undefined) return sendStream(request, reply, csvStream)
  if (body === null) return { response: respond(null, reply, EMPTY_REPLY), status, bytes: 0 }
  if (reply.isProblem) return sendBody(request, reply, body, PROBLEM_REPLY)
  if (reply.isSecret) return sendBody(request, reply, body, SECRET_REPLY)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || status !== 200) return sendBody(request, reply, body, JSON_REPLY)
  const tag = reply.rendered?.tag ?? entityTag(body)
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && isSameTag(ifNoneMatch, tag)) {
    headers.push('ETag', tag)
    const unchanged = { status: 304, requestId: reply.requestId, headers }
    return { response: respond(null, unchanged, NOT_MODIFIED_REPLY), status: 304, bytes: 0 }
  }
  if (reply.rendered !== undefined) return sendBody(request, reply, body, reply.rendered.headers)
  headers.push('ETag', tag)
  return sendBody(request, reply, body, JSON_REPLY)
}

function sendStream(request: Request, reply: Reply, { body }: CsvStream): Sent {
  const isHead = request.method === 'HEAD'
  if (isHead) void body.cancel()
  return { response: respond(isHead ? null : body, reply, CSV_REPLY), status: reply.status, bytes: 0 }
}

function sendBody(request: Request, reply: Reply, text: string, shared: Headers): Sent | Promise<Sent> {
  const isCompressible = !reply.isSecret && text.length >= COMPRESSION_BYTES_MIN
  const encoding = isCompressible
    ? chooseEncoding(request.headers.get('accept-encoding'), encodingFor(text.length))
    : null
  const isHead = request.method === 'HEAD'
  if (encoding === null) {
    const bytes = reply.rendered?.bytes ?? Buffer.byteLength(text)
    const response = isHead ? respondWithout(bytes, reply, shared) : respond(text, reply, shared)
    return { response, status: reply.status, bytes }
  }
  const send = (packed: Uint8Array): Sent => {
    const bytes = packed.byteLength
    reply.headers.push('Content-Encoding', encoding)
    const body = packed as Uint8Array<ArrayBuffer>
    const response = isHead ? respondWithout(bytes, reply, shared) : respond(body, reply, shared)
    return { response, status: reply.status, bytes }
  }
  const packed = compressAnswer(Buffer.from(text), encoding)
  return packed instanceof Uint8Array ? send(packed) : packed.then(send)
}

/** Answers HEAD with the length of the body that GET would send. The runtime would send a length of 0. */
function respondWithout(bytes: number, reply: Reply, shared: Headers): Response {
  reply.headers.push('Content-Length', String(bytes))
  return respond(null, reply, shared)
}

import { contentHash } from '../runtime/hash.ts'
import { COMPRESSION_BYTES_MIN, chooseEncoding, compressBody } from './compression.ts'

/** The answer before it becomes a Response: text, so that it can be logged, stored for a replay, hashed and compressed. */
export type Reply = {
  status: number
  body: string | null
  headers: Headers
  isProblem: boolean
  /** Never compressed, cached or logged. */
  isSecret: boolean
  /** The entity tag, where it is known already. */
  tag?: string | undefined
}

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

const JSON_REPLY = new Headers({
  ...standardHeaders,
  'Content-Type': 'application/json',
  'Cache-Control': 'private, no-cache',
})

/** Cloning prepared headers costs a sixth of setting them one by one. Browsers alone need to be told what they may read. */
export function replyHeaders(request: Request, requestId: string): Headers {
  const headers = new Headers(JSON_REPLY)
  headers.set('X-Request-Id', requestId)
  if (request.headers.has('origin')) headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
  return headers
}

/** Quotes are part of an entity tag; weak and strong compare alike for If-None-Match. */
const isSameTag = (ifNoneMatch: string, tag: string) =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2))

export type Sent = { response: Response; status: number; bytes: number }

export const entityTag = (body: string) => `W/"${contentHash(body)}"`

/** Entity tag, 304, compression and the final Response. Waits only for compression. */
export function sendReply(request: Request, reply: Reply): Sent | Promise<Sent> {
  const { headers, status, body } = reply
  if (body === null) {
    headers.delete('Content-Type')
    headers.delete('Cache-Control')
    return { response: new Response(null, { status, headers }), status, bytes: 0 }
  }
  if (reply.isProblem) headers.set('Content-Type', 'application/problem+json')
  if (reply.isProblem || reply.isSecret) headers.set('Cache-Control', 'no-store')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && status === 200 && !reply.isSecret) {
    const tag = reply.tag ?? entityTag(body)
    headers.set('ETag', tag)
    const ifNoneMatch = request.headers.get('if-none-match')
    if (ifNoneMatch !== null && isSameTag(ifNoneMatch, tag)) {
      headers.delete('Content-Type')
      return { response: new Response(null, { status: 304, headers }), status: 304, bytes: 0 }
    }
  }
  return sendBody(request, reply, body)
}

function sendBody(request: Request, reply: Reply, text: string): Sent | Promise<Sent> {
  const { status, headers } = reply
  const isCompressible = !reply.isSecret && text.length >= COMPRESSION_BYTES_MIN
  const encoding = isCompressible ? chooseEncoding(request.headers.get('accept-encoding')) : null
  if (encoding === null) {
    const response = new Response(request.method === 'HEAD' ? null : text, { status, headers })
    return { response, status, bytes: Buffer.byteLength(text) }
  }
  return compressBody(Buffer.from(text), encoding).then((bytes) => {
    headers.set('Content-Encoding', encoding)
    const body = request.method === 'HEAD' ? null : (bytes as Uint8Array<ArrayBuffer>)
    const response = new Response(body, { status, headers })
    return { response, status, bytes: bytes.byteLength }
  })
}

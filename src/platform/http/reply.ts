import { contentHash } from '../runtime/hash.ts'
import { COMPRESSION_BYTES_MIN, chooseEncoding, compressBody } from './compression.ts'

/** The answer before it becomes a Response: text, so that it can be logged, stored for a replay, hashed and compressed. */
export type Reply = {
  status: number
  body: string | null
  headers: Record<string, string>
  isProblem: boolean
  /** Never compressed, cached or logged. */
  isSecret: boolean
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
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  'Content-Language': 'en',
  'API-Version': API_VERSION,
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Authorization, Accept, Accept-Encoding',
}

/** Quotes are part of an entity tag; weak and strong compare alike for If-None-Match. */
const isSameTag = (ifNoneMatch: string, tag: string) =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2))

export type Sent = { response: Response; status: number; bytes: number }

/** Entity tag, 304, compression and the final Response. */
export async function sendReply(request: Request, reply: Reply): Promise<Sent> {
  const headers = reply.headers
  if (reply.body === null)
    return { response: new Response(null, { status: reply.status, headers }), status: reply.status, bytes: 0 }
  headers['Content-Type'] = reply.isProblem ? 'application/problem+json' : 'application/json'
  headers['Cache-Control'] = reply.isProblem || reply.isSecret ? 'no-store' : 'private, no-cache'
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && reply.status === 200 && !reply.isSecret) {
    const tag = `W/"${contentHash(reply.body)}"`
    headers.ETag = tag
    const ifNoneMatch = request.headers.get('if-none-match')
    if (ifNoneMatch !== null && isSameTag(ifNoneMatch, tag)) {
      delete headers['Content-Type']
      return { response: new Response(null, { status: 304, headers }), status: 304, bytes: 0 }
    }
  }
  return sendBody(request, reply, reply.body)
}

async function sendBody(request: Request, reply: Reply, text: string): Promise<Sent> {
  const { status, headers } = reply
  const encoding =
    reply.isSecret || text.length < COMPRESSION_BYTES_MIN
      ? null
      : chooseEncoding(request.headers.get('accept-encoding'))
  if (encoding === null)
    return { response: new Response(text, { status, headers }), status, bytes: Buffer.byteLength(text) }
  const bytes = await compressBody(Buffer.from(text), encoding)
  headers['Content-Encoding'] = encoding
  return {
    response: new Response(bytes as Uint8Array<ArrayBuffer>, { status, headers }),
    status,
    bytes: bytes.byteLength,
  }
}

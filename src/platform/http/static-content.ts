import { createHash } from 'node:crypto'
import { COMPRESSION_BYTES_MIN, chooseEncoding, compressBody, type ResponseEncoding } from './pipeline/accept.ts'

/**
 * Content that does not change while the process runs: hashed once, compressed at most once per encoding, and answered
 * with 304 to a client that already has it.
 */
export type StaticContent = {
  body: string | Uint8Array
  contentType: string
  cacheControl: string
  headers?: Record<string, string>
  status?: number
  /** The body as Brotli, where a build has compressed it already. */
  packed?: Uint8Array
}

export type StaticReply = (request: Request, extraHeaders?: Record<string, string>) => Promise<Response>

/** Pictures and fonts are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|problem\+json)|image\/svg)/

export const hashOf = (body: string | Uint8Array) => createHash('sha256').update(body).digest('base64url').slice(0, 16)

export function createStaticReply(content: StaticContent): StaticReply {
  const { status = 200, contentType } = content
  const bytes = typeof content.body === 'string' ? Buffer.from(content.body) : content.body
  const tag = `W/"${hashOf(bytes)}"`
  const headers = { ...content.headers, 'Content-Type': contentType, 'Cache-Control': content.cacheControl, ETag: tag }
  const isCompressible = bytes.byteLength >= COMPRESSION_BYTES_MIN && COMPRESSIBLE.test(contentType)
  // A promise, not its result, is kept: requests that come while the first one compresses wait for that one.
  const compressed = new Map<ResponseEncoding, Promise<Uint8Array>>()
  if (content.packed !== undefined) compressed.set('br', Promise.resolve(content.packed))
  const compressedAs = (encoding: ResponseEncoding) => {
    const present = compressed.get(encoding) ?? compressBody(bytes, encoding, 'file')
    compressed.set(encoding, present)
    return present
  }
  return async (request, extraHeaders = {}) => {
    const common: Record<string, string> = { Vary: 'Accept-Encoding', ...headers, ...extraHeaders }
    if (status === 200 && hasTag(request.headers.get('if-none-match'), tag)) {
      delete common['Content-Type']
      return new Response(null, { status: 304, headers: common })
    }
    const encoding = isCompressible ? chooseEncoding(request.headers.get('accept-encoding'), 'br') : null
    const sent = encoding === null ? bytes : await compressedAs(encoding)
    if (encoding !== null) common['Content-Encoding'] = encoding
    return new Response(sent as Uint8Array<ArrayBuffer>, { status, headers: common })
  }
}

/** Weak comparison, as RFC 9110 §13.1.2 wants it for If-None-Match. */
const hasTag = (ifNoneMatch: string | null, tag: string) =>
  ifNoneMatch !== null &&
  (ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2)))

/** What every page of ours says to browsers: not in a frame, no trace of the address where a link leads, no devices. */
export const pageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}

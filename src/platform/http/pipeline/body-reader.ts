import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/**
 * Reads a request body with bounded memory and time. A declared length is believed only when it is too large; what
 * arrives is counted all the same. For gzip both counts must fit: what arrives, and what it inflates to.
 */
export type BodyOptions = { bytesMax: number; timeoutMs: number }

export type BodyFailure = 'too_large' | 'timeout' | 'aborted' | 'encoding_unsupported' | 'encoding_invalid'

export type BodyResult = { ok: true; bytes: Uint8Array } | { ok: false; reason: BodyFailure }

/** Up to here a body with a declared length is taken in one piece, which costs far less than a stream. */
const ONE_PIECE_BYTES_MAX = 65_536

export async function readBody(request: Request, options: BodyOptions): Promise<BodyResult> {
  const encoding = readEncoding(request.headers.get('content-encoding'))
  if (encoding === null) return { ok: false, reason: 'encoding_unsupported' }
  const declared = request.headers.get('content-length')
  const declaredBytes = declared === null ? null : Number(declared)
  if (declaredBytes !== null && declaredBytes > options.bytesMax) return { ok: false, reason: 'too_large' }
  if (declaredBytes === 0) return { ok: true, bytes: new Uint8Array(0) }
  const isOnePiece = declaredBytes !== null && declaredBytes <= ONE_PIECE_BYTES_MAX
  const reading = isOnePiece ? readOnePiece(request) : readChunks(request, options.bytesMax)
  const arrived = await withinTime(reading, options.timeoutMs)
  if (typeof arrived === 'string') return { ok: false, reason: arrived }
  if (arrived.byteLength > options.bytesMax) return { ok: false, reason: 'too_large' }
  return encoding === 'gzip' ? inflate(arrived, options.bytesMax) : { ok: true, bytes: arrived }
}

function readEncoding(header: string | null): 'identity' | 'gzip' | null {
  if (header === null) return 'identity'
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity') return 'identity'
  return name === 'gzip' || name === 'x-gzip' ? 'gzip' : null
}

type Reading = { outcome: Promise<Uint8Array | BodyFailure>; stop(): void }

function readOnePiece(request: Request): Reading {
  const outcome = request.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => 'aborted' as const,
  )
  // Nothing to stop: what is still to come is small, and the server closes the connection.
  return { outcome, stop: () => {} }
}

function readChunks(request: Request, bytesMax: number): Reading {
  if (request.body === null) return { outcome: Promise.resolve(new Uint8Array(0)), stop: () => {} }
  const reader = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  return { outcome: collectChunks(reader, bytesMax, stop), stop }
}

async function collectChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bytesMax: number,
  stop: () => void,
): Promise<Uint8Array | BodyFailure> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes)
      bytes += value.byteLength
      if (bytes > bytesMax) break
      chunks.push(value)
    }
  } catch {
    return 'aborted'
  }
  stop()
  return 'too_large'
}

async function withinTime(reading: Reading, timeoutMs: number): Promise<Uint8Array | BodyFailure> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs)
  })
  const outcome = await Promise.race([reading.outcome, timeout])
  clearTimeout(timer)
  if (outcome === 'timeout') reading.stop()
  return outcome
}

const gunzipAside = promisify(gunzip)

/** The inflater itself stops at the limit, so a bomb costs no more memory than a full-sized body. */
async function inflate(bytes: Uint8Array, bytesMax: number): Promise<BodyResult> {
  try {
    return { ok: true, bytes: await gunzipAside(bytes, { maxOutputLength: bytesMax }) }
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return { ok: false, reason: isTooLarge ? 'too_large' : 'encoding_invalid' }
  }
}

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parseQualityList, type Wanted } from './quality-list.ts'

export type ResponseEncoding = 'br' | 'gzip'

/** Below this the packing costs more than the bytes it saves. */
export const COMPRESSION_BYTES_MIN = 1_024

/**
 * The encoding the caller likes best of those we speak; Brotli at equal liking, nothing when the caller likes the
 * plain body better than either.
 */
export function chooseEncoding(acceptEncoding: string | null): ResponseEncoding | null {
  if (acceptEncoding === null || acceptEncoding === '') return null
  const wanted = parseQualityList(acceptEncoding)
  const br = qualityOf(wanted, ['br', '*'])
  const gzipped = qualityOf(wanted, ['gzip', 'x-gzip', '*'])
  const best = Math.max(br, gzipped)
  if (best === 0 || qualityOf(wanted, ['identity']) > best) return null
  return br === best ? 'br' : 'gzip'
}

/** By the first of these names that the header mentions; 0 when it mentions none. */
function qualityOf(wanted: Wanted[], names: string[]): number {
  for (const name of names) {
    const match = wanted.find((element) => element.name === name)
    if (match !== undefined) return match.quality
  }
  return 0
}

const compressWithBrotli = promisify(brotliCompress)
const compressWithGzip = promisify(gzip)

/** Quality 4 is where Brotli is still as quick as gzip and already smaller; the default 11 is meant for files. */
const BROTLI_QUALITY = 4

/** Runs beside the event loop, so that a large answer does not hold up the others. */
export function compressBody(bytes: Uint8Array, encoding: ResponseEncoding): Promise<Uint8Array> {
  if (encoding === 'gzip') return compressWithGzip(bytes)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  }
  return compressWithBrotli(bytes, { params })
}

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { gzipAtOnce } from '../../runtime/gzip.ts'

/** Whether an answer in `application/json` is welcome. The most specific range that covers it decides (RFC 9110 §12.5.1). */
export function acceptsJson(header: string | null): boolean {
  if (header === null || header === '' || header === '*/*' || header === 'application/json') return true
  const wanted = parseQualityList(header)
  for (const range of ['application/json', 'application/*', '*/*']) {
    const matches = wanted.filter(({ name }) => name === range)
    if (matches.length > 0) return matches.some(({ quality }) => quality > 0)
  }
  return false
}

/** Whether CSV is liked better than JSON, or named where JSON is covered by a wider range only. */
export function prefersCsv(header: string | null): boolean {
  if (header === null || !/text\/csv/i.test(header)) return false
  const wanted = parseQualityList(header)
  const csv = qualityOf(wanted, ['text/csv'])
  const json = qualityOf(wanted, ['application/json', 'application/*', '*/*'])
  const namesJson = wanted.some(({ name }) => name === 'application/json')
  return csv > 0 && (csv > json || (csv === json && !namesJson))
}

const JSON_WITH_PARAMETERS = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i

/** Parameters are allowed, but a charset that is not UTF-8 announces bytes we would misread. */
export function isJsonContentType(header: string | null): boolean {
  if (header === null) return false
  if (header === 'application/json') return true
  if (!JSON_WITH_PARAMETERS.test(header)) return false
  const charset = CHARSET.exec(header)?.[1]?.toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
}

/** One element of a header such as Accept or Accept-Encoding: what, and how much it is wanted (0 = not at all). */
export type Wanted = { name: string; quality: number }

/** Names come out in lower case and without parameters; an element whose `q` cannot be read counts as not wanted. */
export function parseQualityList(header: string): Wanted[] {
  const list: Wanted[] = []
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';')
    if (name.trim() !== '') list.push({ name: name.trim().toLowerCase(), quality: readQuality(parameters) })
  }
  return list
}

const QUALITY_NAME = /^\s*q\s*=/i
const QUALITY_VALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

function readQuality(parameters: string[]): number {
  const parameter = parameters.find((text) => QUALITY_NAME.test(text))
  if (parameter === undefined) return 1
  const value = parameter.slice(parameter.indexOf('=') + 1).trim()
  return QUALITY_VALUE.test(value) ? Number(value) : 0
}

export type ResponseEncoding = 'br' | 'gzip'

/** Below this the packing costs more than the bytes it saves. */
export const COMPRESSION_BYTES_MIN = 1_024

/**
 * The encoding the caller likes best of those we speak; nothing when the caller likes the plain body better than either.
 */
export function chooseEncoding(
  acceptEncoding: string | null,
  atEqualLiking: ResponseEncoding,
): ResponseEncoding | null {
  if (acceptEncoding === null || acceptEncoding === '') return null
  const wanted = parseQualityList(acceptEncoding)
  const br = qualityOf(wanted, ['br', '*'])
  const gzipped = qualityOf(wanted, ['gzip', 'x-gzip', '*'])
  const best = Math.max(br, gzipped)
  if (best === 0 || qualityOf(wanted, ['identity']) > best) return null
  if (br === gzipped) return atEqualLiking
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

/**
 * Quality 4 is where Brotli is still as quick as gzip and already smaller. 9 takes five times as long for a twelfth less, which
 * suits what is compressed once. The default 11 takes fourteen times as long as 9.
 */
const BROTLI_QUALITY = { answer: 4, file: 9 }

/** Takes a tenth of a millisecond. */
const AT_ONCE_BYTES_MAX = 16_384

/**
 * What an answer is compressed with at equal liking. A small one is gzip and compressed at once: 1,300 bytes take 20 µs, and on
 * another thread 250 µs with either encoding. A large one is Brotli, which is smaller, and compressed beside the event loop, so that
 * it does not hold up the others.
 */
export const encodingFor = (bytes: number): ResponseEncoding => (bytes <= AT_ONCE_BYTES_MAX ? 'gzip' : 'br')

export const compressAnswer = (bytes: Uint8Array, encoding: ResponseEncoding): Uint8Array | Promise<Uint8Array> =>
  encoding === 'gzip' && bytes.byteLength <= AT_ONCE_BYTES_MAX ? gzipAtOnce(bytes) : compressBody(bytes, encoding)

/** Beside the event loop. */
export function compressBody(
  bytes: Uint8Array,
  encoding: ResponseEncoding,
  kind: keyof typeof BROTLI_QUALITY = 'answer',
): Promise<Uint8Array> {
  if (encoding === 'gzip') return compressWithGzip(bytes)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[kind],
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  }
  return compressWithBrotli(bytes, { params })
}

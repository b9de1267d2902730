/**
 * Reads `multipart/form-data` as it arrives, with one file and a few fields. The file is handed on in pieces. The limit of the file is asked for as soon as
 * its headers are known, so that a picture that is too large is refused after five megabytes and not after a hundred.
 *
 *   preamble ── delimiter ──▶ headers ── empty line ──▶ data ── delimiter ──▶ headers …
 *                                                        data ── delimiter and two dashes ──▶ done
 */
export type FilePart = { filename: string | null; mimeType: string | null; bytes: number }

export type MultipartForm = { fields: Record<string, string>; file: FilePart | null }

export type MultipartProblem = 'malformed' | 'file_too_large' | 'too_many_parts'

export type MultipartOptions = {
  boundary: string
  fileBytesMax: (part: { filename: string | null; mimeType: string | null }) => number
  /** Gets the first file of the form, piece by piece. */
  takeFile: (piece: Buffer) => void
}

const HEADERS_BYTES_MAX = 8192
const FIELD_BYTES_MAX = 4096
const PARTS_MAX = 20
const LINE_END = 0x0d

const BOUNDARY = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i

export function boundaryOf(contentType: string | null): string | null {
  const match = BOUNDARY.exec(contentType ?? '')
  return match?.[1] ?? match?.[2] ?? null
}

type Part = {
  name: string
  filename: string | null
  mimeType: string | null
  isFile: boolean
  bytesMax: number
  bytes: number
  chunks: Buffer[]
}

export class MultipartReader {
  readonly #options: MultipartOptions
  readonly #delimiter: Buffer
  readonly #fields: Record<string, string> = Object.create(null)
  #state: 'preamble' | 'headers' | 'data' | 'done' = 'preamble'
  // The first delimiter has no line end before it.
  #rest: Buffer = Buffer.from('\r\n')
  #part: Part | null = null
  #file: FilePart | null = null
  #parts = 0

  constructor(options: MultipartOptions) {
    this.#options = options
    this.#delimiter = Buffer.from(`\r\n--${options.boundary}`, 'latin1')
  }

  /** Returns the error, or null. The reader owns the chunk until its pieces have been taken. */
  push(chunk: Uint8Array): MultipartProblem | null {
    // Most pieces of a large file are looked at where they are: copies would be its size over again in garbage.
    const { buffer, byteOffset, byteLength } = chunk
    const piece = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    let problem: MultipartProblem | null | 'more' = null
    while (problem === null && this.#state !== 'done')
      problem = this.#state === 'headers' ? this.#readHeaders() : this.#readData()
    if (this.#state === 'done') this.#rest = Buffer.alloc(0)
    return problem === 'more' ? null : problem
  }

  /** Null when the end was missing. */
  finish(): MultipartForm | null {
    return this.#state === 'done' ? { fields: this.#fields, file: this.#file } : null
  }

  /** Up to the next delimiter; what could be the beginning of one is kept for the next chunk. */
  #readData(): MultipartProblem | null | 'more' {
    const at = this.#rest.indexOf(this.#delimiter)
    const end = at === -1 ? this.#startOfDelimiter() : at
    if (!this.#keep(this.#rest.subarray(0, end))) return 'file_too_large'
    const after = at === -1 ? end : at + this.#delimiter.length
    if (at === -1 || this.#rest.length < after + 2) {
      this.#rest = this.#rest.subarray(end)
      return 'more'
    }
    const next = this.#rest.toString('latin1', after, after + 2)
    this.#rest = this.#rest.subarray(after + 2)
    this.#endPart()
    if (next !== '--' && next !== '\r\n') return 'malformed'
    this.#state = next === '--' ? 'done' : 'headers'
    return null
  }

  /** Where an incomplete delimiter may begin. A delimiter starts with a line end, so mostly there is none. */
  #startOfDelimiter(): number {
    const from = Math.max(0, this.#rest.length - this.#delimiter.length + 1)
    const at = this.#rest.indexOf(LINE_END, from)
    return at === -1 ? this.#rest.length : at
  }

  #keep(data: Buffer): boolean {
    const part = this.#part
    if (part === null || data.length === 0) return true
    part.bytes += data.length
    if (part.bytes > part.bytesMax) return false
    if (!part.isFile) part.chunks.push(Buffer.from(data))
    else if (this.#file === null) this.#options.takeFile(data)
    return true
  }

  #endPart(): void {
    const part = this.#part
    this.#part = null
    if (part === null) return
    const { name, filename, mimeType, bytes, chunks } = part
    if (!part.isFile) this.#fields[name] = Buffer.concat(chunks, bytes).toString('utf8')
    else this.#file ??= { filename, mimeType, bytes }
  }

  #readHeaders(): MultipartProblem | null | 'more' {
    const end = this.#rest.indexOf('\r\n\r\n')
    if (end === -1) return this.#rest.length > HEADERS_BYTES_MAX ? 'malformed' : 'more'
    const part = this.#newPart(this.#rest.toString('utf8', 0, end))
    if (part === null) return 'malformed'
    this.#parts += 1
    if (this.#parts > PARTS_MAX) return 'too_many_parts'
    this.#part = part
    this.#rest = this.#rest.subarray(end + 4)
    this.#state = 'data'
    return null
  }

  #newPart(headers: string): Part | null {
    const disposition = headerOf(headers, 'content-disposition')
    const name = parameterOf(disposition, 'name')
    if (name === null) return null
    const filename = parameterOf(disposition, 'filename')
    const mimeType = headerOf(headers, 'content-type')
    // A part called `file` is the file, also where a client forgot to name it.
    const isFile = filename !== null || name === 'file'
    const bytesMax = isFile ? this.#options.fileBytesMax({ filename, mimeType }) : FIELD_BYTES_MAX
    return { name, filename, mimeType, isFile, bytesMax, bytes: 0, chunks: [] }
  }
}

function headerOf(headers: string, name: string): string | null {
  for (const line of headers.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon !== -1 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim()
  }
  return null
}

function parameterOf(header: string | null, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(header ?? '')
  return match?.[1]?.replaceAll(/\\(.)/g, '$1') ?? match?.[2] ?? null
}

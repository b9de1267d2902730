import { faults, OutboundFault } from './outbound-fault.ts'
import { type BodyFraming, createHeadReader, type HeadReader, malformed, type ResponseHead } from './response-head.ts'

/**
 * Reads one HTTP/1.1 response from a receiver that may be hostile. It holds the head under way, then an excerpt of the
 * body, and never more; whatever exceeds a limit ends the response at once instead of being waited for.
 *
 * States: head → (interim response 1xx → head) → body → done. A body larger than the excerpt is done as soon as the
 * excerpt is full, unless its rest is known to be small: reading that costs less than a new connection. Encoded bodies
 * are kept as they came; nothing is ever inflated.
 */
export type ResponseLimits = {
  headBytesMax: number
  headersMax: number
  excerptBytesMax: number
  /** How much beyond the excerpt is read and dropped to keep the connection. */
  drainBytesMax: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SWITCHING_PROTOCOLS = 101
const HTTP_PREFIX = 'HTTP/1.'
const EMPTY = Buffer.alloc(0)
const NO_BODY: BodyFraming = { kind: 'none' }

export class ResponseParser {
  readonly #limits: ResponseLimits
  readonly #readHead: HeadReader
  #headBytesLeft: number
  #pending: Buffer = EMPTY
  #framing: BodyFraming = NO_BODY
  #bodyBytesLeft = 0
  #chunked: ChunkedBody | null = null
  #excerpt: Buffer = EMPTY
  #excerptBytes = 0
  #bodyBytes = 0

  head: ResponseHead | null = null
  /** On the monotonic clock; null before anything came. */
  firstByteAtMs: number | null = null
  isDone = false
  /** Whether the next request may use the same connection. */
  isReusable = false

  constructor(limits: ResponseLimits, readHead: HeadReader = createHeadReader(limits.headersMax)) {
    this.#limits = limits
    this.#readHead = readHead
    this.#headBytesLeft = limits.headBytesMax
  }

  get excerpt(): Buffer {
    return firstBytes(this.#excerpt, this.#excerptBytes)
  }

  /** Whether the body had, or may have had, more than the excerpt holds. */
  get isTruncated(): boolean {
    if (!this.isDone) return this.head !== null
    return this.#bodyBytes > this.#limits.excerptBytesMax || this.#bodyBytesLeft > 0
  }

  get keepAliveSeconds(): number | null {
    return this.head?.keepAliveSeconds ?? null
  }

  /** Throws an OutboundFault when the receiver broke the protocol or a limit. */
  push(chunk: Buffer): void {
    this.firstByteAtMs ??= performance.now()
    const rest = this.head === null ? this.#readHeads(chunk) : chunk
    if (rest !== null) this.#readBody(rest)
  }

  /** The receiver closed its side. */
  finish(): void {
    if (this.isDone) return
    if (this.head === null || this.#framing.kind !== 'close') throw faults.reset()
    this.isDone = true
  }

  /** Consumes heads until the final one; returns what follows it, or null when more bytes are needed. */
  #readHeads(chunk: Buffer): Buffer | null {
    let scanned = Math.max(0, this.#pending.length - 2)
    let input = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    while (this.head === null) {
      const end = findHeadEnd(input, scanned)
      if ((end === null ? input.length : end.next) > this.#headBytesLeft) throw this.#headTooLarge()
      if (end === null) {
        this.#pending = input
        refuseOtherProtocols(input)
        return null
      }
      this.#acceptHead(this.#readHead(input.toString('latin1', 0, end.stop)))
      this.#headBytesLeft -= end.next
      input = input.subarray(end.next)
      scanned = 0
    }
    this.#pending = EMPTY
    return input
  }

  /** Interim responses draw on the same limit, so that a stream of them ends too. */
  #acceptHead(head: ResponseHead): void {
    if (head.status === SWITCHING_PROTOCOLS) throw malformed()
    if (head.status >= 200) this.#startBody(head)
  }

  #headTooLarge(): OutboundFault {
    const kibibytes = Math.round(this.#limits.headBytesMax / 1024)
    return new OutboundFault('too_large', `The receiver sent response headers of more than ${kibibytes} KiB.`)
  }

  #startBody(head: ResponseHead): void {
    this.#framing = head.framing
    this.head = head
    if (this.#framing.kind === 'chunked') this.#chunked = new ChunkedBody()
    if (this.#framing.kind === 'length') this.#bodyBytesLeft = this.#framing.bytes
  }

  #readBody(chunk: Buffer): void {
    if (this.isDone) return
    if (this.#framing.kind === 'none') this.#complete(chunk.length === 0)
    else if (this.#framing.kind === 'length') this.#readByLength(chunk)
    else if (this.#chunked !== null) this.#readChunked(this.#chunked, chunk)
    else this.#readToClose(chunk)
  }

  #readByLength(chunk: Buffer): void {
    const bytes = Math.min(this.#bodyBytesLeft, chunk.length)
    this.#collect(firstBytes(chunk, bytes))
    this.#bodyBytesLeft -= bytes
    const isExcerptFull = this.#bodyBytes >= this.#limits.excerptBytesMax
    if (this.#bodyBytesLeft === 0) this.#complete(bytes === chunk.length)
    else if (isExcerptFull && this.#bodyBytesLeft > this.#limits.drainBytesMax) this.isDone = true
  }

  #readChunked(chunked: ChunkedBody, chunk: Buffer): void {
    const used = chunked.push(chunk, (piece) => this.#collect(piece))
    if (chunked.isComplete) this.#complete(used === chunk.length)
    else this.#stopWhenTruncated()
  }

  #readToClose(chunk: Buffer): void {
    this.#collect(chunk)
    this.#stopWhenTruncated()
  }

  #stopWhenTruncated(): void {
    if (this.#bodyBytes > this.#limits.excerptBytesMax) this.isDone = true
  }

  /** Bytes after the end belong to no request of ours: such a connection is not used again. */
  #complete(isNothingLeft: boolean): void {
    this.isDone = true
    this.isReusable = isNothingLeft && this.head?.isKept === true
  }

  /** The usual body comes in one piece and is kept as it is; only the second piece asks for a buffer to copy into. */
  #collect(piece: Buffer): void {
    this.#bodyBytes += piece.length
    const room = this.#limits.excerptBytesMax - this.#excerptBytes
    if (room === 0) return
    if (this.#excerptBytes === 0) {
      this.#excerpt = firstBytes(piece, room)
      this.#excerptBytes = this.#excerpt.length
      return
    }
    if (this.#excerpt.length < this.#limits.excerptBytesMax) this.#growExcerpt()
    this.#excerptBytes += piece.copy(this.#excerpt, this.#excerptBytes, 0, room)
  }

  #growExcerpt(): void {
    const grown = Buffer.alloc(this.#limits.excerptBytesMax)
    this.#excerpt.copy(grown, 0, 0, this.#excerptBytes)
    this.#excerpt = grown
  }
}

/** A view costs an object; mostly the whole is wanted. */
const firstBytes = (bytes: Buffer, count: number) => (bytes.length <= count ? bytes : bytes.subarray(0, count))

/** The empty line: where it starts, and with it the head stops, and where the body starts. */
function findHeadEnd(input: Buffer, from: number): { stop: number; next: number } | null {
  let lineFeed = input.indexOf(LINE_FEED, from)
  while (lineFeed !== -1) {
    const after = input[lineFeed + 1] === CARRIAGE_RETURN ? lineFeed + 2 : lineFeed + 1
    if (input[after] === LINE_FEED) return { stop: lineFeed + 1, next: after + 1 }
    lineFeed = input.indexOf(LINE_FEED, lineFeed + 1)
  }
  return null
}

/** A greeting of another protocol is recognised by its first bytes rather than by waiting for an empty line. */
function refuseOtherProtocols(input: Buffer): void {
  const start = input.toString('latin1', 0, HTTP_PREFIX.length)
  if (!HTTP_PREFIX.startsWith(start)) throw new OutboundFault('protocol', 'The receiver did not answer in HTTP/1.1.')
}

/**
 * Undoes the chunked transfer encoding piece by piece: size line → data → end of line → … → size 0 → trailers → end.
 * Nothing is kept but the line under way, and every line has a limit.
 */
type State = 'size' | 'data' | 'data_end' | 'trailer' | 'end'

const LINE_LENGTH_MAX = 1024
const TRAILER_BYTES_MAX = 8192

class ChunkedBody {
  #state: State = 'size'
  #line = ''
  #dataBytesLeft = 0
  #trailerBytes = 0

  get isComplete(): boolean {
    return this.#state === 'end'
  }

  /** Hands the decoded pieces to `collect` and returns how many bytes of the input belonged to this body. */
  push(input: Buffer, collect: (piece: Buffer) => void): number {
    let offset = 0
    while (offset < input.length && this.#state !== 'end') {
      offset = this.#state === 'data' ? this.#readData(input, offset, collect) : this.#readLine(input, offset)
    }
    return offset
  }

  #readData(input: Buffer, offset: number, collect: (piece: Buffer) => void): number {
    const end = Math.min(input.length, offset + this.#dataBytesLeft)
    collect(input.subarray(offset, end))
    this.#dataBytesLeft -= end - offset
    if (this.#dataBytesLeft === 0) this.#state = 'data_end'
    return end
  }

  #readLine(input: Buffer, offset: number): number {
    const lineFeed = input.indexOf(LINE_FEED, offset)
    const end = lineFeed === -1 ? input.length : lineFeed
    if (this.#line.length + end - offset > LINE_LENGTH_MAX) throw malformed()
    this.#line += input.toString('latin1', offset, end)
    if (lineFeed === -1) return end
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    this.#line = ''
    this.#state = this.#nextState(line)
    return end + 1
  }

  #nextState(line: string): State {
    if (this.#state === 'size') return this.#startChunk(line)
    if (this.#state === 'trailer') return this.#passTrailer(line)
    if (line !== '') throw malformed()
    return 'size'
  }

  /** Extensions after a semicolon are passed over, as RFC 9112 section 7.1.1 demands. */
  #startChunk(line: string): State {
    const size = (line.split(';', 1)[0] ?? '').trim()
    if (!/^[0-9a-f]{1,12}$/i.test(size)) throw malformed()
    this.#dataBytesLeft = Number.parseInt(size, 16)
    return this.#dataBytesLeft === 0 ? 'trailer' : 'data'
  }

  #passTrailer(line: string): State {
    if (line === '') return 'end'
    this.#trailerBytes += line.length
    if (this.#trailerBytes > TRAILER_BYTES_MAX)
      throw new OutboundFault('too_large', 'The receiver sent too many trailers after its response.')
    return 'trailer'
  }
}

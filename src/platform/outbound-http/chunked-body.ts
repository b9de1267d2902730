import { AttemptFault } from './attempt-fault.ts'
import { malformed } from './response-head.ts'

/**
 * Undoes the chunked transfer encoding piece by piece: size line → data → end of line → … → size 0 → trailers → end.
 * Nothing is kept but the line under way, and every line has a limit.
 */
type State = 'size' | 'data' | 'data_end' | 'trailer' | 'end'

const LINE_LENGTH_MAX = 1024
const TRAILER_BYTES_MAX = 8192
const LINE_FEED = 0x0a

export class ChunkedBody {
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
    const size = (line.split(';', 1)[0] as string).trim()
    if (!/^[0-9a-f]{1,12}$/i.test(size)) throw malformed()
    this.#dataBytesLeft = Number.parseInt(size, 16)
    return this.#dataBytesLeft === 0 ? 'trailer' : 'data'
  }

  #passTrailer(line: string): State {
    if (line === '') return 'end'
    this.#trailerBytes += line.length
    if (this.#trailerBytes > TRAILER_BYTES_MAX)
      throw new AttemptFault('too_large', 'The receiver sent too many trailers after its response.')
    return 'trailer'
  }
}

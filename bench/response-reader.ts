/**
 * Finds where HTTP/1.1 responses end, for a load generator with one request outstanding per connection. It reads the
 * status, `content-length` and chunk sizes and nothing else: on two cores whatever the generator spends is taken from
 * the server it measures.
 */
export class ResponseReader {
  #pending: Buffer | null = null
  /** Bytes of a body of known length that have not come yet. */
  #bodyBytesMissing = 0
  #status = 0

  /** The status once the response is complete, null while more must come. */
  read(chunk: Buffer): number | null {
    if (this.#bodyBytesMissing > 0) {
      this.#bodyBytesMissing -= chunk.length
      return this.#bodyBytesMissing <= 0 ? this.#status : null
    }
    const data = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk])
    const headersEnd = data.indexOf('\r\n\r\n')
    // The socket may reuse its buffer after this call, so what is kept is a copy.
    if (headersEnd === -1) return this.#keep(Buffer.from(data))
    this.#status = statusOf(data)
    const headers = data.toString('latin1', 0, headersEnd + 2).toLowerCase()
    if (headers.includes('\r\ntransfer-encoding: chunked\r\n')) {
      return isChunkedBodyComplete(data, headersEnd + 4) ? this.#finish() : this.#keep(Buffer.from(data))
    }
    this.#bodyBytesMissing = contentLengthOf(headers) - (data.length - headersEnd - 4)
    this.#pending = null
    return this.#bodyBytesMissing <= 0 ? this.#status : null
  }

  #keep(data: Buffer): null {
    this.#pending = data
    return null
  }

  #finish(): number {
    this.#pending = null
    return this.#status
  }
}

/** `HTTP/1.1 200 …`: the three digits stand at a fixed place. */
function statusOf(data: Buffer): number {
  const digit = (index: number) => (data[index] as number) - 48
  return digit(9) * 100 + digit(10) * 10 + digit(11)
}

const CONTENT_LENGTH = '\r\ncontent-length:'

/** A response without the header has no body here (204, 304): one that ends with its connection would be no keep-alive. */
function contentLengthOf(headers: string): number {
  const start = headers.indexOf(CONTENT_LENGTH)
  return start === -1 ? 0 : Number.parseInt(headers.slice(start + CONTENT_LENGTH.length), 10)
}

function isChunkedBodyComplete(data: Buffer, bodyStart: number): boolean {
  let position = bodyStart
  while (true) {
    const lineEnd = data.indexOf('\r\n', position)
    if (lineEnd === -1) return false
    const chunkBytes = Number.parseInt(data.toString('latin1', position, lineEnd), 16)
    // The last chunk is followed by trailers, if any, and an empty line.
    if (chunkBytes === 0) return data.indexOf('\r\n\r\n', lineEnd) !== -1
    position = lineEnd + 2 + chunkBytes + 2
    if (position > data.length) return false
  }
}

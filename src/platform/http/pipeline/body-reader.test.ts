import { describe, expect, test } from 'bun:test'
import { createGzip, gzipSync } from 'node:zlib'
import { readBody } from './body-reader.ts'

const limits = { bytesMax: 1_000, timeoutMs: 5_000 }

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/', { method: 'POST', body, headers })
}

/** A body of unknown length, produced chunk by chunk as it is read. */
function streamed(chunks: Iterable<Uint8Array>, afterwards: 'end' | 'hang' | 'break' = 'end') {
  const iterator = chunks[Symbol.iterator]()
  const seen = { pulls: 0, wasCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = iterator.next()
        if (!next.done) {
          seen.pulls += 1
          controller.enqueue(next.value)
          return undefined
        }
        if (afterwards === 'break') controller.error(new Error('connection lost'))
        if (afterwards === 'end') controller.close()
        return afterwards === 'hang' ? new Promise<void>(() => {}) : undefined
      },
      cancel() {
        seen.wasCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}

const ofSize = (bytes: number) => new Uint8Array(bytes).fill(97)

async function textOf(request: Request, options = limits): Promise<string> {
  const result = await readBody(request, options)
  if (!result.ok) throw new Error(result.reason)
  return new TextDecoder().decode(result.bytes)
}

async function reasonOf(request: Request, options = limits): Promise<string> {
  const result = await readBody(request, options)
  return result.ok ? 'ok' : result.reason
}

describe('a body is read whole', () => {
  test('with a declared length, without one, and when it is empty', async () => {
    expect(await textOf(post('hello', { 'content-length': '5' }))).toBe('hello')
    expect(await textOf(post(streamed([ofSize(3), ofSize(4)]).body))).toBe('aaaaaaa')
    expect(await textOf(post(null))).toBe('')
    expect(await textOf(post(null, { 'content-length': '0' }))).toBe('')
  })

  test('up to exactly the limit, and not one byte more', async () => {
    expect((await textOf(post(ofSize(1_000), { 'content-length': '1000' }))).length).toBe(1_000)
    expect((await textOf(post(streamed([ofSize(999), ofSize(1)]).body))).length).toBe(1_000)
    expect(await reasonOf(post(streamed([ofSize(999), ofSize(2)]).body))).toBe('too_large')
  })

  test('in chunks when the declared length is large', async () => {
    const big = post(ofSize(100_000), { 'content-length': '100000' })
    expect((await textOf(big, { bytesMax: 200_000, timeoutMs: 5_000 })).length).toBe(100_000)
  })
})

describe('a body that is too large is refused', () => {
  test('by its declared length before a byte is read', async () => {
    const { body, seen } = streamed([ofSize(10)])
    expect(await reasonOf(post(body, { 'content-length': '1001' }))).toBe('too_large')
    expect(seen.pulls).toBe(0)
  })

  test('when the declared length was a lie', async () => {
    expect(await reasonOf(post(ofSize(5_000), { 'content-length': '10' }))).toBe('too_large')
  })

  test('as soon as the limit is passed, and no further chunk is read', async () => {
    const { body, seen } = streamed(Array.from({ length: 100 }, () => ofSize(400)))
    expect(await reasonOf(post(body))).toBe('too_large')
    expect(seen.pulls).toBeLessThanOrEqual(4)
    expect(seen.wasCancelled).toBe(true)
  })
})

describe('gzip', () => {
  const gzipHeaders = { 'content-encoding': 'gzip' }

  test('is inflated, in any spelling of its name', async () => {
    const zipped = gzipSync('hello')
    for (const name of ['gzip', 'GZIP', ' x-gzip ']) {
      expect(await textOf(post(zipped, { 'content-encoding': name }))).toBe('hello')
    }
    expect(await textOf(post(zipped, { ...gzipHeaders, 'content-length': String(zipped.length) }))).toBe('hello')
  })

  test('counts inflated bytes against the limit', async () => {
    expect((await textOf(post(gzipSync(ofSize(1_000)), gzipHeaders))).length).toBe(1_000)
    expect(await reasonOf(post(gzipSync(ofSize(1_001)), gzipHeaders))).toBe('too_large')
  })

  test('a bomb is refused without being unpacked', async () => {
    const bomb = await zipZeros(200)
    const rssBefore = process.memoryUsage().rss
    const reason = await reasonOf(post(bomb, gzipHeaders), { bytesMax: 262_144, timeoutMs: 5_000 })
    expect(reason).toBe('too_large')
    expect(bomb.length).toBeLessThan(262_144)
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(50 * 1_048_576)
  })

  test('that is torn, or no gzip at all, is invalid', async () => {
    const zipped = gzipSync('hello')
    expect(await reasonOf(post(zipped.subarray(0, 12), gzipHeaders))).toBe('encoding_invalid')
    expect(await reasonOf(post('hello', gzipHeaders))).toBe('encoding_invalid')
  })

  test('other encodings are unsupported, and identity counts as no encoding', async () => {
    for (const name of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
      expect(await reasonOf(post('x', { 'content-encoding': name }))).toBe('encoding_unsupported')
    }
    expect(await textOf(post('x', { 'content-encoding': 'identity' }))).toBe('x')
  })
})

describe('a sender that stops', () => {
  test('is given up after the timeout, and its stream is cancelled', async () => {
    const { body, seen } = streamed([ofSize(1)], 'hang')
    expect(await reasonOf(post(body), { bytesMax: 10, timeoutMs: 20 })).toBe('timeout')
    expect(seen.wasCancelled).toBe(true)
    const declared = streamed([ofSize(1)], 'hang').body
    expect(await reasonOf(post(declared, { 'content-length': '2' }), { bytesMax: 10, timeoutMs: 20 })).toBe('timeout')
  })

  test('by breaking the connection counts as aborted', async () => {
    expect(await reasonOf(post(streamed([ofSize(1)], 'break').body))).toBe('aborted')
    const declared = streamed([ofSize(1)], 'break').body
    expect(await reasonOf(post(declared, { 'content-length': '2' }))).toBe('aborted')
  })
})

/** That many mebibytes of zeros, about a thousandth of it when packed. */
async function zipZeros(mebibytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip({ level: 9 })
  const packed: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => packed.push(chunk))
  const ended = new Promise((resolve) => gzip.on('end', resolve))
  const zeros = Buffer.alloc(1_048_576)
  for (let written = 0; written < mebibytes; written++) {
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve))
  }
  gzip.end()
  await ended
  return new Uint8Array(Buffer.concat(packed))
}

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { OutboundFault } from './outbound-fault.ts'
import { ResponseParser } from './response-parser.ts'

const LIMITS = { headBytesMax: 1024, headersMax: 10, excerptBytesMax: 64, drainBytesMax: 32 }

/** Everything the parser reports about a response received in these pieces; `closes` when the receiver then hung up. */
function read(pieces: (string | Buffer)[], { closes = false } = {}) {
  const parser = new ResponseParser(LIMITS)
  try {
    for (const piece of pieces) parser.push(Buffer.from(piece as string, 'latin1'))
    if (closes) parser.finish()
  } catch (error) {
    if (!(error instanceof OutboundFault)) throw error
    return { fault: error.errorClass }
  }
  return {
    status: parser.head?.status ?? null,
    body: parser.excerpt.toString('latin1'),
    isDone: parser.isDone,
    isReusable: parser.isReusable,
    isTruncated: parser.isTruncated,
  }
}

const whole = { status: 200, isDone: true, isReusable: true, isTruncated: false }

describe('framing', () => {
  test.each([
    ['by length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 'hello'],
    ['by length zero', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', ''],
    ['by equal lengths given twice', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
    ['by chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 'hello'],
    [
      'by chunks with extensions and trailers',
      'HTTP/1.1 200\r\ntransfer-encoding: chunked\r\n\r\n5;a="b"\r\nhello\r\n0;x\r\nx-sum: 1\r\n\r\n',
      'hello',
    ],
    ['with bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 5\n\nhello', 'hello'],
    [
      'after interim responses',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      'ok',
    ],
  ])('a body %s is read whole and the connection kept', (_name, response, body) => {
    expect(read([response])).toEqual({ ...whole, body })
  })

  test('204 and 304 have no body, whatever they claim', () => {
    expect(read(['HTTP/1.1 204 No Content\r\n\r\n'])).toMatchObject({ status: 204, isDone: true, isReusable: true })
    expect(read(['HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n'])).toMatchObject({ isDone: true, body: '' })
  })

  test('a body without length ends with the connection', () => {
    const response = 'HTTP/1.1 200 OK\r\n\r\nhello'
    expect(read([response])).toMatchObject({ isDone: false, isTruncated: true })
    expect(read([response], { closes: true })).toEqual({ ...whole, isReusable: false, body: 'hello' })
  })

  test('a connection that ends before the response does is a reset', () => {
    for (const response of [
      '',
      'HTTP/1.1 2',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
    ])
      expect(read([response].filter(Boolean), { closes: true })).toEqual({ fault: 'reset' })
  })
})

describe('a connection is not used again', () => {
  test.each([
    ['when the receiver says close', 'HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 2\r\n\r\nok'],
    ['when it says close among others', 'HTTP/1.1 200 OK\r\nconnection: foo, close\r\ncontent-length: 2\r\n\r\nok'],
    ['after HTTP/1.0', 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'],
    ['when bytes follow the body', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500'],
    ['when bytes follow the last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nx'],
    ['when bytes follow a response without body', 'HTTP/1.1 204 No Content\r\n\r\nx'],
    [
      'when both length and chunks are announced',
      'HTTP/1.1 200 OK\r\ncontent-length: 99\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
  ])('%s', (_name, response) => {
    expect(read([response])).toMatchObject({ isDone: true, isReusable: false, isTruncated: false })
  })
})

describe('limits', () => {
  const ofLength = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`

  test('a body as large as the excerpt is whole', () => {
    expect(read([ofLength(64), 'x'.repeat(64)])).toEqual({ ...whole, body: 'x'.repeat(64) })
  })

  test('a little more than the excerpt is read to the end and dropped', () => {
    const partly = [ofLength(96), 'x'.repeat(64)]
    expect(read(partly)).toMatchObject({ isDone: false })
    expect(read([...partly, 'y'.repeat(32)])).toEqual({ ...whole, isTruncated: true, body: 'x'.repeat(64) })
  })

  test('much more than the excerpt is given up as soon as the excerpt is full', () => {
    expect(read([ofLength(97), 'x'.repeat(64)])).toEqual({
      ...whole,
      isReusable: false,
      isTruncated: true,
      body: 'x'.repeat(64),
    })
    expect(read([ofLength(1e15), 'x'.repeat(63)])).toMatchObject({ isDone: false })
    expect(read([ofLength(1e15), 'x'.repeat(64)])).toMatchObject({ isDone: true, isTruncated: true })
    expect(read([`HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(400)}\r\n\r\n`, 'x'.repeat(64)])).toMatchObject({
      isDone: true,
    })
  })

  test('an endless body of unknown length is given up one byte after the excerpt', () => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n'
    for (const head of [chunked, 'HTTP/1.1 200 OK\r\n\r\n']) {
      expect(read([head, 'x'.repeat(64)])).toMatchObject({ isDone: false })
      expect(read([head, 'x'.repeat(65)])).toMatchObject({
        isDone: true,
        isReusable: false,
        isTruncated: true,
        body: 'x'.repeat(64),
      })
    }
  })

  test('a body that comes byte by byte makes the same excerpt', () => {
    const bytes = Array.from({ length: 80 }, (_, index) => String.fromCharCode(33 + index))
    expect(read([ofLength(80), ...bytes])).toEqual({ ...whole, isTruncated: true, body: bytes.slice(0, 64).join('') })
  })

  test('a head of the largest size is read, one byte more is too large even before it ends', () => {
    const head = (length: number) => `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(length - 24)}\r\n\r\n`
    expect(head(1024).length).toBe(1024)
    expect(read([head(1024)], { closes: true })).toMatchObject({ status: 200 })
    expect(read([head(1025)])).toEqual({ fault: 'too_large' })
    expect(read([head(1025).slice(0, 1023), 'aa'])).toEqual({ fault: 'too_large' })
  })

  test('ten headers are read, eleven are too many', () => {
    const head = (count: number) => `HTTP/1.1 200 OK\r\n${'x: 1\r\n'.repeat(count)}\r\n`
    expect(read([head(10)], { closes: true })).toMatchObject({ status: 200 })
    expect(read([head(11)])).toEqual({ fault: 'too_large' })
  })

  test('a stream of interim responses counts as one head', () => {
    expect(read(Array(60).fill('HTTP/1.1 102 Processing\r\n\r\n'))).toEqual({ fault: 'too_large' })
  })

  test('a huge status line, chunk size line or trailer ends the response', () => {
    expect(read([`HTTP/1.1 200 ${'O'.repeat(2000)}`])).toEqual({ fault: 'too_large' })
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    expect(read([chunked, `1;${'x'.repeat(1100)}`])).toEqual({ fault: 'protocol' })
    expect(read([chunked, '0\r\n', ...Array(100).fill(`x: ${'y'.repeat(100)}\r\n`)])).toEqual({ fault: 'too_large' })
  })
})

describe('what is not HTTP/1.1 is refused', () => {
  test.each([
    ['a greeting without line end', '220 mail'],
    ['a TLS record', '\x15\x03\x01\x00\x02\x02\x28'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['HTTP/0.9', '<html>'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status that begins with zero', 'HTTP/1.1 099 No\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\n\r\n'],
    ['a header without colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a header without name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a blank before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nx: a\r\n b: c\r\n\r\n'],
    ['a NUL in a value', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['a lone carriage return', 'HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n'],
    ['lengths that differ', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok'],
    ['a length in hexadecimal', 'HTTP/1.1 200 OK\r\ncontent-length: 0x2\r\n\r\nok'],
    ['a chunk size that is no number', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'],
    ['a negative chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n'],
    ['a chunk longer than announced', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nokay\r\n'],
  ])('%s', (_name, response) => {
    expect(read([response])).toEqual({ fault: 'protocol' })
  })
})

test('how a response is cut into packets changes nothing', () => {
  const responses = [
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
    `HTTP/1.1 200 OK\nx: 1\ncontent-length: 90\n\n${'ab'.repeat(45)}`,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\na;q=1\r\n0123456789\r\n4\r\nabcd\r\n0\r\nt: 1\r\n\r\n',
    'HTTP/1.1 204 No Content\r\nkeep-alive: timeout=5\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok!',
    'HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n',
  ]
  const cuts = fc.uniqueArray(fc.nat(200), { maxLength: 12 })
  fc.assert(
    fc.property(fc.constantFrom(...responses), cuts, (response, offsets) => {
      const bounds = [0, ...offsets.filter((offset) => offset < response.length).sort((a, b) => a - b), response.length]
      const pieces = bounds
        .slice(1)
        .map((end, index) => response.slice(bounds[index], end))
        .filter(Boolean)
      // Bytes beyond the end that arrive in a separate packet are handled by the connection instead of the parser.
      const { isReusable: _, ...inPieces } = read(pieces) as Record<string, unknown>
      const { isReusable: __, ...atOnce } = read([response]) as Record<string, unknown>
      expect(inPieces).toEqual(atOnce)
    }),
    { numRuns: 500 },
  )
})

test('no bytes whatever make the parser throw anything but a fault', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), fc.boolean(), (pieces, hasStatus) => {
      const start = hasStatus ? ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'] : []
      expect(read([...start, ...pieces.map((piece) => Buffer.from(piece))], { closes: true })).toBeDefined()
    }),
    { numRuns: 500 },
  )
})

test('the time a receiver keeps idle connections is read from keep-alive', () => {
  const parser = new ResponseParser(LIMITS)
  parser.push(Buffer.from('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=5, max=100\r\n\r\n'))
  expect(parser.keepAliveSeconds).toBe(5)
})

import { describe, expect, test } from 'bun:test'
import { createHeadReader } from './response-head.ts'
import { ResponseParser } from './response-parser.ts'
import { parseRetryAfter, recordResponse } from './response-record.ts'

const LIMITS = { headBytesMax: 16_384, headersMax: 100, excerptBytesMax: 16_384, drainBytesMax: 0 }
const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000

function record(headers: string, body: Uint8Array | string = '', isHttps = true) {
  const bytes = Buffer.from(body as string)
  const parser = new ResponseParser(LIMITS, createHeadReader(LIMITS.headersMax, 'x-control'))
  parser.push(Buffer.from(`HTTP/1.1 200 OK\r\n${headers}content-length: ${bytes.length}\r\n\r\n`))
  if (!parser.isDone) parser.push(bytes)
  return recordResponse(parser, { nowMs: NOW_MS, isHttps })
}

describe('the body excerpt', () => {
  test('is text when it is UTF-8', () => {
    expect(record('', '{"note":"café ☕"}')).toMatchObject({
      responseBody: '{"note":"café ☕"}',
      isResponseBodyBase64: false,
    })
  })

  test('is base64 when it is not, or when PostgreSQL could not store it as text', () => {
    for (const bytes of [
      Buffer.from([0x1f, 0x8b, 8, 0]),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('a\0b'),
      Buffer.from([0x61, 0xe2, 0x98]),
    ])
      expect(record('', bytes)).toMatchObject({ responseBody: bytes.toString('base64'), isResponseBodyBase64: true })
  })

  test('stays text when the cut goes through a character', () => {
    for (const character of ['é', '☕', '🎉']) {
      const text = character.repeat(10_000)
      for (const lead of ['', 'a', 'ab', 'abc']) {
        const result = record('', lead + text)
        expect(result).toMatchObject({ isResponseBodyBase64: false, isResponseTruncated: true })
        expect((lead + text).startsWith(result.responseBody as string)).toBe(true)
        expect(16_384 - Buffer.byteLength(result.responseBody as string)).toBeLessThan(4)
      }
    }
  })
})

describe('headers', () => {
  test('are kept by lower-case name, repeated ones joined', () => {
    expect(record('X-A: 1\r\nx-a: 2\r\n__proto__: x\r\n').responseHeaders).toEqual({
      'x-a': '1, 2',
      ['__proto__']: 'x',
      'content-length': '0',
    })
  })

  test('are kept up to 4 KiB', () => {
    const flood = Array.from({ length: 90 }, (_, index) => `x-${10 + index}: ${'v'.repeat(96)}\r\n`).join('')
    const kept = record(flood).responseHeaders as Record<string, string>
    expect(Object.keys(kept).length).toBe(40)
  })
})

describe('retry-after', () => {
  test.each([
    ['120', 120_000],
    ['0', 0],
    ['86400', DAY_MS],
    ['86401', DAY_MS],
    ['9'.repeat(400), DAY_MS],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Fri, 01 Jan 2027 00:00:00 GMT', DAY_MS],
    ['Thursday, 01-Jan-26 00:02:00 GMT', 120_000],
    ['Thu Jan  1 00:02:00 2026', 120_000],
    ['60, 120', 120_000],
    ['soon', null],
    ['60, soon', null],
    ['-5', null],
    ['1.5', null],
    ['2026-01-01', null],
    ['', null],
    ['Xyz, 99 Foo 2026 00:00:00 GMT', null],
    ['Thu, 99 Foo 2026 00:00:00 GMT', null],
  ])('%p is %p ms', (text, ms) => {
    expect(parseRetryAfter(text, NOW_MS)).toBe(ms)
  })

  test('is on the record', () => {
    expect(record('Retry-After: 120\r\n').retryAfterMs).toBe(120_000)
    expect(record('').retryAfterMs).toBeNull()
  })
})

describe('the control header', () => {
  test('is on the record over https only', () => {
    expect(record('X-Control: Disable\r\n').control).toBe('Disable')
    expect(record('x-control: disable\r\n', '', false).control).toBeNull()
    expect(record('').control).toBeNull()
  })

  test('has all its values where it is repeated', () => {
    expect(record('x-control: disable\r\nx-control: other\r\n').control).toBe('disable, other')
  })
})

test('without a response there is nothing to record', () => {
  expect(recordResponse(new ResponseParser(LIMITS), { nowMs: NOW_MS, isHttps: true })).toMatchObject({
    status: null,
    responseHeaders: null,
    responseBody: null,
    isResponseTruncated: false,
  })
})

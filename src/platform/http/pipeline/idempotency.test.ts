import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readIdempotencyKey, requestFingerprint, writeIdempotencyKey } from './idempotency.ts'

describe('an idempotency key', () => {
  test('may be missing', () => {
    expect(readIdempotencyKey(null)).toEqual({ ok: true, key: null })
  })

  test('is the same bare and quoted, for every string of 1 to 255 visible ASCII characters', () => {
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.string({ unit: visible, minLength: 1, maxLength: 255 }), (key) => {
        expect(readIdempotencyKey(writeIdempotencyKey(key))).toEqual({ ok: true, key })
        if (!key.startsWith('"')) expect(readIdempotencyKey(key)).toEqual({ ok: true, key })
      }),
      { numRuns: 300 },
    )
    expect(readIdempotencyKey('"abc"')).toEqual(readIdempotencyKey('abc'))
    expect(readIdempotencyKey('k'.repeat(255)).ok).toBe(true)
  })

  test('that is empty, too long, spaced, not ASCII or half quoted is refused with a sentence', () => {
    for (const header of [
      '',
      '""',
      'k'.repeat(256),
      'a b',
      '"a b"',
      'é',
      'a\u0001',
      '"',
      '"abc',
      '"a"b"',
      '"a\\b"',
      '"abc";p=1',
      'a, b',
    ]) {
      const result = readIdempotencyKey(header)
      expect(result.ok).toBe(false)
      if (!result.ok) expect(result.detail).toMatch(/^Idempotency-Key .+\.$/)
    }
  })
})

describe('a fingerprint', () => {
  const request = { operation: 'createOrder', pathParameters: {}, query: {}, body: { a: 1, b: [true, null] } }

  test('is SHA-256 in hexadecimal and ignores how the JSON was spelled', () => {
    expect(requestFingerprint(request)).toMatch(/^[0-9a-f]{64}$/)
    const respelled = JSON.parse('{ "b":[true, null], "\\u0061": 1.0 }')
    expect(requestFingerprint({ ...request, body: respelled })).toBe(requestFingerprint(request))
  })

  test('differs when any part differs, and when the body is null instead of absent', () => {
    const others = [
      { ...request, operation: 'sendMessage' },
      { ...request, pathParameters: { id: 'ord_1' } },
      { ...request, query: { dry_run: 'true' } },
      { ...request, body: { a: 1, b: [null, true] } },
      { ...request, body: null },
      { ...request, body: undefined },
      { ...request, query: undefined },
      { ...request, pathParameters: undefined },
    ]
    const prints = new Set([request, ...others].map(requestFingerprint))
    expect(prints.size).toBe(others.length + 1)
  })
})

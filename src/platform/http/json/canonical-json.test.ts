import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'

test('the example of RFC 8785 comes out as printed there', () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\u0027\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  }
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('members are sorted by UTF-16 code units, as the sorting example of RFC 8785 asks', () => {
  const written = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
  const members = sorted.map((name) => `${JSON.stringify(name)}:0`)
  expect(canonicalJson(Object.fromEntries(written.map((name) => [name, 0])))).toBe(`{${members.join(',')}}`)
})

test('the spelling does not depend on the order of members, and the value survives it', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).reverse()
    return Object.fromEntries(entries.map(([name, member]) => [name, shuffled(member)]))
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(shuffled(value))).toBe(text)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('an undefined member is absent, a date is its text; what JSON cannot say is refused', () => {
  expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}')
  expect(canonicalJson([new Date(0)])).toBe('["1970-01-01T00:00:00.000Z"]')
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, new Set(), new Map(), () => 1]) {
    expect(() => canonicalJson({ value: [value] })).toThrow(TypeError)
  }
})

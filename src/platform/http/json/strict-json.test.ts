import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findJsonDefect, type JsonProblem } from './json-defect.ts'
import { decodeUtf8Strict, parseStrictJson } from './strict-json.ts'

function problemOf(text: string): JsonProblem {
  const result = parseStrictJson(text)
  if (result.ok) throw new Error(`accepted: ${text.slice(0, 100)}`)
  return result.problem
}

const nest = (levels: number, innermost: string) => '['.repeat(levels) + innermost + ']'.repeat(levels)

const ordinaryName = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name) && !name.includes('\0'))

const ordinaryJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    fc.constantFrom('https://toko.example:8080/a', 'a:b', '"', '\\', '\n\t', '😀', '{"a":1}'),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(ordinaryName, tie('value'), { maxKeys: 6 }),
  ),
})).value

/** Writes the same document with every character of every string as an escape. */
const respell = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const units = (JSON.parse(literal) as string).split('')
    return `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
  })

describe('ordinary JSON', () => {
  test('is read exactly as the native parser reads it', () => {
    fc.assert(
      fc.property(ordinaryJson, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
        const large = `[${text},"${'x'.repeat(20_000)}"]`
        expect(parseStrictJson(large)).toEqual({ ok: true, value: JSON.parse(large) })
      }),
      { numRuns: 500 },
    )
  })

  test('is read the same when its strings are written as escapes', () => {
    fc.assert(
      fc.property(ordinaryJson, (value) => {
        const text = respell(JSON.stringify(value))
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
      }),
      { numRuns: 500 },
    )
  })

  test('may sit exactly at every limit', () => {
    const members = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, index]))
    const items = Array.from({ length: 1_000 }, (_, index) => index)
    for (const text of [nest(32, ''), nest(32, '"\\u0041"'), JSON.stringify(members), JSON.stringify(items)]) {
      expect(parseStrictJson(text).ok).toBe(true)
      expect(findJsonDefect(text)).toBeNull()
    }
  })

  test('may be a bare scalar', () => {
    for (const text of [
      'null',
      ' true ',
      '-0',
      '0.5',
      '"a"',
      '9007199254740991',
      '-9007199254740991',
      '1.5e300',
      '1e16',
    ]) {
      expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
    }
  })
})

describe('the quick look and the closer look', () => {
  test('agree with the native parser on what is JSON at all, whatever was cut, doubled or swapped', () => {
    fc.assert(
      fc.property(
        ordinaryJson,
        fc.nat(),
        fc.nat(),
        fc.constantFrom(...'{}[]",:0-.eE+\\u \ntx\u0001'),
        (value, a, b, junk) => {
          const text = JSON.stringify(value)
          const from = a % (text.length + 1)
          const broken = text.slice(0, from) + junk + text.slice(from + (b % 3))
          const nativeAccepts = accepts(() => JSON.parse(broken))
          const problem = findJsonDefect(broken)
          if (!nativeAccepts) expect(problem).not.toBeNull()
          if (nativeAccepts) expect(problem?.code).not.toBe('json_invalid')
          expect(parseStrictJson(broken).ok).toBe(problem === null)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  const accepts = (work: () => unknown) => {
    try {
      work()
      return true
    } catch {
      return false
    }
  }
})

describe('a planted defect is found and placed', () => {
  const plants: [string, JsonProblem['code'], fc.Arbitrary<string>][] = [
    [
      'a duplicate member',
      'json_duplicate_member',
      fc.constantFrom('{"a":1,"a":1}', '{"a":{"b":1},"\\u0061":2}', '{"":0, "" : 0}'),
    ],
    [
      'a duplicate hiding behind colons',
      'json_duplicate_member',
      fc.constantFrom('{"a":"x:y","a":"z"}', '{"a:":1,"a:":"::"}', '{"k":"\\u003a","k":":"}'),
    ],
    [
      'a forbidden name',
      'json_member_forbidden',
      fc.constantFrom('{"__proto__":{}}', '{"constructor":1}', '{"\\u005f_proto__":1}', '{"proto\\u0074ype":null}'),
    ],
    [
      'a lone surrogate',
      'json_text_invalid',
      fc.constantFrom('"\\ud800"', '"a\\uDC00b"', '"\ud83d"', '"\udc00\ud800"', '{"\\ud800":1}', '"\\ude00\\ud83d"'),
    ],
    ['a NUL', 'json_text_invalid', fc.constantFrom('"\\u0000"', '{"a\\u0000":1}', '["a\\u0000b"]')],
    [
      'an unsafe number',
      'json_number_unsafe',
      fc.constantFrom(
        '9007199254740992',
        '-9007199254740993',
        '9007199254740993.0',
        '1e400',
        '-1e999',
        '123456789012345678901',
      ),
    ],
    ['a raw control character', 'json_invalid', fc.constantFrom('"a\u0000"', '"\n"', '"\t"')],
    [
      'a syntax error',
      'json_invalid',
      fc.constantFrom(
        '{a:1}',
        "'a'",
        '[1,]',
        '{"a":1,}',
        '01',
        '+1',
        '.5',
        '1.',
        'NaN',
        'tru',
        '"\\x41"',
        '"\\u12"',
        '[1 2]',
        '{"a" 1}',
        '/**/1',
      ),
    ],
    ['too many items', 'json_too_large', fc.constant(`[${'0,'.repeat(1_000)}0]`)],
    [
      'too many members',
      'json_too_large',
      fc.constant(`{${Array.from({ length: 201 }, (_, index) => `"m${index}":0`).join(',')}}`),
    ],
    [
      'too much depth',
      'json_too_deep',
      fc.constantFrom(nest(33, ''), `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, '['.repeat(200_000)),
    ],
  ]

  for (const [name, code, plant] of plants) {
    test(`${name} is ${code}, wherever it sits`, () => {
      fc.assert(
        fc.property(plant, ordinaryJson, ordinaryName, fc.nat({ max: 3 }), (defect, neighbour, memberName, levels) => {
          fc.pre(memberName !== 'neighbour')
          const around = JSON.stringify(neighbour)
          const document = `{"neighbour":${around},${JSON.stringify(memberName)}:${'['.repeat(levels)}${defect}${']'.repeat(levels)}}`
          expect(problemOf(document).code).toBe(code)
          expect(problemOf(`["${'x'.repeat(20_000)}",${document}]`).code).toBe(code)
          expect(problemOf(defect).code).toBe(code)
        }),
        { numRuns: 60 },
      )
    })
  }

  test('the place is a pointer, or line and column for what cannot be parsed', () => {
    expect(problemOf('{"items":[{"name":"a"},{"name":"b","name":"c"}]}').pointer).toBe('#/items/1/name')
    expect(problemOf('{"a/b":{"__proto__":1}}').pointer).toBe('#/a~1b/__proto__')
    expect(problemOf('{"n":[1,9007199254740992]}').pointer).toBe('#/n/1')
    expect(problemOf('{"x":\n  [1,\n   oops]}').detail).toBe('Line 3, column 4: expected a JSON value.')
    expect(problemOf('{"a":1').detail).toBe('Line 1, column 7: expected a comma or }, but the body ends here.')
  })

  test('an empty body and a byte order mark are named as such', () => {
    expect(problemOf('')).toEqual({ code: 'json_invalid', detail: 'The body is empty; send a JSON value.' })
    expect(problemOf(' \n').detail).toContain('empty')
    expect(problemOf('\ufeff{}')).toMatchObject({ code: 'json_text_invalid' })
  })

  test('an answer stays short however long the name was', () => {
    const long = JSON.stringify('é'.repeat(100_000))
    const problem = problemOf(`{${long}:1,${long}:2}`)
    expect(problem.code).toBe('json_duplicate_member')
    expect(JSON.stringify(problem).length).toBeLessThan(300)
  })
})

describe('UTF-8', () => {
  test('text survives unchanged, byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeUtf8Strict(new TextEncoder().encode(text))).toBe(text)
      }),
    )
    expect(decodeUtf8Strict(new Uint8Array([0xef, 0xbb, 0xbf, 0x31]))).toBe('\ufeff1')
  })

  test('bytes that are not UTF-8 are refused, never replaced', () => {
    for (const bytes of [
      [0xff],
      [0xc3],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0x22, 0xe9, 0x22],
    ]) {
      expect(decodeUtf8Strict(new Uint8Array(bytes))).toBeNull()
    }
  })
})

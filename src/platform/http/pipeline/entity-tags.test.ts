import { describe, expect, test } from 'bun:test'
import { measureProcessorMs } from '../../../../test/support/processor-time.ts'
import { entityTag, readIfMatch } from './entity-tags.ts'

const accepts = (header: string, tag: string): boolean | null => {
  const result = readIfMatch(header)
  return result.ok ? (result.ifMatch?.accepts(tag) ?? null) : null
}

describe('If-Match', () => {
  test('may be missing', () => {
    expect(readIfMatch(null)).toEqual({ ok: true, ifMatch: null })
  })

  test('names a tag as it came, weak or strong, alone or among others, also where a tag holds commas', () => {
    const tag = entityTag('{"id":1}')
    const strong = tag.slice(2)
    for (const header of [tag, strong, ` ${tag} `, `"a,b", ${tag}`, `W/"x",${strong},"y"`, `, ,${tag},`, `"",${tag}`])
      expect([header, accepts(header, tag)]).toEqual([header, true])
    for (const header of ['"a"', 'W/"a", "b"', `"${strong.slice(1, -1)},"`, `"x${strong.slice(1)}`, '""'])
      expect([header, accepts(header, tag)]).toEqual([header, false])
  })

  test('with a star alone matches any state', () => {
    expect(['*', ' * '].map((header) => accepts(header, entityTag('x')))).toEqual([true, true])
  })

  test('that is empty, unquoted, half quoted, spaced or mixed with a star is refused with a sentence', () => {
    const malformed = [
      '',
      ' ',
      ',',
      'abc',
      'W/abc',
      '"abc',
      'abc"',
      'w/"abc"',
      'W/ "abc"',
      '"a" "b"',
      '"a b"',
      '*, "a"',
      '**',
    ]
    for (const header of malformed)
      expect([header, readIfMatch(header)]).toEqual([
        header,
        { ok: false, detail: expect.stringContaining('including their quotes') as never },
      ])
  })

  test('that is longer than all headers could be is refused by its length', () => {
    const list = (tags: number) => Array.from({ length: tags }, () => '"123456"').join(',')
    expect(readIfMatch(list(1_365)).ok).toBe(true)
    expect(readIfMatch(list(1_366))).toEqual({ ok: false, detail: 'If-Match must have at most 12288 characters.' })
  })

  test('that goes on and on is read in no time', () => {
    const takenMs = measureProcessorMs(() => {
      for (const part of [',', ' ', '"a",', '"a" ,', 'W/', '"']) readIfMatch(`${part.repeat(12_000 / part.length)}x`)
    })
    expect(takenMs).toBeLessThan(500)
  })
})

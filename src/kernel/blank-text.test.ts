import { expect, test } from 'bun:test'
import { isBlank, VISIBLE_OR_EMPTY_PATTERN, VISIBLE_PATTERN } from './blank-text.ts'

test.each([
  ['nothing', ''],
  ['spaces', '   '],
  ['a tab and line breaks', '\t\r\n'],
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['a zero-width space', '\u200b'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['direction marks', '\u200e\u202e\u2066'],
  ['a Hangul filler', '\u3164'],
  ['a Braille blank', '\u2800'],
  ['tag characters', '\u{e0020}\u{e0041}'],
])('a text of %s is blank', (_, text) => {
  expect(isBlank(text)).toBe(true)
})

test.each(['.', ' a ', '\u200bKopi', '❤️', '漢', 'ـ', '؀'])('the text %j is not blank', (text) => {
  expect(isBlank(text)).toBe(false)
})

test('the published patterns agree with the check for every character of the basic plane', () => {
  const [visible, orEmpty] = [VISIBLE_PATTERN, VISIBLE_OR_EMPTY_PATTERN].map((pattern) => new RegExp(pattern, 'u'))
  const differing = []
  for (let code = 1; code <= 0xffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const text = String.fromCharCode(code)
    if (visible?.test(text) === isBlank(text) || orEmpty?.test(text) === isBlank(text))
      differing.push(code.toString(16))
  }
  expect(differing).toEqual([])
  expect([visible?.test(''), orEmpty?.test('')]).toEqual([false, true])
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isBlank, nearestName, soundText, VISIBLE_OR_EMPTY_PATTERN, VISIBLE_PATTERN } from './text.ts'

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

test('what a database refuses is taken out, and everything else stays', () => {
  expect(soundText('a\u0000b')).toBe('ab')
  expect(soundText('a\ud83d')).toBe('a\ufffd')
  expect(soundText('Sari 👍')).toBe('Sari 👍')
})

test('a bound counts characters, not halves of them, and shows that something was cut', () => {
  expect(soundText('👍👍👍', 3)).toBe('👍👍👍')
  expect(soundText('👍👍👍👍', 3)).toBe('👍👍…')
})

const fields = [
  'billingType',
  'payment',
  'items',
  'unit_price',
  'expires_in_seconds',
  'customer',
  'to',
  'body',
  'status',
]

test('the same words in another spelling are recognised', () => {
  expect(nearestName('billing_type', fields)).toBe('billingType')
  expect(nearestName('unitPrice', fields)).toBe('unit_price')
  expect(nearestName('ExpiresInSeconds', fields)).toBe('expires_in_seconds')
  expect(nearestName('TO', fields)).toBe('to')
})

test('one slip of the fingers still finds the name', () => {
  expect(nearestName('staus', fields)).toBe('status')
  expect(nearestName('item', fields)).toBe('items')
  expect(nearestName('paymnet', fields)).toBe('payment')
  expect(nearestName('boddy', fields)).toBe('body')
  expect(nearestName('expire_in_second', fields)).toBe('expires_in_seconds')
})

test('a name that resembles nothing gets no suggestion', () => {
  for (const name of ['', 'x', 'zzz', 'colour', 'webhook_url', 'on', 'a'.repeat(10_000)]) {
    expect(nearestName(name, fields)).toBeNull()
  }
  expect(nearestName('status', [])).toBeNull()
})

test('of several the closest is taken', () => {
  expect(nearestName('created_befor', ['created_after', 'created_before', 'updated_before'])).toBe('created_before')
})

test('any single swap, loss, gain or change in a name of five letters or more is repaired', () => {
  const names = fields.filter((name) => name.length >= 5)
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('swap', 'drop', 'add', 'change'),
      (name, seed, slip) => {
        const at = seed % (name.length - 1)
        const [before, here, next, after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)]
        const typed = {
          swap: `${before}${next}${here}${after}`,
          drop: `${before}${next}${after}`,
          add: `${before}${here}q${next}${after}`,
          change: `${before}q${next}${after}`,
        }[slip]
        expect(nearestName(typed, fields)).toBe(name)
      },
    ),
  )
})

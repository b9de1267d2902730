import { expect, test } from 'bun:test'
import { soundText } from './sound-text.ts'

test('what a database refuses is taken out, and everything else stays', () => {
  expect(soundText('a\u0000b')).toBe('ab')
  expect(soundText('a\ud83d')).toBe('a\ufffd')
  expect(soundText('Sari 👍')).toBe('Sari 👍')
})

test('a bound counts characters, not halves of them, and shows that something was cut', () => {
  expect(soundText('👍👍👍', 3)).toBe('👍👍👍')
  expect(soundText('👍👍👍👍', 3)).toBe('👍👍…')
})

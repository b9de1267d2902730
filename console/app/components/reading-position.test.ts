import { expect, test } from 'bun:test'
import { countNew, hasGrownAbove } from './reading-position.ts'

const thread = (text: string) =>
  [...text].map((letter) => ({
    id: letter.toLowerCase(),
    direction: letter === letter.toLowerCase() ? ('inbound' as const) : ('outbound' as const),
  }))

test('older messages above the first are growth above; new ones below and a thread that was replaced are not', () => {
  expect(hasGrownAbove('c', thread('abcd'))).toBe(true)
  expect(hasGrownAbove('a', thread('abcde'))).toBe(false)
  expect(hasGrownAbove('a', thread('xyz'))).toBe(false)
  expect(hasGrownAbove('', thread('abc'))).toBe(false)
})

test('what the customer wrote since is counted, what we wrote is not', () => {
  expect(countNew('b', thread('abcDe'))).toBe(2)
  expect(countNew('c', thread('abcD'))).toBe(0)
  expect(countNew('c', thread('abc'))).toBeNull()
  expect(countNew('z', thread('abc'))).toBeNull()
})

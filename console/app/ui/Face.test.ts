import { expect, test } from 'bun:test'
import { initialsOf } from './Face.tsx'

test('initials are of the first two words, or the first two letters of one', () => {
  expect(initialsOf('Eko Santoso')).toBe('ES')
  expect(initialsOf('  sari ')).toBe('SA')
  expect(initialsOf('P 6')).toBe('P6')
})

test('a sign of a name is never cut in two', () => {
  expect(initialsOf('👑🐉 Ratu')).toBe('RA')
  expect(initialsOf('Ibu 👩‍👩‍👧‍👦 Ani')).toBe('IA')
  expect(initialsOf('👩‍👩‍👧‍👦🎉')).toBe('👩‍👩‍👧‍👦')
  expect(initialsOf('S❤️')).toBe('S')
  expect(initialsOf('')).toBe('')
})

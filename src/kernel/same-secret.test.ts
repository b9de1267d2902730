import { expect, test } from 'bun:test'
import { isSameSecret } from './same-secret.ts'

test('only the very same text is the same secret, and another length is no error', () => {
  expect(isSameSecret('hush', 'hush')).toBe(true)
  expect(['hush ', 'Hush', 'hus', ''].map((other) => isSameSecret('hush', other))).toEqual([false, false, false, false])
})

import { expect, test } from 'bun:test'
import { rupiah } from './Money.tsx'

test('money is written as in Indonesia', () => {
  expect(rupiah(1_925_100)).toBe('Rp 1.925.100')
})

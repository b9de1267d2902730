import { expect, test } from 'bun:test'
import { parseRupiah } from './rupiah-text.ts'

test.each([
  ['18000', 18_000],
  ['18.000', 18_000],
  ['18,000.00', 18_000],
  ['Rp 18.000,00', 18_000],
  ['Rp18000', 18_000],
  ['IDR 1,250,000', 1_250_000],
  ['1.250.000,00', 1_250_000],
  ['-5.000', -5_000],
  ['(5000)', -5_000],
  ['0', 0],
  ['5000.00', 5_000],
])('an amount written as %p is %p', (text, amount) => expect(parseRupiah(text)).toBe(amount))

test.each(['', 'abc', '18.00.0', '18.5', '1.2345', '18,000,00', '12 000', '99999999999999999999'])(
  '%p is no amount of whole rupiah',
  (text) => expect(parseRupiah(text)).toBeNull(),
)

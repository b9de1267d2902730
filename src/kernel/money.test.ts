import { expect, test } from 'bun:test'
import { MONEY_MAX, multiplyMoney, percentOf, sumMoney } from './money.ts'

test('a percentage is rounded half up to the rupiah', () => {
  expect([percentOf(25_000, 11), percentOf(50, 1), percentOf(49, 1), percentOf(150, 1), percentOf(33_333, 11)]).toEqual(
    [2750, 1, 0, 2, 3667],
  )
  expect(percentOf(1_000_000, 0.07)).toBe(700)
  expect(percentOf(MONEY_MAX, 100)).toBe(MONEY_MAX)
})

test('what does not fit into a double is noticed', () => {
  expect([sumMoney([MONEY_MAX, 1]), multiplyMoney(2 ** 40, 2 ** 20)]).toEqual([null, null])
  expect(sumMoney([MONEY_MAX, -1, 1])).toBe(MONEY_MAX)
})

import { expect, test } from 'bun:test'
import { countTokens, nextTokenAt } from './lane-rate.ts'

const at = (ms: number) => new Date(1_000_000 + ms)

test('a lane without a rate is never throttled', () => {
  expect(countTokens({ ratePerSecond: null, tokens: null, measuredAt: null }, at(0))).toBe(Number.POSITIVE_INFINITY)
  expect(nextTokenAt(null, 0, at(0))).toBeNull()
})

test('a bucket holds one second of its rate, however long it fills', () => {
  const rate = { ratePerSecond: 10, tokens: 0, measuredAt: at(0) }
  expect(countTokens(rate, at(500))).toBe(5)
  expect(countTokens(rate, at(60_000))).toBe(10)
})

test('a rate below one per second still lets one go, and then waits its time', () => {
  expect(countTokens({ ratePerSecond: 0.5, tokens: null, measuredAt: null }, at(0))).toBe(1)
  expect(nextTokenAt(0.5, 0, at(0))).toEqual(at(2_000))
})

test('a clock that went backwards takes no tokens away', () => {
  expect(countTokens({ ratePerSecond: 10, tokens: 3, measuredAt: at(1_000) }, at(0))).toBe(3)
})

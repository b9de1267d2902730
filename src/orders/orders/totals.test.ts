import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MONEY_MAX } from '../../kernel/money.ts'
import { computeTotals, type TotalsInput } from './totals.ts'

const totalsOf = (input: TotalsInput) => {
  const result = computeTotals(input)
  if (!result.ok) throw new Error(result.problem.code)
  return result.totals
}
const problemOf = (input: TotalsInput) => {
  const result = computeTotals(input)
  return result.ok ? null : [result.problem.pointer, result.problem.code]
}
const item = (unit_price: number, quantity = 1) => ({ name: 'Kopi', quantity, unit_price })

test('the parts of an order add up to the total', () => {
  const money = fc.integer({ min: 0, max: 1_000_000_000 })
  const share = fc.oneof(money, fc.record({ percent: fc.integer({ min: 0, max: 10_000 }).map((bp) => bp / 100) }))
  const input = fc.record({
    items: fc.array(
      fc.record({ name: fc.constant('x'), quantity: fc.integer({ min: 1, max: 999 }), unit_price: money }),
      {
        minLength: 1,
        maxLength: 20,
      },
    ),
    discount: share,
    shipping: money,
    tax: share,
  })
  fc.assert(
    fc.property(input, (given) => {
      const result = computeTotals(given)
      if (!result.ok) return result.problem.code === 'discount_too_large'
      const { items, subtotal, discount, shipping, tax, total } = result.totals
      const sum = items.reduce((whole, one) => whole + one.subtotal, 0)
      return subtotal === sum && total === subtotal - discount + shipping + tax && total >= 0
    }),
    { numRuns: 2000 },
  )
})

test('a tax percentage applies after the discount percentage', () => {
  expect(totalsOf({ items: [item(33_333)], discount: { percent: 10 }, tax: { percent: 11 } })).toMatchObject({
    discount: 3333,
    tax: 3300,
    total: 33_300,
  })
})

test('an amount is the total without items, and must match the total with items', () => {
  expect(totalsOf({ amount: 25_000 })).toMatchObject({ subtotal: 25_000, total: 25_000, items: [] })
  expect(totalsOf({ amount: 25_000, shipping: 5000 })).toMatchObject({ subtotal: 20_000, total: 25_000 })
  expect(totalsOf({ amount: 36_000, items: [item(18_000, 2)] }).total).toBe(36_000)
  expect(problemOf({ amount: 36_001, items: [item(18_000, 2)] })).toEqual(['#/amount', 'total_mismatch'])
  expect(problemOf({ amount: 1000, shipping: 2000 })).toEqual(['#/amount', 'total_mismatch'])
})

test('an order without items and amount is open, and refuses discount, shipping and tax', () => {
  expect(totalsOf({})).toMatchObject({ subtotal: null, total: null })
  expect(totalsOf({ items: [] }).total).toBeNull()
  expect(problemOf({ tax: 1 })).toEqual(['#/tax', 'total_unknown'])
  expect(problemOf({ amount: 10, tax: { percent: 1 } })).toEqual(['#/tax', 'total_unknown'])
})

test('totals that cannot be counted exactly are refused', () => {
  expect(problemOf({ items: [item(MONEY_MAX, 2)] })).toEqual(['#/items/0/unit_price', 'amount_too_large'])
  expect(problemOf({ items: [item(MONEY_MAX), item(MONEY_MAX)] })).toEqual(['#/items', 'amount_too_large'])
  expect(problemOf({ items: [item(MONEY_MAX)], shipping: 1 })).toEqual(['#/items', 'amount_too_large'])
  expect(problemOf({ items: [item(10)], discount: 11 })).toEqual(['#/discount', 'discount_too_large'])
})

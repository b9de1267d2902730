import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { taxOfItems } from './item-tax.ts'

const taxed = (subtotal: number, isIncluded: boolean, rateBps = 1100) => ({ subtotal, tax: { rateBps, isIncluded } })

test('the tax of one rate is rounded once, half up', () => {
  expect(taxOfItems([taxed(25_000, true)], 0)).toEqual({ added: 0, included: 2477 })
  expect(taxOfItems([taxed(111_000, true)], 0)).toEqual({ added: 0, included: 11_000 })
  expect(taxOfItems([taxed(25_000, false)], 0)).toEqual({ added: 2750, included: 0 })
  expect(taxOfItems([taxed(50, false, 100), taxed(50, false, 100)], 0)).toEqual({ added: 1, included: 0 })
  expect(taxOfItems([taxed(50, false, 100)], 0)).toEqual({ added: 1, included: 0 })
  expect(taxOfItems([{ subtotal: 50_000 }, { subtotal: 1, tax: null }], 0)).toEqual({ added: 0, included: 0 })
})

test('a discount reduces the taxed items in proportion', () => {
  const items = [taxed(60_000, false), { subtotal: 40_000 }]
  expect(taxOfItems(items, 10_000)).toEqual({ added: 5940, included: 0 })
  expect(taxOfItems(items, 100_000)).toEqual({ added: 0, included: 0 })
})

test('the contained tax is never more than the items cost, for any rate and discount', () => {
  const item = fc.record({
    subtotal: fc.integer({ min: 0, max: 1_000_000_000 }),
    tax: fc.record({ rateBps: fc.integer({ min: 0, max: 10_000 }), isIncluded: fc.boolean() }),
  })
  fc.assert(
    fc.property(
      fc.array(item, { minLength: 1, maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (items, part) => {
        const sum = items.reduce((whole, { subtotal }) => whole + subtotal, 0)
        const discount = Math.floor(sum * part)
        const tax = taxOfItems(items, discount)
        return tax !== null && tax.added >= 0 && tax.included >= 0 && tax.included <= sum - discount + items.length
      },
    ),
  )
})

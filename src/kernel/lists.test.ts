import { expect, test } from 'bun:test'
import { firstOf, itemAt, lastOf, storedValue } from './lists.ts'

test('an item, first and last item of a list are those at their positions', () => {
  expect([itemAt(['a', 'b'], 1), firstOf(['a', 'b']), lastOf(['a', 'b'])]).toEqual(['b', 'a', 'b'])
  expect(itemAt([undefined], 0)).toBeUndefined()
})

test('a position outside of the list or a key without a value throws', () => {
  for (const wrong of [() => itemAt(['a'], 1), () => itemAt(['a'], -1), () => firstOf([]), () => lastOf([])])
    expect(wrong).toThrow(RangeError)
  expect(() => storedValue(new Map([['a', 1]]), 'b')).toThrow('no value for b')
  expect(storedValue(new Map([['a', 0]]), 'a')).toBe(0)
})

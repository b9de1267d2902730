import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createBoundedQueue } from './request-log-queue.ts'

test('holds the newest within both limits, in order, and tells how many gave way', () => {
  const steps = fc.array(
    fc.oneof(fc.record({ push: fc.integer({ min: 1, max: 40 }) }), fc.record({ take: fc.integer({ min: 1, max: 5 }) })),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (plan) => {
      const queue = createBoundedQueue<number>({ itemsMax: 10, bytesMax: 100 })
      const model: { item: number; bytes: number }[] = []
      let next = 0
      for (const step of plan) {
        if ('take' in step) {
          const expected = model.splice(0, step.take).map(({ item }) => item)
          expect(queue.take(step.take, Number.POSITIVE_INFINITY)).toEqual(expected)
          continue
        }
        model.push({ item: next, bytes: step.push })
        let dropped = 0
        while (model.length > 10 || sum(model) > 100) {
          model.shift()
          dropped += 1
        }
        expect(queue.push(next, step.push)).toBe(dropped)
        next += 1
      }
      expect({ size: queue.size, bytes: queue.bytes }).toEqual({ size: model.length, bytes: sum(model) })
    }),
  )
})

const sum = (items: { bytes: number }[]) => items.reduce((total, { bytes }) => total + bytes, 0)

test('takes no more bytes than asked for, but always one', () => {
  const queue = createBoundedQueue<string>({ itemsMax: 10, bytesMax: 1000 })
  for (const [item, bytes] of [
    ['a', 30],
    ['b', 30],
    ['c', 90],
    ['d', 10],
  ] as const)
    queue.push(item, bytes)
  expect(queue.take(10, 65)).toEqual(['a', 'b'])
  expect(queue.take(10, 65)).toEqual(['c'])
  expect(queue.take(10, 65)).toEqual(['d'])
  expect(queue.take(10, 65)).toEqual([])
})

test('goes on for ever without growing', () => {
  const queue = createBoundedQueue<number>({ itemsMax: 100, bytesMax: 1_000_000 })
  for (let item = 0; item < 50_000; item++) queue.push(item, 1)
  expect(queue.size).toBe(100)
  expect(queue.take(1000, 1000)).toEqual(Array.from({ length: 100 }, (_, index) => 49_900 + index))
})

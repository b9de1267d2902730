import { expect, test } from 'bun:test'
import { compareNeighbours, median } from './question.ts'

test('rounds that ran side by side are compared, so a machine that changes its speed does not change the ratio', () => {
  const ours = [50, 10, 10, 10, 50, 50]
  const bare = [100, 20, 20, 20, 100, 100]
  expect(compareNeighbours(ours, bare)).toBe(0.5)
  const unlucky = { ours: [50, 10, 10], bare: [20, 100, 100] }
  expect(compareNeighbours(unlucky.ours, unlucky.bare)).toBe(0.1)
})

test('of an even number of values the median is between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

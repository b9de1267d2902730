import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { MEDIA_BYTES_MAX } from '../content/media-limits.ts'
import { createUploadBudget } from './upload-budget.ts'

function threeShares() {
  const budget = createUploadBudget()
  const share = () => budget(newId('org', Date.now()))
  return [share(), share(), share()] as const
}

test('an organization that has used up its share leaves room for the largest file of two others', () => {
  const [greedy, one, other] = threeShares()
  expect(greedy.take(2 * MEDIA_BYTES_MAX)).toBe(true)
  expect(greedy.take(1)).toBe(false)
  greedy.release(1)
  expect([one.take(MEDIA_BYTES_MAX), other.take(MEDIA_BYTES_MAX)]).toEqual([true, true])
})

test('all organizations together have a bound, and what was given back can be taken by anybody', () => {
  const [one, other, third] = threeShares()
  for (const share of [one, other]) share.take(2 * MEDIA_BYTES_MAX)
  expect(third.take(1)).toBe(false)
  third.release(1)
  other.release(1)
  expect(third.take(1)).toBe(true)
})

import { expect, test } from 'bun:test'
import { OrganizationQueue } from './organization-queue.ts'

const takeAll = (queue: OrganizationQueue, nowMs = 0) => {
  const taken: string[] = []
  for (let orgId = queue.take(nowMs); orgId !== null; orgId = queue.take(nowMs)) taken.push(orgId)
  for (const orgId of taken) queue.endClaim(orgId)
  return taken
}

test('organizations are claimed for in the order they became due, and one with more work goes to the end', () => {
  const queue = new OrganizationQueue()
  for (const orgId of ['a', 'b', 'c']) queue.noteDue(orgId)
  expect(queue.take(0)).toBe('a')
  queue.endClaim('a')
  queue.noteDue('a')
  expect(takeAll(queue)).toEqual(['b', 'c', 'a'])
})

test('an organization is not claimed for twice at the same time, and what is noted meanwhile is not lost', () => {
  const queue = new OrganizationQueue()
  queue.noteDue('a')
  expect(queue.take(0)).toBe('a')
  queue.noteDue('a')
  expect(queue.take(0)).toBeNull()
  queue.endClaim('a')
  expect(queue.take(0)).toBe('a')
})

test('work for a later moment waits for it, and an earlier moment wins', () => {
  const queue = new OrganizationQueue()
  queue.noteLater('a', 500)
  queue.noteLater('a', 300)
  queue.noteLater('a', 400)
  queue.noteLater('b', 900)
  expect([queue.waitMs(0), takeAll(queue, 299)]).toEqual([300, []])
  expect([takeAll(queue, 300), queue.waitMs(300)]).toEqual([['a'], 600])
})

test('what waits for room goes on when runs end: its own organization first, then as many others', () => {
  const queue = new OrganizationQueue()
  for (const orgId of ['a', 'b', 'c', 'd']) queue.holdBack(orgId)
  expect(takeAll(queue)).toEqual([])
  queue.noteRoom('c', 1)
  expect(takeAll(queue)).toEqual(['c', 'a'])
  queue.noteRoom('x', 5)
  expect(takeAll(queue)).toEqual(['b', 'd'])
})

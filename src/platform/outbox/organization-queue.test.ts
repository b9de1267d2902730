import { expect, test } from 'bun:test'
import type { OrgId } from '../../kernel/ids.ts'
import { OrganizationQueue } from './organization-queue.ts'

const takeAll = (queue: OrganizationQueue, nowMs = 0) => {
  const taken: OrgId[] = []
  for (let orgId = queue.take(nowMs); orgId !== null; orgId = queue.take(nowMs)) taken.push(orgId)
  for (const orgId of taken) queue.endClaim(orgId)
  return taken
}

test('organizations are claimed for in the order they became due, and one with more work goes to the end', () => {
  const queue = new OrganizationQueue()
  for (const orgId of ['org_a', 'org_b', 'org_c'] as const) queue.noteDue(orgId)
  expect(queue.take(0)).toBe('org_a')
  queue.endClaim('org_a')
  queue.noteDue('org_a')
  expect(takeAll(queue)).toEqual(['org_b', 'org_c', 'org_a'])
})

test('an organization is not claimed for twice at the same time, and what is noted meanwhile is not lost', () => {
  const queue = new OrganizationQueue()
  queue.noteDue('org_a')
  expect(queue.take(0)).toBe('org_a')
  queue.noteDue('org_a')
  expect(queue.take(0)).toBeNull()
  queue.endClaim('org_a')
  expect(queue.take(0)).toBe('org_a')
})

test('work for a later moment waits for it, and an earlier moment wins', () => {
  const queue = new OrganizationQueue()
  queue.noteLater('org_a', 500)
  queue.noteLater('org_a', 300)
  queue.noteLater('org_a', 400)
  queue.noteLater('org_b', 900)
  expect([queue.waitMs(0), takeAll(queue, 299)]).toEqual([300, []])
  expect([takeAll(queue, 300), queue.waitMs(300)]).toEqual([['org_a'], 600])
})

test('what waits for room goes on when runs end: its own organization first, then as many others', () => {
  const queue = new OrganizationQueue()
  for (const orgId of ['org_a', 'org_b', 'org_c', 'org_d'] as const) queue.holdBack(orgId)
  expect(takeAll(queue)).toEqual([])
  queue.noteRoom('org_c', 1)
  expect(takeAll(queue)).toEqual(['org_c', 'org_a'])
  queue.noteRoom('org_x', 5)
  expect(takeAll(queue)).toEqual(['org_b', 'org_d'])
})

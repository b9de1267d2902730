import { expect, test } from 'bun:test'
import { nextTryAt } from './next-try.ts'

const AT = '2026-11-14T09:30:00.000Z'
const LATER = '2026-11-14T09:31:00.000Z'
const saying = (details: Record<string, unknown>) => ({ answer: [{ code: 'outbox_breaker_open', says: '', details }] })

test('a delivery is tried at the later of its own time and what its endpoint waits for', () => {
  const delivery = { status: 'pending' as const, next_attempt_at: AT }
  expect(nextTryAt(delivery, undefined)).toBe(AT)
  expect(nextTryAt(delivery, saying({ until: LATER }))).toBe(LATER)
  expect(nextTryAt(delivery, saying({ until: null }))).toBe(AT)
  expect(nextTryAt({ ...delivery, next_attempt_at: LATER }, saying({ until: AT }))).toBe(LATER)
})

test('a delivery that is under way or over has no next try of its endpoint', () => {
  expect(nextTryAt({ status: 'in_flight', next_attempt_at: AT }, saying({ until: LATER }))).toBeNull()
  expect(nextTryAt({ status: 'succeeded', next_attempt_at: null }, saying({ until: LATER }))).toBeNull()
})

import { expect, test } from 'bun:test'
import { attemptsMax, drawRetryDelayMs, standardRetrySchedule, unseenOr } from './job.ts'

test('a run without its row is repeated while the row may still appear, and is over when that time has passed', () => {
  const enqueuedAt = new Date('2026-11-14T09:30:00Z')
  const claimed = (seconds: number) => ({ enqueuedAt, claimedAt: new Date(enqueuedAt.getTime() + seconds * 1000) })
  const gone = { kind: 'done' } as const
  expect(unseenOr(claimed(5), gone)).toEqual({ kind: 'retry', reason: 'row_unseen', verdict: 'neutral' })
  expect(unseenOr(claimed(61), gone)).toBe(gone)
})

test('the standard schedule makes twelve attempts over 75 hours and 42 minutes', () => {
  const totalMs = standardRetrySchedule.delaysMs.reduce((sum, delay) => sum + delay, 0)
  expect(attemptsMax(standardRetrySchedule)).toBe(12)
  expect(Math.floor(totalMs / 60_000)).toBe(75 * 60 + 42)
})

test('each wait is drawn between 80 and 120 per cent of its step', () => {
  expect(drawRetryDelayMs(standardRetrySchedule, 1, () => 0)).toBe(4_000)
  expect(drawRetryDelayMs(standardRetrySchedule, 1, () => 0.5)).toBe(5_000)
  expect(drawRetryDelayMs(standardRetrySchedule, 2, () => 0.999_999)).toBe(36_000)
})

test('after the last attempt there is no further wait', () => {
  expect(drawRetryDelayMs(standardRetrySchedule, 11, () => 0.5)).toBe(24 * 3_600_000)
  expect(drawRetryDelayMs(standardRetrySchedule, 12, () => 0.5)).toBeNull()
})

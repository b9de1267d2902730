import { expect, test } from 'bun:test'
import { attemptsMax, drawRetryDelayMs, standardRetrySchedule } from './retry-schedule.ts'

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

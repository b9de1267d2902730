import { expect, test } from 'bun:test'
import { clockTime, dayName, dayOf, shortDay } from './chat-times.ts'

/** 15 November, 00:30 in Jakarta; the day before in London. */
const JUST_AFTER_MIDNIGHT = '2026-11-14T17:30:00.000Z'

test('a day begins at midnight in Jakarta, wherever the reader is', () => {
  expect(dayOf(JUST_AFTER_MIDNIGHT)).toBe('2026-11-15')
  expect(dayOf('2026-11-14T16:59:59.999Z')).toBe('2026-11-14')
})

test('a clock shows 24 hours, in the way of each language', () => {
  expect([clockTime(JUST_AFTER_MIDNIGHT, 'en'), clockTime(JUST_AFTER_MIDNIGHT, 'id')]).toEqual(['00:30', '00.30'])
})

test('a short day has the day before the month in both languages', () => {
  expect([shortDay(JUST_AFTER_MIDNIGHT, 'en'), shortDay('2026-08-17T05:00:00.000Z', 'id')]).toEqual([
    '15 Nov',
    '17 Agu',
  ])
})

test('today and yesterday have names, earlier days are written out', () => {
  const now = Date.parse('2026-11-15T09:00:00.000Z')
  const names = [JUST_AFTER_MIDNIGHT, '2026-11-14T09:00:00.000Z', '2026-11-13T09:00:00.000Z'].map((iso) => [
    dayName(iso, 'en', now),
    dayName(iso, 'id', now),
  ])
  expect(names).toEqual([
    ['Today', 'Hari ini'],
    ['Yesterday', 'Kemarin'],
    [expect.stringMatching(/^Friday,? 13 November 2026$/), 'Jumat, 13 November 2026'],
  ])
})

import { expect, test } from 'bun:test'
import { shortId } from './Copy.tsx'
import { exactTime, hasCome, relativeTime, remainingText } from './Time.tsx'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

test('the remaining time is shown in two units, and as a clock in the last hour', () => {
  const left = [49 * HOUR_MS, 90 * MINUTE_MS, 61_000, 999]
  expect(left.map((ms) => remainingText(ms, 'en'))).toEqual(['2 d 1 h', '1 h 30 min', '01:01', '00:00'])
  expect(left.slice(0, 2).map((ms) => remainingText(ms, 'id'))).toEqual(['2 hr 1 jam', '1 jam 30 mnt'])
})

test('an instant is shown in the time of Jakarta, the day before the month', () => {
  expect(exactTime('2026-11-15T07:58:15.000Z', 'en')).toBe('15 Nov 2026, 14:58:15 WIB')
})

test('a time is shown in the largest unit that fits', () => {
  const now = Date.parse('2026-11-15T12:00:00.000Z')
  expect(relativeTime('2026-11-15T11:59:30.000Z', 'en', now)).toBe('30 sec. ago')
  expect(relativeTime('2026-11-13T12:00:00.000Z', 'en', now)).toBe('2 days ago')
  expect(relativeTime('2026-11-15T14:00:00.000Z', 'en', now)).toBe('in 2 hr.')
})

test('a moment has come when it is now or past, so that no future time is shown as ago', () => {
  const now = Date.parse('2026-11-15T12:00:00.000Z')
  const moments = ['2026-11-15T11:59:28.000Z', '2026-11-15T12:00:00.000Z', '2026-11-15T12:00:00.001Z']
  expect(moments.map((at) => hasCome(at, now))).toEqual([true, true, false])
})

test('a long id keeps its kind and its end', () => {
  expect(shortId('evt_01m7f3dzd9e21t6hhq52k1wyht')).toBe('evt_01m7…1wyht')
  expect(shortId('short')).toBe('short')
})

import { expect, test } from 'bun:test'
import { closedPeriodAt, weekdays } from './business-hours.ts'

const JAKARTA = 'Asia/Jakarta'
const workdays = weekdays.slice(0, 5).map((day) => ({ day, from: '08:00', to: '17:00' }))
/** 2026-11-16 is a Monday; Jakarta is seven hours ahead of UTC. */
const at = (text: string) => Date.parse(`${text}+07:00`)

test('the shop is open within its hours in its time zone, from the first minute to the last', () => {
  for (const open of ['2026-11-16T08:00:00', '2026-11-16T16:59:59', '2026-11-20T12:00:00'])
    expect(closedPeriodAt(workdays, JAKARTA, at(open))).toBeNull()
  for (const closed of ['2026-11-16T07:59:59', '2026-11-16T17:00:00', '2026-11-21T12:00:00'])
    expect(closedPeriodAt(workdays, JAKARTA, at(closed))).not.toBeNull()
})

test('one closed period has one name, from the end of the hours to their next start, over a weekend too', () => {
  const weekend = ['2026-11-20T17:00:10', '2026-11-21T12:00:00', '2026-11-23T07:59:00']
  const names = weekend.map((time) => closedPeriodAt(workdays, JAKARTA, at(time)))
  expect(names).toEqual(weekend.map(() => new Date(at('2026-11-20T17:00:00')).toISOString()))
  expect(closedPeriodAt(workdays, JAKARTA, at('2026-11-23T17:30:00'))).not.toBe(names[0] as string)
})

test('hours can pass midnight, cover a whole day, and a shop without hours is closed day by day', () => {
  const night = [{ day: 'saturday' as const, from: '18:00', to: '02:00' }]
  expect(closedPeriodAt(night, JAKARTA, at('2026-11-22T01:59:00'))).toBeNull()
  expect(closedPeriodAt(night, JAKARTA, at('2026-11-22T02:00:00'))).not.toBeNull()
  expect(closedPeriodAt([{ day: 'sunday', from: '00:00', to: '00:00' }], JAKARTA, at('2026-11-22T23:59:00'))).toBeNull()
  expect(closedPeriodAt([], JAKARTA, at('2026-11-22T10:00:00'))).toBe(new Date(at('2026-11-22T00:00:00')).toISOString())
})

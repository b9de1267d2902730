import { expect, test } from 'bun:test'
import { isTimeZone, timeZones } from './clock.ts'

test('a time zone exists when it is named as the database of zones names it', () => {
  for (const name of ['Asia/Jakarta', 'Asia/Jayapura', 'UTC', 'Asia/Calcutta', 'Asia/Kolkata'])
    expect([name, isTimeZone(name)]).toEqual([name, true])
  for (const name of ['', 'Jakarta', 'WIB', 'asia/jakarta', '+07:00', 'Asia/Jakarta ', 'Asia/Atlantis', '7'])
    expect([name, isTimeZone(name)]).toEqual([name, false])
})

test('every listed time zone exists when it is checked', () => {
  expect(timeZones().filter((name) => !isTimeZone(name))).toEqual([])
  expect(timeZones()).toContain('Asia/Jakarta')
})

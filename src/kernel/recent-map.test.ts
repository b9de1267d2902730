import { expect, spyOn, test } from 'bun:test'
import { RecentMap } from './recent-map.ts'

test('a full map drops what was used longest ago when something new is stored', () => {
  const map = new RecentMap<string, number>({ sizeMax: 2 })
  map.set('busy', 1)
  map.set('idle', 2)
  for (let nth = 0; nth < 100; nth++) {
    expect(map.get('busy')).toBe(1)
    map.set(`once-${nth}`, nth)
  }
  expect([map.get('busy'), map.get('idle'), map.get('once-99'), map.size]).toEqual([1, undefined, 99, 2])
})

test('a value that is stored again replaces the first and takes no second place', () => {
  const map = new RecentMap<string, number>({ sizeMax: 2 })
  map.set('one', 1)
  map.set('two', 2)
  map.set('two', 3)
  expect([map.get('one'), map.get('two'), map.size]).toEqual([1, 3, 2])
})

test('a value is dropped when it was not used for the time it may be unused, and kept while it is used', () => {
  let nowMs = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
  try {
    const map = new RecentMap<string, number>({ sizeMax: 10, unusedMsMax: 100 })
    map.set('busy', 1)
    map.set('idle', 2)
    nowMs = 80
    expect(map.get('busy')).toBe(1)
    nowMs = 120
    expect([map.get('idle'), map.get('busy'), map.size]).toEqual([undefined, 1, 1])
  } finally {
    clock.mockRestore()
  }
})

test('values that match are deleted, and others stay', () => {
  const map = new RecentMap<string, number>({ sizeMax: 10 })
  for (const value of [1, 2, 3, 4]) map.set(`number-${value}`, value)
  map.deleteWhere((value) => value % 2 === 0)
  expect([1, 2, 3, 4].map((value) => map.get(`number-${value}`))).toEqual([1, undefined, 3, undefined])
})

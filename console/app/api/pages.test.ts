import { expect, test } from 'bun:test'
import { countNew } from './pages.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }))
const count = (newest: string, shown: string) => countNew(rows(newest), rows(shown))

test('what came above the rows is new, and what came between them as well', () => {
  expect([count('fedcb', 'dcb'), count('edxcb', 'dcb'), count('ba', '')]).toEqual([2, 2, 2])
})

test('rows that moved up from below, where others no longer belong to the list, are not new', () => {
  expect([count('dba', 'dcb'), count('edba', 'dcb'), count('dcb', 'dcb')]).toEqual([0, 1, 0])
})

test('where nothing that is shown is left, all is new', () => {
  expect(count('zyx', 'dcb')).toBe(3)
})

test('a row can be new again', () => {
  const isNew = (row: { at: number }, shown: { at: number } | undefined) => row.at !== shown?.at
  const shown = [
    { id: 'a', at: 1 },
    { id: 'b', at: 1 },
  ]
  expect(
    countNew(
      [
        { id: 'b', at: 2 },
        { id: 'a', at: 1 },
      ],
      shown,
      isNew,
    ),
  ).toBe(1)
})

import { expect, test } from 'bun:test'
import { fromFirstValue } from './Chart.tsx'

const series = [{ name: 'paid', color: 'red', value: ({ paid }: { paid: number | null }) => paid }]
const shown = (...values: (number | null)[]) =>
  fromFirstValue(
    values.map((paid) => ({ paid })),
    series,
  ).map(({ paid }) => paid)

test('a chart begins with its first value and keeps every gap after it', () => {
  expect(shown(0, null, 0, 4, 0, null, 2, 0)).toEqual([4, 0, null, 2, 0])
  expect(shown(0, null)).toEqual([])
})

import { expect, test } from 'bun:test'
import { isFlat, judgeTrends, type Sample } from './trends.ts'

/** 60 minutes with noise; `grow` changes the sample of a minute. */
const anHour = (grow: (minute: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 60 }, (_, index) => ({
    ...{ minute: index + 1, pid: 1, requestsPerSecond: 80, serverFiles: 40 + (index % 3), postgresMegabytes: 300 },
    ...{
      serverMegabytes: 200 + 10 * (index % 5),
      workMegabytes: 5,
      deadShare: 2 + (index % 4),
      waiting: 3,
      lagSeconds: 0.1,
    },
    ...grow(index + 1),
  }))

const growing = (samples: Sample[]) => judgeTrends(samples).flatMap((trend) => (isFlat(trend) ? [] : [trend.name]))

test('a trend of samples is flat when they go up and down, warm up first or jump once', () => {
  expect(growing(anHour(() => ({})))).toEqual([])
  expect(growing(anHour((minute) => (minute < 10 ? { serverMegabytes: 20 * minute } : {})))).toEqual([])
  expect(growing(anHour((minute) => (minute === 58 ? { lagSeconds: 30, waiting: 9_000 } : {})))).toEqual([])
})

test('a trend of samples is not flat when a little leaks each minute', () => {
  const leaks = anHour((minute) => ({
    ...{ serverMegabytes: 200 + minute, serverFiles: 40 + minute / 4, postgresMegabytes: 300 + 2 * minute },
    ...{ workMegabytes: 5 + minute / 10, deadShare: 2 + minute / 6, waiting: 2 * minute, lagSeconds: minute / 10 },
  }))
  expect(growing(leaks)).toHaveLength(7)
})

test('a run has no verdict on trends when it is too short for one', () => {
  expect(judgeTrends(anHour(() => ({})).slice(0, 19))).toEqual([])
})

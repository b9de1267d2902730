import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { betterSample, createDatabaseClock } from './database-clock.ts'

const db = useTestDatabase()

const sample = (offsetMs: number, errorMs: number, takenMs = 0) => ({ offsetMs, errorMs, takenMs })

test('the sample with the shorter round trip counts when both can be right', () => {
  const [good, slow] = [sample(1000, 1), sample(5000, 5000, 30_000)]
  expect(betterSample(good, slow)).toBe(good)
  expect(betterSample({ ...slow, takenMs: 0 }, { ...good, takenMs: 30_000 })).toMatchObject({ offsetMs: 1000 })
})

test('a sample that is as good replaces an older one, and a worse one does so once the older has drifted', () => {
  const old = sample(1000, 1)
  expect(betterSample(old, sample(1000.5, 1, 30_000))).toMatchObject({ offsetMs: 1000.5 })
  expect(betterSample(old, sample(1001, 2, 10_000))).toBe(old)
  expect(betterSample(old, sample(1001, 2, 60_000))).toMatchObject({ offsetMs: 1001 })
})

test('a sample that contradicts the known one replaces it, however long its round trip', () => {
  expect(betterSample(sample(1000, 1), sample(61_000, 200, 30_000))).toMatchObject({ offsetMs: 61_000 })
})

test('the clock goes by the database and never goes back when the database does', async () => {
  let offsetMs = 0
  let samples = 0
  const shifted = {
    ...db.database,
    one: async () => {
      const row = await db.database.one<{ now_ms: number }>`
        select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`
      samples += 1
      return { now_ms: row.now_ms + offsetMs } as never
    },
  }
  const clock = createDatabaseClock(shifted, 5)
  await clock.start()
  try {
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000)
    offsetMs = 60_000
    await until(async () => clock.now() > Date.now() + 59_000)
    const ahead = clock.now()
    const seen = samples
    offsetMs = 0
    await until(async () => samples > seen + 2)
    expect(clock.now()).toBeGreaterThanOrEqual(ahead)
    expect(clock.now()).toBeLessThan(ahead + 1000)
  } finally {
    await clock.stop()
  }
})

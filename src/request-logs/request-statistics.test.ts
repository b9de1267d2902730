import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { firstIdAt, newId, type OrgId } from '../kernel/ids.ts'
import { ensurePartitions } from '../platform/database/daily-partitions.ts'
import { addDurations, durationBin, durationQuantile, requestSummaries } from './request-statistics.ts'

const db = useTestDatabase()
const HOUR_MS = 3_600_000
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
const hourAt = (offset: number) => ({
  from: new Date(startMs + offset * HOUR_MS),
  to: new Date(startMs + (offset + 1) * HOUR_MS),
})

beforeAll(() => ensurePartitions(db.database, { table: 'request_logs', idPrefix: 'req', retentionDays: 30 }, startMs))

const KINDS = JSON.stringify([{ status: 200 }, { status: 404 }, { status: 503 }])

/** Stores a batch row with calls of these kinds and this duration. */
async function aBatchRow(orgId: OrgId, atMs: number, kinds: readonly number[], durationMs = 2): Promise<void> {
  const id = `${firstIdAt('req', new Date(atMs)).slice(0, 14)}${newId('req').slice(14)}`
  const figures = kinds.flatMap((kind) => [kind, durationMs * 1000, 100])
  const calls = JSON.stringify({
    ids: kinds.map(() => id),
    figures,
    own: { [id]: { path: '/orders/x] "figures":[9]' } },
  })
  const errors = kinds.filter((kind) => kind > 0).length
  await db.database.run`
    insert into request_logs (org_id, id, call_count, error_count, kinds, calls)
    values (${orgId}, ${id}, ${kinds.length}, ${errors}, ${KINDS}, ${calls})`
}

describe('the summary of an hour', () => {
  test('counts calls, client errors and server errors per hour', async () => {
    const orgId = newId('org')
    await aBatchRow(orgId, startMs + 1000, [0, 0, 1])
    await aBatchRow(orgId, startMs + HOUR_MS - 1, [2, 2])
    await aBatchRow(orgId, startMs - HOUR_MS, [0])
    await aBatchRow(newId('org'), startMs + 1000, [0, 0, 0])
    const hours = [hourAt(-2), hourAt(-1), hourAt(0)]
    const summaries = await requestSummaries(db.database).summarize(orgId, hours)
    expect(summaries.map(({ calls, client_errors, server_errors }) => [calls, client_errors, server_errors])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [5, 1, 2],
    ])
  })

  test('of very many calls counts all of them and estimates the durations from a sample', async () => {
    const orgId = newId('org')
    const kinds = Array.from({ length: 500 }, (_, index) => (index % 10 === 0 ? 1 : index % 10 === 1 ? 2 : 0))
    for (let index = 0; index < 12; index += 1) await aBatchRow(orgId, startMs + index * 2000, kinds, 10)
    const [summary] = await requestSummaries(db.database).summarize(orgId, [hourAt(0)])
    expect(summary).toMatchObject({ calls: 6000, client_errors: 600, server_errors: 600 })
    expect(summary?.durations.reduce((sum, count) => sum + count, 0)).toBe(6000)
    expect(durationQuantile(summary?.durations ?? [], 0.5)).toBeCloseTo(10, -0.5)
  })
})

describe('durations', () => {
  test('are exact to within a tenth at every size', () => {
    for (const ms of [0.1, 0.5, 3, 47, 900, 30_000]) {
      const bins: number[] = []
      bins[durationBin(ms)] = 1
      const quantile = durationQuantile(
        Array.from(bins, (count) => count ?? 0),
        0.5,
      ) as number
      expect(Math.abs(quantile - ms) / ms).toBeLessThan(0.1)
    }
  })

  test('have quantiles near the observed values', () => {
    const bins = addDurations([], [])
    expect(durationQuantile(bins, 0.5)).toBeNull()
    let many: number[] = []
    for (let ms = 1; ms <= 1000; ms += 1) {
      const one: number[] = Array(durationBin(ms)).fill(0)
      one.push(1)
      many = addDurations(many, one)
    }
    expect(durationQuantile(many, 0.5) as number).toBeWithin(440, 560)
    expect(durationQuantile(many, 0.99) as number).toBeWithin(880, 1100)
  })
})

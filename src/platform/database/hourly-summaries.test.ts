import { describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { inventOrganization } from '../../../test/support/invented-organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type Hour, readHourlySummaries, type SummarySource } from './hourly-summaries.ts'

const db = useTestDatabase()
const HOUR_MS = 3_600_000
const to = new Date('2026-11-15T10:00:00Z')
const from = new Date(to.getTime() - 48 * HOUR_MS)
/** In the middle of the last hour. */
const now = new Date('2026-11-15T09:30:00Z')

function aSource(settlesAfterMs = 0) {
  const asked: number[] = []
  const source: SummarySource<{ hour: number }> = {
    kind: 'test',
    settlesAfterMs,
    async summarize(_: OrgId, hours: readonly Hour[]) {
      asked.push(...hours.map((hour) => hour.from.getTime()))
      return hours.map((hour) => ({ hour: hour.from.getTime() }))
    },
  }
  return { source, asked }
}
const request = (orgId: OrgId, timeMsMax = 10_000) => ({ orgId, from, to, now, timeMsMax })

describe('summaries of hours', () => {
  test('are complete, one per hour, and read every hour once', async () => {
    const { source, asked } = aSource()
    const { byHour, coveredFrom } = await readHourlySummaries(db.database, source, request(inventOrganization()))
    expect([byHour.size, coveredFrom]).toEqual([48, from])
    for (const [hour, summary] of byHour) expect(summary).toEqual({ hour })
    expect([asked.length, new Set(asked).size]).toEqual([48, 48])
  })

  test('are kept once an hour is over, so that only the current one is read again', async () => {
    const orgId = inventOrganization()
    await readHourlySummaries(db.database, aSource().source, request(orgId))
    const { source, asked } = aSource()
    expect((await readHourlySummaries(db.database, source, request(orgId))).byHour.size).toBe(48)
    expect(asked).toEqual([to.getTime() - HOUR_MS])
  })

  test('of hours that may still change are read again, the younger the sooner', async () => {
    const orgId = inventOrganization()
    const settlesAfterMs = 24 * HOUR_MS
    await readHourlySummaries(db.database, aSource(settlesAfterMs).source, request(orgId))
    const askedLater = async (minutes: number) => {
      const { source, asked } = aSource(settlesAfterMs)
      const later = new Date(now.getTime() + minutes * 60_000)
      await readHourlySummaries(db.database, source, { ...request(orgId), now: later })
      return asked.map((ms) => (to.getTime() - ms) / HOUR_MS).sort((one, other) => one - other)
    }
    // A minute later only the hour that is not over; ten minutes later those of the last two hours as well.
    expect(await askedLater(1)).toEqual([1])
    expect(await askedLater(10)).toEqual([1, 2, 3])
    expect((await askedLater(90)).length).toBeGreaterThan(5)
  })

  test('without time begin with the newest, say how far they got, and go on from there', async () => {
    const orgId = inventOrganization()
    const { source } = aSource()
    const slow = {
      ...source,
      summarize: async (...of: Parameters<typeof source.summarize>) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return source.summarize(...of)
      },
    }
    let [last, rounds] = [to, 0]
    for (; last > from && rounds < 50; rounds += 1) {
      const { coveredFrom, byHour } = await readHourlySummaries(db.database, slow, request(orgId, 1))
      expect(coveredFrom.getTime()).toBeLessThanOrEqual(last.getTime())
      for (let ms = coveredFrom.getTime(); ms < to.getTime(); ms += HOUR_MS) expect(byHour.has(ms)).toBe(true)
      last = coveredFrom
    }
    expect(last).toEqual(from)
    expect(rounds).toBeGreaterThan(1)
  })

  test('of one organization and kind are not those of another', async () => {
    const orgId = inventOrganization()
    await readHourlySummaries(db.database, aSource().source, request(orgId))
    const [other, otherKind] = [aSource(), aSource()]
    await readHourlySummaries(db.database, other.source, request(inventOrganization()))
    await readHourlySummaries(db.database, { ...otherKind.source, kind: 'another' }, request(orgId))
    expect([other.asked.length, otherKind.asked.length]).toEqual([48, 48])
  })
})

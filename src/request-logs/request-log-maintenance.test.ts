import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { quietLog } from '../../test/support/log.ts'
import { fixedClock } from '../kernel/clock.ts'
import { createRequestLogMaintenance } from './request-log-maintenance.ts'

const db = useTestDatabase()
const DAY_MS = 24 * 3600 * 1000

test('partitions are there before they are needed and go after the retention time', async () => {
  const clock = fixedClock(Date.parse('2026-11-14T12:00:00Z'))
  const maintain = async () => {
    const maintenance = createRequestLogMaintenance({ database: db.database, clock, log: quietLog, retentionDays: 30 })
    await maintenance.start()
    await maintenance.stop()
    const rows = await db.database.many<{ name: string }>`
      select relid::text as name from pg_partition_tree('request_logs') where isleaf order by 1`
    return rows.map((row) => row.name)
  }
  const ahead = await maintain()
  expect(ahead).toContain('request_logs_20261114')
  expect(ahead).toContain('request_logs_20261116')
  clock.advance(31 * DAY_MS)
  const later = await maintain()
  expect(later).not.toContain('request_logs_20261114')
  expect(later).toContain('request_logs_20261115')
  expect(later).toContain('request_logs_20261217')
})

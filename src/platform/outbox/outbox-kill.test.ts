import { expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { enqueue } from './entries.ts'
import { ensureLane } from './lanes.ts'

const db = useTestDatabase()
const ENTRIES = 400
const IN_FLIGHT_MAX = 16

function startWorker(processId: string): ChildProcess {
  const script = join(import.meta.dirname, 'outbox-worker.suite.ts')
  return spawn(process.execPath, [script, db.url, processId], { stdio: 'inherit' })
}

const counts = () =>
  db.database.one<{ arrivals: number; left: number }>`
    select (select count(*)::int from arrivals) as arrivals, (select count(*)::int from outbox_entries) as left`

test('workers killed at random moments lose nothing, finish nothing twice, and repeat only what was in flight', async () => {
  await db.database.script('create table ledger (entry_id text, lease_number int, disposition text)')
  await db.database.script('create table arrivals (entry_id text, attempt int, process_id text)')
  for (let lane = 0; lane < 4; lane++)
    await ensureLane(db.database, { id: `lane_${lane}`, orgId: 'org_one', kind: 'test', isAdaptive: false })
  await enqueue(
    db.database,
    Array.from({ length: ENTRIES }, (_, index) => ({
      id: `ent_${index}`,
      laneId: `lane_${index % 4}`,
      orgId: 'org_one',
      job: 'test.work',
    })),
  )
  const kills = 3
  for (let kill = 0; kill < kills; kill++) {
    const before = (await counts()).arrivals
    const worker = startWorker(`prc_killed_${kill}`)
    await until(async () => (await counts()).arrivals > before + 20)
    worker.kill('SIGKILL')
  }
  const survivor = startWorker('prc_survivor')
  try {
    await until(async () => (await counts()).left === 0)
  } finally {
    survivor.kill('SIGKILL')
  }
  const ledger = await db.database.many<{
    entry_id: string
    disposition: string
  }>`select entry_id, disposition from ledger`
  expect(ledger).toHaveLength(ENTRIES)
  expect(new Set(ledger.map((row) => row.entry_id)).size).toBe(ENTRIES)
  expect(ledger.every((row) => row.disposition === 'done')).toBe(true)
  const repeated = (await counts()).arrivals - ENTRIES
  expect(repeated).toBeLessThanOrEqual(kills * IN_FLIGHT_MAX)
  const again = await db.database.many<{ entry_id: string; attempts: number[] }>`
    select entry_id, array_agg(attempt order by attempt) as attempts from arrivals group by entry_id having count(*) > 1`
  for (const { attempts } of again) expect(attempts).toEqual([...new Set(attempts)])
})

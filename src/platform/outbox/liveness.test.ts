import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { movableClock } from '../../../test/support/webhooks.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import { upsertProcess } from '../cluster/live-processes.sql.ts'
import { createProcessLock } from '../cluster/process-lock.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { enqueue } from './entries.ts'
import { defineJob } from './job.ts'
import { ensureLane } from './lanes.ts'
import { reapLeases } from './maintenance-tasks.ts'
import { createOutbox, type Outbox } from './outbox.ts'

/** Two processes over one database, each with separate connections and a separate clock. */
const db = useTestDatabase()

let undo: (() => Promise<void>)[] = []
beforeEach(async () => {
  await db.database.script('truncate outbox_entries, outbox_lanes, outbox_key_gaps; delete from processes')
  await ensureLane(db.database, { id: 'lane', orgId: 'org_one', kind: 'test' })
})
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

type Started = { outbox: Outbox; database: Database; runs: string[]; finish: () => void }

/** Its runs last until `finish`. */
async function startProcess(name: string, clock: Clock = systemClock): Promise<Started> {
  const database = openDatabase({ url: db.url, connectionsMax: 4, applicationName: name })
  await database.lookForShards()
  const finished = Promise.withResolvers<void>()
  const runs: string[] = []
  const job = defineJob({
    name: 'test.work',
    retry: { delaysMs: [20, 20, 20], jitter: 0 },
    run: async (entry) => {
      runs.push(entry.id)
      await finished.promise
      return { kind: 'done' }
    },
  })
  await upsertProcess(database, {
    id: name as Id<'prc'>,
    role: 'all',
    host: 'here',
    pid: 1,
    version: '1',
    hasLock: true,
  })
  const outbox = createOutbox({
    ...{ database, clock, log: quietLog, processId: name, jobs: [job] },
    pace: { scoutEveryMs: 20, reapEveryMs: 20, drainMs: 200 },
  })
  await outbox.start()
  undo.push(async () => {
    finished.resolve()
    await outbox.stop()
    await database.close()
  })
  return { outbox, database, runs, finish: finished.resolve }
}

const LONG_DUE = { laneId: 'lane', orgId: 'org_one' as const, job: 'test.work', dueAt: new Date(0) }

const leaseHolders = async () =>
  (await db.database.many<{ leased_by: string }>`select leased_by from outbox_entries where state = 'leased'`).map(
    (row) => row.leased_by,
  )

/** What the reaper of another process takes, by the clock of the database. */
const countReaped = async () => (await reapLeases(db.database, new Date())).reaped

const sayLastSeen = (name: string, ago: string) =>
  db.database.run`update processes set seen_at = now() - ${ago}::text::interval where id = ${name}`

describe('the leases of a live process', () => {
  test.each([
    ['is 100 s behind', -100_000],
    ['is 100 s ahead', 100_000],
  ])('stay when its clock %s', async (_, offsetMs) => {
    const odd = await startProcess('prc_odd', { now: () => Date.now() + offsetMs })
    await enqueue(db.database, [{ ...LONG_DUE, id: 'ent_1' }])
    await until(() => odd.runs.length === 1)
    const other = await startProcess('prc_other')
    expect(await countReaped()).toBe(0)
    expect(await leaseHolders()).toEqual(['prc_odd'])
    odd.finish()
    await until(async () => (await leaseHolders()).length === 0)
    expect([odd.runs, other.runs]).toEqual([['ent_1'], []])
  })

  test('stay when its clock steps back while it runs', async () => {
    const clock = movableClock()
    const stepping = await startProcess('prc_stepping', clock)
    await enqueue(db.database, [{ ...LONG_DUE, id: 'ent_1' }])
    await until(() => stepping.runs.length === 1)
    const other = await startProcess('prc_other')
    clock.advance(-100_000)
    expect(await countReaped()).toBe(0)
    expect(await leaseHolders()).toEqual(['prc_stepping'])
    expect(other.runs).toEqual([])
  })

  test('stay when the clock of the database steps ahead of its last sign of life', async () => {
    const holder = await startProcess('prc_holder')
    await enqueue(db.database, [{ ...LONG_DUE, id: 'ent_1' }])
    await until(() => holder.runs.length === 1)
    await sayLastSeen('prc_holder', '1 hour')
    expect(await countReaped()).toBe(0)
    expect(await leaseHolders()).toEqual(['prc_holder'])
  })

  test('stay when its listening connection breaks', async () => {
    const holder = await startProcess('prc_holder')
    await enqueue(db.database, [{ ...LONG_DUE, id: 'ent_1' }])
    await until(() => holder.runs.length === 1)
    const locks = () => db.database.one<{ count: number }>`
      select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and application_name = 'prc_holder'`
    expect((await locks()).count).toBe(1)
    await db.database.run`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'prc_holder' and query like 'listen%'`
    await until(async () => (await locks()).count === 1)
    const row = () => db.database.one<{ lost_at: Date | null }>`select lost_at from processes where id = 'prc_holder'`
    await until(async () => (await row()).lost_at === null)
    expect(await countReaped()).toBe(0)
    expect(await leaseHolders()).toEqual(['prc_holder'])
  })
})

const addCutProcess = () =>
  upsertProcess(db.database, { id: 'prc_cut', role: 'all', host: 'here', pid: 1, version: '1', hasLock: true })

const isLost = async () =>
  (
    await db.database.one<{ is_lost: boolean }>`
    select lost_at is not null as is_lost from processes where id = 'prc_cut'`
  ).is_lost

test('a process without its listening connection gives a sign of life by another one until it is back', async () => {
  await addCutProcess()
  const lock = createProcessLock(db.database, 'prc_cut')
  await reapLeases(db.database, new Date())
  expect(await isLost()).toBe(true)
  lock.onLost()
  await until(async () => !(await isLost()))
  await reapLeases(db.database, new Date())
  await until(async () => !(await isLost()))
  lock.onOpen()
})

test('a process gives one more sign of life when its listening connection is back', async () => {
  await addCutProcess()
  const lock = createProcessLock(db.database, 'prc_cut')
  await reapLeases(db.database, new Date())
  lock.onLost()
  await until(async () => !(await isLost()))
  await reapLeases(db.database, new Date())
  lock.onOpen()
  await until(async () => !(await isLost()))
})

describe('the leases of a dead process', () => {
  const died = async (fields: { hasLock: boolean }) => {
    await upsertProcess(db.database, { id: 'prc_dead', role: 'all', host: 'here', pid: 1, version: '1', ...fields })
    await enqueue(db.database, [{ ...LONG_DUE, id: 'ent_1' }])
    await db.database.script(`
      update outbox_entries set state = 'leased', leased_by = 'prc_dead', lease_until = now() + interval '1 minute', attempt = 1;
      update outbox_lanes set in_flight = 1`)
  }

  test('are taken within 3 s of the start of its successor', async () => {
    await died({ hasLock: true })
    const startedMs = performance.now()
    const successor = await startProcess('prc_successor')
    await until(() => successor.runs.length === 1)
    expect(performance.now() - startedMs).toBeLessThan(3_000)
  })

  test('are left alone for 15 s when it is of a version without a lock', async () => {
    await died({ hasLock: false })
    const successor = await startProcess('prc_successor')
    expect(await countReaped()).toBe(0)
    expect(await leaseHolders()).toEqual(['prc_dead'])
    await sayLastSeen('prc_dead', '15 s')
    await until(() => successor.runs.length === 1)
  })
})

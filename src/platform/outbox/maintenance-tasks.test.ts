import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { upsertProcess } from '../cluster/live-processes.sql.ts'
import { laneStatus } from './lanes.ts'
import { listDue } from './maintenance.sql.ts'
import { reapLeases, recountLanes, renewEntries } from './maintenance-tasks.ts'
import { stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, now, pass, addLane, add, claim, ack } = steps
beforeEach(steps.clear)

const lane = (id: string) => ({ orgId: 'org_one' as const, id })

describe('the reaper', () => {
  test('gives the entries of a dead process to another: same id, next attempt, as a retry', async () => {
    await addLane({ id: 'lane', concurrencyMax: 2 })
    await add('lane', 2)
    const dead = (await claim({ processId: 'prc_dead' })).entries
    await pass(50_000)
    expect((await reapLeases(db.database, now())).reaped).toBe(0)
    await pass(10_000)
    expect(await reapLeases(db.database, now())).toMatchObject({ reaped: 2, orgIds: ['org_one'] })
    const taken = (await claim({ processId: 'prc_heir' })).entries
    expect(taken.map((entry) => entry.id).sort()).toEqual(dead.map((entry) => entry.id).sort())
    expect(taken.map((entry) => [entry.attempt, entry.class])).toEqual([
      [2, 'retry'],
      [2, 'retry'],
    ])
  })

  test('leaves alone what was acknowledged or renewed in time', async () => {
    await addLane({ id: 'lane', concurrencyMax: 3 })
    await add('lane', 3)
    const [acked, renewed, lost] = (await claim()).entries
    await pass(50_000)
    if (!acked || !renewed || !lost) throw new Error('three were claimed')
    await ack([acked])
    expect(await renewEntries(db.database, [renewed])).toEqual([])
    await pass(10_000)
    expect((await reapLeases(db.database, now())).reaped).toBe(1)
    expect(await renewEntries(db.database, [renewed, lost])).toEqual([lost])
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(1)
  })

  test('frees the caps of a tenant when the process that fills them falls silent', async () => {
    await addLane({ id: 'lane', concurrencyMax: 2 })
    await addLane({ id: 'other', concurrencyMax: 2 })
    await add('lane', 2)
    const row = { role: 'all', host: 'here', pid: 1, version: '1' }
    await upsertProcess(db.database, { ...row, id: 'prc_silent' })
    await upsertProcess(db.database, { ...row, id: 'prc_alive' })
    await db.database.run`update outbox_lanes set answered_at = ${now()}`
    await claim({ processId: 'prc_silent', tenantInFlightMax: 3 })
    await add('other', 2)
    await claim({ processId: 'prc_alive', tenantInFlightMax: 3 })
    await db.database.run`update processes set seen_at = now() - interval '14 s' where id = 'prc_silent'`
    expect((await reapLeases(db.database, now())).reaped).toBe(0)
    expect((await claim({ processId: 'prc_alive', tenantInFlightMax: 3 })).entries).toEqual([])
    await db.database.run`update processes set seen_at = now() - interval '15 s' where id = 'prc_silent'`
    expect(await reapLeases(db.database, now())).toMatchObject({ reaped: 2, orgIds: ['org_one'] })
    expect((await claim({ processId: 'prc_alive', tenantInFlightMax: 3 })).entries).toHaveLength(2)
  })

  test('the head of a key that was reaped is still the head', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 3, { orderKey: 'k' })
    await claim()
    await pass(60_000)
    await reapLeases(db.database, now())
    expect((await claim()).entries.map((entry) => entry.id)).toEqual([ids[0] as string])
  })
})

test('counters that do not match the leases are put right', async () => {
  await addLane({ id: 'lane', concurrencyMax: 2 })
  await add('lane', 4)
  await claim({ entriesMax: 1 })
  await db.database.script(`update outbox_lanes set in_flight = 2, bulk_in_flight = 1`)
  expect((await claim()).entries).toHaveLength(0)
  expect(await recountLanes(db.database)).toBe(1)
  expect(await recountLanes(db.database)).toBe(0)
  expect((await claim()).entries).toHaveLength(1)
})

describe('the scout', () => {
  const dueUntil = async (ms: number) =>
    Object.fromEntries((await listDue(db.database, new Date(clock.now() + ms))).map((row) => [row.org_id, row.due_at]))

  test('names the organizations with work that may go soon, and when', async () => {
    for (const id of ['due', 'later', 'much_later', 'empty', 'paused', 'full'])
      await addLane({ id, orgId: `org_${id}`, concurrencyMax: 1 })
    const [due] = [new Date(clock.now() - 5_000)]
    const soon = new Date(clock.now() + 1_000)
    await add('due', 2, { dueAt: due })
    await add('later', 1, { dueAt: soon })
    await add('much_later', 1, { dueAt: new Date(clock.now() + 10_000) })
    await add('paused', 1)
    await add('full', 2)
    await claim({ orgId: 'org_full' })
    await db.database.script(`update outbox_lanes set state = 'paused' where id = 'paused'`)
    expect(await dueUntil(2_000)).toEqual({ org_due: due, org_later: soon })
  })

  test('names lanes that hold entries but do not exist', async () => {
    await add('nowhere', 1)
    expect(await listDue(db.database, now())).toEqual([
      { org_id: 'org_one', due_at: null, missing_lane_ids: ['nowhere'] },
    ])
  })

  test('respects a block: the organization is due when it ends', async () => {
    await addLane({ id: 'lane', ratePerSecond: 1 })
    await add('lane', 1)
    await ack((await claim()).entries)
    await add('lane', 1)
    expect(await dueUntil(999)).toEqual({})
    expect(await dueUntil(1_000)).toEqual({ org_one: new Date(clock.now() + 1_000) })
  })
})

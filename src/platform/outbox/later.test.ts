import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { cancelEntries, enqueue, explainEntry, hastenEntries, rescheduleEntries } from './entries.ts'
import { closeLane, deleteLane, laneStatus } from './lanes.ts'
import { moveLater } from './maintenance-tasks.ts'
import { stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, now, addLane, add, claim, turn } = steps
beforeEach(async () => {
  await steps.clear()
  await db.database.run`delete from outbox_later`
})

const lane = { orgId: 'org_one' as const, id: 'lane' }
const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS)
const near = async () =>
  (await db.database.many<{ id: string }>`select id from outbox_entries order by id`).map(({ id }) => id)
const aside = async () =>
  (await db.database.many<{ id: string }>`select id from outbox_later order by id`).map(({ id }) => id)

test('work for a far moment is put aside, comes back in time and runs when it is due', async () => {
  await addLane({ id: 'lane' })
  const far = await add('lane', 2, { dueAt: inHours(24) })
  const soon = await add('lane', 1, { dueAt: inHours(0.1) })
  await moveLater(db.database, now())
  expect([await aside(), await near()]).toEqual([far, soon])
  clock.advance(24 * HOUR_MS - 4 * 60_000)
  await moveLater(db.database, now())
  expect(await aside()).toEqual([])
  expect(await turn()).toEqual(soon)
  clock.advance(4 * 60_000)
  expect((await turn()).sort()).toEqual(far)
})

test('what has a key stays, unless its place in the key is its time', async () => {
  await addLane({ id: 'lane' })
  const dueAt = inHours(2)
  const [stays] = await add('lane', 1, { dueAt, orderKey: 'k', position: 1 })
  const [scheduled] = await add('lane', 1, { dueAt, orderKey: 'chat:scheduled', position: dueAt.getTime() })
  const [bulk] = await add('lane', 1, { dueAt, class: 'bulk' })
  await moveLater(db.database, now())
  expect([await aside(), await near()]).toEqual([[scheduled as string], [stays, bulk] as string[]])
})

describe('work that was put aside', () => {
  const setUp = async (count = 2) => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', count, { dueAt: inHours(24) })
    await moveLater(db.database, now())
    expect(await aside()).toEqual(ids)
    return ids
  }

  test('is cancelled, rescheduled and hastened like any other', async () => {
    const [first, second, third] = (await setUp(3)) as [string, string, string]
    expect((await db.database.transaction((tx) => cancelEntries(tx, lane, [first]))).changed).toEqual([first])
    await db.database.transaction((tx) => rescheduleEntries(tx, lane, { ids: [second], dueAt: now() }))
    expect(await turn()).toEqual([second])
    await db.database.transaction((tx) => hastenEntries(tx, lane, { limit: 10, now: now() }))
    expect(await turn()).toEqual([third])
    expect([await aside(), await near()]).toEqual([[], []])
  })

  test('is counted and explained, and enqueued again it is left as it is', async () => {
    const [id] = (await setUp(1)) as [string]
    expect((await laneStatus(db.database, lane, now()))?.pending).toBe(1)
    const story = await explainEntry(db.database, { orgId: 'org_one', id }, now())
    expect(story).toMatchObject({ reason: 'not_due', until: inHours(24) })
    expect(await enqueue(db.database, [{ id, laneId: 'lane', orgId: 'org_one', job: 'test.work' }])).toBe(0)
    expect((await claim()).entries).toEqual([])
  })

  test('keeps its lane, and ends when the lane is closed', async () => {
    await setUp()
    expect(await db.database.transaction((tx) => deleteLane(tx, lane))).toBe(false)
    const closing = await db.database.transaction((tx) => closeLane(tx, lane, { pending: 'cancel', reason: 'gone' }))
    expect([closing.cancelled, await aside()]).toEqual([2, []])
    expect(await db.database.transaction((tx) => deleteLane(tx, lane))).toBe(true)
  })
})

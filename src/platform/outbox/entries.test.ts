import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import {
  cancelEntries,
  enqueue,
  explainEntry,
  holdEntries,
  listKeyEntries,
  listLaneEntries,
  releaseEntries,
  rescheduleEntries,
} from './entries.ts'
import { laneStatus } from './lanes.ts'
import { reapLeases } from './maintenance-tasks.ts'
import { FAILS, stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, now, pass, addLane, add, claim, ack, turn } = steps
beforeEach(steps.clear)

const lane = (id: string) => ({ orgId: 'org_one' as const, id })

const tx: (typeof db)['database']['transaction'] = (work) => db.database.transaction(work)

describe('enqueue', () => {
  test('entries appear with the transaction that enqueued them, and not without it', async () => {
    await addLane({ id: 'lane' })
    const entry = { laneId: 'lane', orgId: 'org_one' as const, job: 'test.work' }
    const failed = tx(async (t) => {
      await enqueue(t, [{ ...entry, id: 'lost' }])
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    await tx((t) => enqueue(t, [{ ...entry, id: 'kept', payload: { note: 'a "quoted" \\ {brace}' } }]))
    const { entries } = await claim()
    expect(entries).toMatchObject([{ id: 'kept', attempt: 1, payload: { note: 'a "quoted" \\ {brace}' } }])
  })

  test('an id that is still in the outbox is not enqueued again', async () => {
    await addLane({ id: 'lane' })
    const entry = { id: 'same', laneId: 'lane', orgId: 'org_one' as const, job: 'test.work' }
    expect(await enqueue(db.database, [entry])).toBe(1)
    expect(await enqueue(db.database, [entry, { ...entry, id: 'new' }])).toBe(1)
    expect(await enqueue(db.database, [])).toBe(0)
  })

  test('a payload over 8 KiB is refused', async () => {
    const entry = {
      id: 'big',
      laneId: 'lane',
      orgId: 'org_one' as const,
      job: 'test.work',
      payload: { text: 'x'.repeat(9_000) },
    }
    await expect(enqueue(db.database, [entry])).rejects.toThrow('outbox_entries_payload_small')
  })
})

describe('cancel', () => {
  test('takes out what waits, says what is in flight, and frees the key behind it', async () => {
    await addLane({ id: 'lane', concurrencyMax: 1 })
    const [running, head, next] = [...(await add('lane', 1)), ...(await add('lane', 2, { orderKey: 'k' }))] as [
      string,
      string,
      string,
    ]
    const { entries } = await claim()
    expect(entries.map((entry) => entry.id)).toEqual([running])
    const change = await tx((t) => cancelEntries(t, lane('lane'), [running, head, 'unknown']))
    expect(change).toEqual({ changed: [head], inFlight: [running] })
    const { results } = await ack(entries, FAILS)
    expect(results[0]?.disposition).toBe('cancelled')
    expect(await turn()).toEqual([next])
    expect(await turn()).toEqual([])
  })

  test('an entry of another lane is left alone', async () => {
    await addLane({ id: 'lane' })
    await addLane({ id: 'other' })
    const ids = await add('other', 1)
    expect(await tx((t) => cancelEntries(t, lane('lane'), ids))).toEqual({ changed: [], inFlight: [] })
    expect(await turn()).toEqual(ids)
  })

  test('an entry that was cancelled in flight and whose process died ends with its lease', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 1)
    await claim()
    await tx((t) => cancelEntries(t, lane('lane'), ids))
    await pass(61_000)
    expect((await reapLeases(db.database, now())).reaped).toBe(1)
    expect(await turn()).toEqual([])
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(0)
  })

  test('of a cancel and a claim at the same moment exactly one gets the entry', async () => {
    await addLane({ id: 'lane', concurrencyMax: 100 })
    for (let round = 0; round < 10; round++) {
      const ids = await add('lane', 5)
      const [change, claimed] = await Promise.all([tx((t) => cancelEntries(t, lane('lane'), ids)), claim()])
      const taken = claimed.entries.map((entry) => entry.id)
      expect([...change.changed, ...taken].sort()).toEqual(ids)
      expect(change.inFlight.every((id) => taken.includes(id))).toBe(true)
      await ack(claimed.entries)
    }
  })
})

describe('hold', () => {
  test('a held entry waits until it is released, and blocks its key meanwhile', async () => {
    await addLane({ id: 'lane' })
    const [head, next] = await add('lane', 2, { orderKey: 'k' })
    const [free] = await add('lane', 1)
    await tx((t) => holdEntries(t, lane('lane'), [head as string]))
    expect(await turn()).toEqual([free as string])
    expect((await explainEntry(db.database, { orgId: 'org_one', id: head as string }, now()))?.reason).toBe('held')
    await tx((t) => releaseEntries(t, lane('lane'), null, now()))
    expect([...(await turn()), ...(await turn())]).toEqual([head, next] as string[])
  })

  test('one in flight is held when it comes back, unless it is released before', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 2)
    const { entries } = await claim()
    expect((await tx((t) => holdEntries(t, lane('lane'), ids))).inFlight.sort()).toEqual(ids)
    await tx((t) => releaseEntries(t, lane('lane'), [ids[1] as string], now()))
    await ack(entries, FAILS)
    clock.advance(5_000)
    expect(await turn()).toEqual([ids[1] as string])
    await tx((t) => releaseEntries(t, lane('lane'), [ids[0] as string], now()))
    expect(await turn()).toEqual([ids[0] as string])
  })
})

test('a cancellation in flight is not undone by holding and releasing', async () => {
  await addLane({ id: 'lane' })
  const ids = await add('lane', 1)
  const { entries } = await claim()
  await tx((t) => cancelEntries(t, lane('lane'), ids))
  await tx((t) => holdEntries(t, lane('lane'), ids))
  await tx((t) => releaseEntries(t, lane('lane'), null, now()))
  expect((await ack(entries, FAILS)).results[0]?.disposition).toBe('cancelled')
})

describe('reschedule', () => {
  test('a waiting retry can be made due now, and moved to another class', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 1)
    await turn(FAILS)
    expect(await turn()).toEqual([])
    const change = await tx((t) =>
      rescheduleEntries(t, lane('lane'), { ids, dueAt: now(), class: 'bulk', isAttemptsReset: true }),
    )
    expect(change).toEqual({ changed: ids, inFlight: [] })
    expect((await claim()).entries).toMatchObject([{ id: ids[0], class: 'bulk', attempt: 1 }])
  })

  test('what is in flight is named and left alone', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 1)
    const { entries } = await claim()
    const change = await tx((t) => rescheduleEntries(t, lane('lane'), { ids, dueAt: now() }))
    expect(change).toEqual({ changed: [], inFlight: ids })
    expect((await ack(entries)).results).toHaveLength(1)
  })
})

describe('explain', () => {
  test('names the outermost reason an entry is not running, and when it ends', async () => {
    await addLane({ id: 'lane', concurrencyMax: 1 })
    const [running] = await add('lane', 1, { orderKey: 'k' })
    const [behind] = await add('lane', 1, { orderKey: 'k' })
    const [full] = await add('lane', 1)
    const dueAt = new Date(clock.now() + 60_000)
    const [later] = await add('lane', 1, { dueAt })
    await claim()
    const reasons = await Promise.all(
      [running, behind, full, later].map((id) =>
        explainEntry(db.database, { orgId: 'org_one', id: id as string }, now()),
      ),
    )
    expect(reasons.map((reason) => reason?.reason)).toEqual(['in_flight', 'behind_other', 'lane_full', 'not_due'])
    expect(reasons[1]?.behindEntryId).toBe(running as string)
    expect(reasons[3]?.until).toEqual(dueAt)
    expect(await explainEntry(db.database, { orgId: 'org_one', id: 'never_was' }, now())).toBeNull()
  })

  test('lists a lane and a key in the order they will leave', async () => {
    await addLane({ id: 'lane' })
    const [second] = await add('lane', 1, { orderKey: 'k', position: 20 })
    const [first] = await add('lane', 1, { orderKey: 'k', position: 10 })
    const [third] = await add('lane', 1)
    const ofKey = await listKeyEntries(db.database, lane('lane'), { orderKey: 'k', limit: 10 })
    expect(ofKey.map((entry) => entry.id)).toEqual([first, second] as string[])
    const ofLane = await listLaneEntries(db.database, lane('lane'), 10)
    expect(ofLane.map((entry) => entry.id)).toEqual([second, first, third] as string[])
  })
})

test('an entry may come with attempts that were made elsewhere', async () => {
  await addLane({ id: 'lane' })
  await add('lane', 1, { attempt: 1 })
  expect((await claim()).entries.map((entry) => entry.attempt)).toEqual([2])
})

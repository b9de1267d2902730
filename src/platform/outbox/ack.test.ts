import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { untilLockIsAwaited } from '../../../test/support/until.ts'
import { explainEntry, rekeyEntries } from './entries.ts'
import type { ClaimedEntry, JobResult, LaneReport } from './job.ts'
import { laneStatus } from './lanes.ts'
import { reapLeases } from './maintenance-tasks.ts'
import { FAILS, stepper, testJob } from './outbox.suite.ts'

const db = useTestDatabase()

const lane = (id: string) => ({ orgId: 'org_one' as const, id })

/** A job that writes a ledger, and fails to when `isLedgerBroken`. */
let isLedgerBroken = false
let recorded: { results: JobResult[]; lanes: LaneReport[] }[] = []
const job = testJob({
  async record(tx, results, lanes) {
    for (const { entry, disposition } of results)
      await tx.run`insert into ledger (entry_id, lease_number, disposition)
                   values (${entry.id}, ${entry.leaseNumber}, ${disposition})`
    if (isLedgerBroken) throw new Error('the ledger is closed')
    recorded.push({ results, lanes })
  },
})
const handJob = testJob({ name: 'test.hand', alsoLocks: ({ laneId }) => [laneId.split(':')[0] as string] })
const steps = stepper(() => db.database, [job, handJob])
const { clock, now, pass, addLane, add, claim, ack, turn } = steps

beforeAll(() => db.database.script('create table ledger (entry_id text, lease_number int, disposition text)'))
beforeEach(async () => {
  isLedgerBroken = false
  recorded = []
  await steps.clear()
  await db.database.script('truncate ledger')
})

const ledger = () =>
  db.database.many<{ entry_id: string; lease_number: number; disposition: string }>`
    select entry_id, lease_number, disposition from ledger order by entry_id, lease_number`

test('the lanes that a job also changes are locked with those of the batch, in the order of their ids', async () => {
  for (const id of ['a', 'a:by-hand', 'b']) await addLane({ id })
  await add('a:by-hand', 1, { job: 'test.hand' })
  await add('b', 1)
  const { entries } = await claim()
  const isHeld = Promise.withResolvers<void>()
  const holding = db.database.transaction(async (tx) => {
    await tx.run`select from outbox_lanes where org_id = 'org_one' and id = 'a' for update`
    isHeld.resolve()
    await untilLockIsAwaited(db.database)
    await tx.run`select from outbox_lanes where org_id = 'org_one' and id = 'b' for update nowait`
  })
  await isHeld.promise
  const [{ results }] = await Promise.all([ack(entries), holding])
  expect(results.map(({ disposition }) => disposition)).toEqual(['done', 'done'])
})

describe('outcomes', () => {
  test('done, failed and exhausted entries are gone; the others come back when they should', async () => {
    await addLane({ id: 'lane' })
    const [done, failed, retried, deferred, carried, repeated] = await add('lane', 6)
    const until = new Date(clock.now() + 90_000)
    const { entries } = await claim()
    const { results } = await ack(entries, ({ id }) => {
      if (id === done) return { kind: 'done' }
      if (id === failed) return { kind: 'failed', reason: 'refused' }
      if (id === retried) return { kind: 'retry', reason: 'status_500' }
      if (id === deferred) return { kind: 'defer', until, reason: 'not_yet' }
      if (id === carried) return { kind: 'defer', until, reason: 'not_yet', payload: { seen: 1 } }
      return { kind: 'repeat', at: until, payload: { page: 2 } }
    })
    const ends = Object.fromEntries(results.map((result) => [result.entry.id, [result.disposition, result.nextDueAt]]))
    expect(ends).toEqual({
      [done as string]: ['done', null],
      [failed as string]: ['failed', null],
      [retried as string]: ['retrying', new Date(clock.now() + 5_000)],
      [deferred as string]: ['deferred', until],
      [carried as string]: ['deferred', until],
      [repeated as string]: ['repeated', until],
    })
    clock.set(until.getTime())
    const back = (await claim()).entries
    const attempts = Object.fromEntries(back.map((entry) => [entry.id, [entry.class, entry.attempt, entry.payload]]))
    expect(attempts).toEqual({
      [retried as string]: ['retry', 2, {}],
      [deferred as string]: ['fresh', 1, {}],
      [carried as string]: ['fresh', 1, { seen: 1 }],
      [repeated as string]: ['fresh', 1, { page: 2 }],
    })
  })

  test('a retry waits for the schedule or for what the other side asked, whichever is longer, and at most a day', async () => {
    await addLane({ id: 'lane' })
    const [short, long, endless] = await add('lane', 3)
    const waits = { [short as string]: 1_000, [long as string]: 120_000, [endless as string]: 10 ** 10 }
    const { results } = await ack((await claim()).entries, ({ id }) => ({
      kind: 'retry',
      reason: 'status_503',
      afterMs: waits[id] as number,
    }))
    const due = Object.fromEntries(results.map(({ entry, nextDueAt }) => [entry.id, Number(nextDueAt) - clock.now()]))
    expect(due).toEqual({ [short as string]: 5_000, [long as string]: 120_000, [endless as string]: 86_400_000 })
  })

  test('after its last attempt an entry is exhausted and gone', async () => {
    await addLane({ id: 'lane' })
    const [id] = await add('lane', 1)
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await turn(FAILS)).toEqual([id as string])
      clock.advance(60_000)
    }
    expect(await turn(FAILS)).toEqual([])
    expect((await ledger()).map((row) => row.disposition)).toEqual(['retrying', 'retrying', 'exhausted'])
  })

  test('a bulk entry that is retried stays bulk', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1, { class: 'bulk' })
    await turn(FAILS)
    clock.advance(5_000)
    expect((await claim()).entries[0]?.class).toBe('bulk')
  })
})

describe('the fence', () => {
  /** One entry, under a lease that expired and was reclaimed. */
  async function staleEntries() {
    await addLane({ id: 'lane' })
    await add('lane', 1)
    const { entries } = await claim()
    await pass(61_000)
    await reapLeases(db.database, now())
    return entries
  }

  test('an acknowledgement with a stale lease changes nothing and records nothing', async () => {
    const stale = await staleEntries()
    const current = (await claim()).entries
    expect(current[0]).toMatchObject({ id: stale[0]?.id, attempt: 2, leaseNumber: 2 })
    const refused = await ack(stale)
    expect(refused).toMatchObject({ results: [], lostLeases: [{ id: stale[0]?.id }] })
    expect(await ledger()).toEqual([])
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(1)
    expect((await ack(current)).results).toHaveLength(1)
  })

  test('a stale acknowledgement is refused also while no other process has the entry', async () => {
    const stale = await staleEntries()
    expect((await ack(stale)).results).toEqual([])
    expect(await turn()).toHaveLength(1)
  })

  test('of two runs of one entry in one batch only the one with the current lease counts', async () => {
    const stale = await staleEntries()
    const current = (await claim()).entries
    const { results, lostLeases } = await ack([...stale, ...current])
    expect([results.length, lostLeases]).toEqual([1, stale])
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(0)
    expect(await ledger()).toMatchObject([{ lease_number: 2 }])
  })

  test('a batch that is sent twice counts once', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 3)
    const { entries } = await claim()
    await ack(entries)
    expect(await ack(entries)).toMatchObject({ results: [], lostLeases: entries })
    expect(await ledger()).toHaveLength(3)
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(0)
  })
})

describe('record', () => {
  test('what a capability writes holds together with the acknowledgement, or neither does', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 2)
    const { entries } = await claim()
    isLedgerBroken = true
    await expect(ack(entries)).rejects.toThrow('the ledger is closed')
    expect(await ledger()).toEqual([])
    expect((await laneStatus(db.database, lane('lane'), now()))?.inFlight).toBe(2)
    isLedgerBroken = false
    expect((await ack(entries)).results).toHaveLength(2)
    expect(await ledger()).toHaveLength(2)
  })

  test('it is called once per batch, with the condition of the lane', async () => {
    await addLane({ id: 'lane', hasBreaker: true })
    await addLane({ id: 'well', hasBreaker: true })
    await add('lane', 5)
    await add('well', 1)
    await ack((await claim()).entries, (entry) => (entry.laneId === 'lane' ? FAILS : { kind: 'done' }))
    expect(recorded).toHaveLength(1)
    const reports = Object.fromEntries(recorded[0]?.lanes.map((lane) => [lane.laneId, lane]) ?? [])
    expect(reports.lane).toMatchObject({ breakerBefore: 'closed', breakerAfter: 'open', failuresSinceSuccess: 5 })
    expect(reports.lane?.failingSince).toEqual(now())
    expect(reports.well).toMatchObject({ breakerAfter: 'closed', failuresSinceSuccess: 0, failingSince: null })
  })
})

describe('the lane', () => {
  test('opens its breaker after five failures, sends one probe after 30 s, and closes after two successes', async () => {
    await addLane({ id: 'lane', hasBreaker: true, concurrencyMax: 8 })
    await add('lane', 12)
    await ack((await claim({ entriesMax: 5 })).entries, FAILS)
    clock.advance(29_999)
    expect(await turn()).toEqual([])
    clock.advance(1)
    const probe = await claim()
    expect(probe.entries).toMatchObject([{ isProbe: true }])
    expect((await claim()).entries).toHaveLength(0)
    await ack(probe.entries)
    const second = await claim()
    expect(second.entries).toMatchObject([{ isProbe: true }])
    await ack(second.entries)
    expect((await laneStatus(db.database, lane('lane'), now()))?.breaker).toBe('closed')
    expect((await claim()).entries.length).toBeGreaterThan(1)
  })

  test('an open breaker spends no attempts, and a failed probe waits twice as long', async () => {
    await addLane({ id: 'lane', hasBreaker: true })
    const ids = await add('lane', 7)
    await ack((await claim({ entriesMax: 5 })).entries, FAILS)
    clock.advance(30_000)
    await ack((await claim()).entries, FAILS)
    expect(await explainEntry(db.database, { orgId: 'org_one', id: ids[6] as string }, now())).toMatchObject({
      reason: 'breaker_open',
      until: new Date(clock.now() + 60_000),
      entry: { attempt: 0 },
    })
  })

  test('the probe is the oldest due entry, whatever its class', async () => {
    await addLane({ id: 'lane', hasBreaker: true })
    await add('lane', 5)
    await ack((await claim()).entries, FAILS)
    clock.advance(40_000)
    const [oldest] = await add('lane', 1, { class: 'bulk', dueAt: new Date(clock.now() - 39_000) })
    await add('lane', 3)
    expect((await claim()).entries.map((entry) => entry.id)).toEqual([oldest as string])
  })

  test('hears every answer of a run that asked several times', async () => {
    await addLane({ id: 'lane', isAdaptive: true, hasBreaker: true, concurrencyMax: 8 })
    await add('lane', 2)
    const [one, two] = (await claim()).entries
    const answers = (verdict: 'up' | 'down', count: number) => Array(count).fill({ verdict, isOverload: false })
    await ack([one as ClaimedEntry], { kind: 'done', answers: answers('up', 5) })
    expect(await laneStatus(db.database, lane('lane'), now())).toMatchObject({ concurrency: 4, breaker: 'closed' })
    await ack([two as ClaimedEntry], { kind: 'done', answers: answers('down', 5) })
    expect((await laneStatus(db.database, lane('lane'), now()))?.breaker).toBe('open')
  })

  test('is paused as a whole until the time the other side asked for', async () => {
    await addLane({ id: 'lane', concurrencyMax: 1 })
    await addLane({ id: 'other' })
    const ids = await add('lane', 3)
    const { entries } = await claim()
    const until = new Date(clock.now() + 120_000)
    await ack(entries, { ...FAILS, pauseLane: { until, reason: 'retry_after' } } as typeof FAILS)
    const others = await add('other', 1)
    clock.advance(119_999)
    expect(await turn()).toEqual(others)
    expect(await explainEntry(db.database, { orgId: 'org_one', id: ids[1] as string }, now())).toMatchObject({
      reason: 'lane_blocked',
      detail: 'retry_after',
      until,
    })
    clock.advance(1)
    expect(await turn()).toHaveLength(1)
  })

  test('starts with two slots, earns more by succeeding, and loses half by overload', async () => {
    await addLane({ id: 'lane', isAdaptive: true, concurrencyMax: 8 })
    await add('lane', 40)
    const sizes: number[] = []
    for (let round = 0; round < 4; round++) {
      const { entries } = await claim()
      sizes.push(entries.length)
      await ack(entries)
      clock.advance(1)
    }
    expect(sizes).toEqual([2, 3, 4, 5])
    await ack((await claim()).entries, { kind: 'retry', reason: 'timeout', isOverload: true })
    expect((await laneStatus(db.database, lane('lane'), now()))?.concurrency).toBe(3)
  })

  test('entries that get a new key while one is in flight are freed by its acknowledgement', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1, { orderKey: 'old' })
    const { entries } = await claim()
    const [next] = await add('lane', 1)
    const keys = [...entries.map(({ id }) => id), next as string].map((id) => ({ id, orderKey: 'all' }))
    await db.database.transaction((tx) => rekeyEntries(tx, lane('lane'), keys))
    expect(await turn()).toEqual([])
    await ack(entries)
    expect(await turn()).toEqual([next as string])
  })
})

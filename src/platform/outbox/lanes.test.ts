import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { explainEntry, releaseEntries } from './entries.ts'
import type { ClaimedEntry, Outcome } from './job.ts'
import {
  closeLane,
  deleteLane,
  ensureLane,
  hurryLane,
  hurryProbe,
  laneStatus,
  leftAloneUntil,
  listFlowingLanes,
  pauseLane,
  RETRY_AFTER,
  resumeLane,
  updateLane,
} from './lanes.ts'
import { FAILS, stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, now, addLane, add, claim, ack, turn } = steps
beforeEach(steps.clear)

const lane = (id: string) => ({ orgId: 'org_one' as const, id })

const tx: (typeof db)['database']['transaction'] = (work) => db.database.transaction(work)

const askedBy = (until: Date) => ({ until, reason: RETRY_AFTER })
const askedUntil = (until: Date): Outcome => ({ ...FAILS, verdict: 'neutral', pauseLane: askedBy(until) })

describe('pause', () => {
  test('a paused lane starts nothing, and resumed it has lost nothing', async () => {
    await addLane({ id: 'lane', concurrencyMax: 4 })
    const ids = await add('lane', 6)
    const { entries } = await claim({ entriesMax: 2 })
    await tx((t) => pauseLane(t, lane('lane'), { reason: 'maintenance' }))
    expect(await turn()).toEqual([])
    await ack(entries.slice(0, 1))
    await ack(entries.slice(1), FAILS)
    const more = await add('lane', 2)
    clock.advance(60_000)
    expect(await turn()).toEqual([])
    expect(await explainEntry(db.database, { orgId: 'org_one', id: ids[5] as string }, now())).toMatchObject({
      reason: 'lane_paused',
      detail: 'maintenance',
    })
    await tx((t) => resumeLane(t, lane('lane')))
    const rest = [...(await turn()), ...(await turn())]
    expect(rest.sort()).toEqual([...ids.filter((id) => id !== entries[0]?.id), ...more])
  })

  test('a pause until a moment ends at that moment', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1)
    const until = new Date(clock.now() + 30_000)
    await tx((t) => pauseLane(t, lane('lane'), { reason: 'retry_after', until }))
    expect((await claim()).nextAt).toEqual(until)
    clock.advance(30_000)
    expect(await turn()).toHaveLength(1)
  })

  test.each([
    ['in an answer', async (until: Date, late: ClaimedEntry) => ack([late], askedUntil(until))],
    ['past the outbox', async (until: Date) => tx((t) => pauseLane(t, lane('lane'), { ...askedBy(until) }))],
  ] as const)('a breaker that is hurried tries not before the moment that was asked for, %s', async (_, ask) => {
    await addLane({ id: 'lane', hasBreaker: true, concurrencyMax: 6 })
    await add('lane', 7)
    const { entries } = await claim({ entriesMax: 6 })
    await ack(entries.slice(0, 5), FAILS)
    const until = new Date(clock.now() + 5_000)
    await ask(until, entries[5] as ClaimedEntry)
    const blocked = async () => laneStatus(db.database, lane('lane'), now())
    expect(await blocked()).toMatchObject({
      blockedReason: 'breaker_open',
      blockedUntil: new Date(clock.now() + 30_000),
    })
    expect(await leftAloneUntil(db.database, lane('lane'), now())).toEqual(until)
    expect([await hurryProbe(db.database, lane('lane'), now()), (await blocked())?.blockedUntil]).toEqual([true, until])
    expect(await hurryProbe(db.database, lane('lane'), now())).toBe(false)
    await tx((t) => hurryLane(t, lane('lane')))
    expect(await leftAloneUntil(db.database, lane('lane'), now())).toBeNull()
  })

  test('resuming closes an open breaker', async () => {
    await addLane({ id: 'lane', hasBreaker: true })
    await add('lane', 6)
    await ack((await claim({ entriesMax: 5 })).entries, FAILS)
    expect((await laneStatus(db.database, lane('lane'), now()))?.breaker).toBe('open')
    await tx((t) => resumeLane(t, lane('lane')))
    expect(await turn()).toHaveLength(1)
  })
})

test('a lane flows until something fresh in it has waited for more than five seconds', async () => {
  for (const id of ['empty', 'busy', 'paused']) await addLane({ id })
  await add('busy', 1, { dueAt: now() })
  await tx((t) => pauseLane(t, lane('paused'), { reason: 'maintenance' }))
  const flowing = async () =>
    [
      ...(await listFlowingLanes(db.database, 'org_one', { laneIds: ['empty', 'busy', 'paused'], now: now() })),
    ].toSorted()
  clock.advance(5_000)
  expect(await flowing()).toEqual(['busy', 'empty'])
  clock.advance(1)
  expect(await flowing()).toEqual(['empty'])
})

describe('close', () => {
  test('cancelling ends what waits; what is in flight may succeed but is not tried again', async () => {
    await addLane({ id: 'lane', concurrencyMax: 2 })
    await add('lane', 5)
    const { entries } = await claim()
    const closing = await tx((t) => closeLane(t, lane('lane'), { pending: 'cancel', reason: 'gone' }))
    expect(closing.cancelled).toBe(3)
    expect(closing.inFlightIds.sort()).toEqual(entries.map((entry) => entry.id).sort())
    const [one, other] = entries as [(typeof entries)[0], (typeof entries)[0]]
    expect((await ack([one])).results[0]?.disposition).toBe('done')
    expect((await ack([other], FAILS)).results[0]?.disposition).toBe('cancelled')
    expect((await laneStatus(db.database, lane('lane'), now()))?.pending).toBe(0)
  })

  test('holding keeps everything for a later resume', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 3)
    await tx((t) => closeLane(t, lane('lane'), { pending: 'hold', reason: 'disabled' }))
    expect(await turn()).toEqual([])
    expect((await explainEntry(db.database, { orgId: 'org_one', id: ids[0] as string }, now()))?.reason).toBe(
      'lane_closed',
    )
    await tx((t) => resumeLane(t, lane('lane')))
    expect(await turn()).toEqual(ids)
  })

  test('a lane is deleted only when nothing is left in it', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1)
    expect(await tx((t) => deleteLane(t, lane('lane')))).toBe(false)
    await turn()
    expect(await tx((t) => deleteLane(t, lane('lane')))).toBe(true)
    expect(await laneStatus(db.database, lane('lane'), now())).toBeNull()
  })
})

describe('settings', () => {
  test('creating a lane again changes nothing', async () => {
    await addLane({ id: 'lane', concurrencyMax: 3 })
    await ensureLane(db.database, { id: 'lane', orgId: 'org_two', kind: 'other', concurrencyMax: 9 })
    expect(await laneStatus(db.database, lane('lane'), now())).toMatchObject({
      orgId: 'org_one',
      settings: { concurrencyMax: 3 },
    })
  })

  test('a lower cap holds from the next claim on, a higher one too', async () => {
    await addLane({ id: 'lane', concurrencyMax: 4 })
    await add('lane', 20)
    const { entries } = await claim()
    await tx((t) => updateLane(t, lane('lane'), { concurrencyMax: 2 }, now()))
    await ack(entries.slice(0, 2))
    expect((await claim()).entries).toHaveLength(0)
    await tx((t) => updateLane(t, lane('lane'), { concurrencyMax: 6 }, now()))
    expect((await claim()).entries).toHaveLength(4)
  })

  test('a rate that is taken away ends the throttling at once', async () => {
    await addLane({ id: 'lane', ratePerSecond: 1 })
    await add('lane', 5)
    expect(await turn()).toHaveLength(1)
    await tx((t) => updateLane(t, lane('lane'), { ratePerSecond: null }, now()))
    expect(await turn()).toHaveLength(4)
  })

  test('a new rate does not start with what the old one had saved up', async () => {
    await addLane({ id: 'lane', ratePerSecond: 100, concurrencyMax: 100 })
    await add('lane', 50)
    await tx((t) => updateLane(t, lane('lane'), { ratePerSecond: 2 }, now()))
    expect(await turn()).toHaveLength(1)
  })

  test('a lane that does not exist is a mistake of the caller', async () => {
    await expect(tx((t) => resumeLane(t, lane('nowhere')))).rejects.toThrow('no outbox lane nowhere')
    expect(await tx((t) => releaseEntries(t, lane('nowhere'), null, now()))).toEqual({ changed: [], inFlight: [] })
  })
})

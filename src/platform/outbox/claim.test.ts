import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { beginClaim, leaseEntries } from './claim.sql.ts'
import { laneStatus, updateLane } from './lanes.ts'
import { stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, addLane, add, claim, ack, turn } = steps
beforeEach(steps.clear)

const lane = (id: string) => ({ orgId: 'org_one' as const, id })

const idsOf = (claimed: { entries: { id: string }[] }) => claimed.entries.map((entry) => entry.id).sort()

describe('due', () => {
  test('an entry is claimed at its due time and not a millisecond earlier', async () => {
    await addLane({ id: 'lane' })
    const dueAt = new Date(clock.now() + 10_000)
    const ids = await add('lane', 1, { dueAt })
    expect((await claim()).nextAt).toEqual(dueAt)
    clock.advance(9_999)
    expect(await turn()).toEqual([])
    clock.advance(1)
    expect(idsOf(await claim())).toEqual(ids)
  })
})

test('a lane that is locked elsewhere is left out, and the claim says so', async () => {
  await addLane({ id: 'lane' })
  await addLane({ id: 'free' })
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const other = db.database.transaction(async (tx) => {
    await tx.run`select 1 from outbox_lanes where org_id = 'org_one' and id = 'lane' for update`
    held()
    await isOver
  })
  await isHeld
  const ids = await add('lane', 1)
  const free = await add('free', 1)
  const first = await claim()
  expect([idsOf(first), first.isContended]).toEqual([free, true])
  end()
  await other
  const again = await claim()
  expect([idsOf(again), again.isContended]).toEqual([ids, false])
})

test('a claim takes nothing while another one of the same organization is under way', async () => {
  await addLane({ id: 'lane' })
  await addLane({ id: 'elsewhere', orgId: 'org_two' })
  await add('lane', 1)
  const elsewhere = await add('elsewhere', 1)
  await db.database.transaction(async (tx) => {
    await beginClaim(tx, 'org_one', { lockMs: 500, isSharded: tx.isSharded() })
    expect(await claim()).toMatchObject({ entries: [], isContended: true })
    expect(idsOf(await claim({ orgId: 'org_two' }))).toEqual(elsewhere)
  })
  expect((await claim()).entries).toHaveLength(1)
})

const sayAnswered = () => db.database.run`update outbox_lanes set answered_at = ${steps.now()}`

describe('caps', () => {
  test('a lane never has more in flight than its cap, and its room comes back with the acknowledgement', async () => {
    await addLane({ id: 'lane', concurrencyMax: 3 })
    await add('lane', 10)
    const first = await claim()
    expect(first.entries).toHaveLength(3)
    expect((await claim()).entries).toHaveLength(0)
    await ack(first.entries.slice(0, 2))
    expect((await claim()).entries).toHaveLength(2)
  })

  test('an organization never has more in flight than its cap, over all its lanes', async () => {
    for (const id of ['a', 'b', 'c']) await addLane({ id, orgId: 'org_full', concurrencyMax: 4 })
    await addLane({ id: 'other', orgId: 'org_other', concurrencyMax: 4 })
    for (const id of ['a', 'b', 'c', 'other']) await add(id, 4)
    await sayAnswered()
    const capped = { orgId: 'org_full' as const, tenantInFlightMax: 5 }
    const first = await claim(capped)
    expect([first.entries.length, first.isMoreLikely]).toEqual([5, true])
    expect((await claim({ ...capped, orgId: 'org_other' })).entries).toHaveLength(4)
    expect(await claim(capped)).toMatchObject({ entries: [], isMoreLikely: false, isHeldBack: true })
    await ack(first.entries.slice(0, 1))
    expect((await claim(capped)).entries).toHaveLength(1)
  })

  test('a claim takes no more than asked for, and from every lane before taking a second from any', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await addLane({ id })
    for (const id of ['a', 'b', 'c', 'd']) await add(id, 8)
    const { entries } = await claim({ entriesMax: 6 })
    const counts = [...Map.groupBy(entries, (entry) => entry.laneId).values()].map((list) => list.length)
    expect(counts.sort()).toEqual([1, 1, 2, 2])
  })
})

describe('fairness', () => {
  test('a lane with a thousand waiting does not delay the others', async () => {
    await addLane({ id: 'busy', concurrencyMax: 4 })
    await add('busy', 1_000)
    for (const id of ['w', 'x', 'y', 'z']) await addLane({ id })
    for (const id of ['w', 'x', 'y', 'z']) await add(id, 2)
    const { entries } = await claim()
    const counts = Object.fromEntries(
      [...Map.groupBy(entries, (entry) => entry.laneId)].map(([id, list]) => [id, list.length]),
    )
    expect(counts).toEqual({ busy: 4, w: 2, x: 2, y: 2, z: 2 })
  })

  test('the least recently served lane comes first', async () => {
    for (const id of ['a', 'b', 'c']) await addLane({ id, concurrencyMax: 1 })
    for (const id of ['a', 'b', 'c']) await add(id, 5)
    const served: string[] = []
    for (let round = 0; round < 9; round++) {
      const { entries } = await claim({ lanesMax: 1, entriesMax: 1 })
      served.push(...entries.map((entry) => entry.laneId))
      await ack(entries)
      clock.advance(1)
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'])
  })

  test('a lane that was idle goes before lanes that were served a moment ago', async () => {
    for (const id of ['a', 'b']) await addLane({ id, concurrencyMax: 1 })
    for (const id of ['a', 'b']) await add(id, 5)
    clock.advance(10)
    await turn()
    await addLane({ id: 'z' })
    const [id] = await add('z', 1)
    clock.advance(10)
    expect(idsOf(await claim({ lanesMax: 1, entriesMax: 1 }))).toEqual([id as string])
  })
})

describe('classes', () => {
  /** The classes in the order a lane with one slot serves them. */
  async function serve(count: number): Promise<string> {
    let order = ''
    for (let round = 0; round < count; round++) {
      const { entries } = await claim()
      order += entries.map((entry) => entry.class[0]).join('')
      await ack(entries)
    }
    return order
  }

  test('fresh goes before retry, but every fourth is a retry', async () => {
    await addLane({ id: 'lane', concurrencyMax: 1 })
    await add('lane', 5, { class: 'retry' })
    await add('lane', 20, { class: 'fresh' })
    expect(await serve(16)).toBe('fffrfffrfffrfffr')
  })

  test('one claim of many deals the classes the same way', async () => {
    await addLane({ id: 'lane', concurrencyMax: 16, bulkConcurrencyMax: 4 })
    for (const entryClass of ['bulk', 'retry', 'fresh'] as const) await add('lane', 20, { class: entryClass })
    const { entries } = await claim()
    const counts = Map.groupBy(entries, (entry) => entry.class)
    expect([counts.get('fresh')?.length, counts.get('retry')?.length, counts.get('bulk')?.length]).toEqual([11, 4, 1])
  })

  test('turns of a class with nothing due go to the others', async () => {
    await addLane({ id: 'lane', concurrencyMax: 1 })
    await add('lane', 3, { class: 'retry' })
    await add('lane', 2, { class: 'bulk' })
    expect(await serve(5)).toBe('rrrbb')
  })

  test('bulk has a separate cap, and only bulk waits for it', async () => {
    await addLane({ id: 'lane', concurrencyMax: 8, bulkConcurrencyMax: 2 })
    await add('lane', 10, { class: 'bulk' })
    const bulk = await claim()
    expect(bulk.entries).toHaveLength(2)
    expect(await claim()).toMatchObject({ entries: [], isMoreLikely: false })
    await add('lane', 3)
    expect((await claim()).entries.map((entry) => entry.class)).toEqual(['fresh', 'fresh', 'fresh'])
    await ack(bulk.entries.slice(0, 1))
    expect((await claim()).entries.map((entry) => entry.class)).toEqual(['bulk'])
  })
})

describe('another claim at once', () => {
  test('is not called for when the lanes are empty afterwards', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1)
    expect(await claim()).toMatchObject({ entries: [{ laneId: 'lane' }], isMoreLikely: false })
  })

  test.each([
    ['a lane has entries left', {}],
    ['it is full', { entriesMax: 2 }],
    ['it saw no further lanes', { lanesMax: 1 }],
    ['the share of the organization is used up', { tenantInFlightMax: 2 }],
  ])('is called for when %s', async (_, fields) => {
    await addLane({ id: 'lane', concurrencyMax: 2 })
    await add('lane', 3)
    expect(await claim(fields)).toMatchObject({ isMoreLikely: true })
  })
})

describe('pacing', () => {
  test('a rate of five per second lets five go, and then one every 200 ms', async () => {
    await addLane({ id: 'lane', concurrencyMax: 50, ratePerSecond: 5 })
    await add('lane', 20)
    expect(await turn()).toHaveLength(5)
    expect(await turn()).toHaveLength(0)
    clock.advance(199)
    expect(await turn()).toHaveLength(0)
    clock.advance(1)
    expect(await turn()).toHaveLength(1)
    clock.advance(2_000)
    expect(await turn()).toHaveLength(5)
  })

  test('a throttled lane sleeps until its next token, and the entry carries the wait', async () => {
    await addLane({ id: 'lane', ratePerSecond: 1 })
    await add('lane', 2)
    await ack((await claim()).entries)
    expect((await laneStatus(db.database, lane('lane'), steps.now()))?.blockedReason).toBe('throttled')
    expect(await claim()).toMatchObject({ entries: [], nextAt: new Date(clock.now() + 1_000) })
    clock.advance(1_000)
    expect((await claim()).entries[0]?.throttledMs).toBe(1_000)
  })

  test('two entries of one key leave at least the gap apart; other keys do not wait', async () => {
    await addLane({ id: 'lane', keyGapMs: 6_000 })
    const [first, second] = await add('lane', 2, { orderKey: 'chat_a' })
    const [other] = await add('lane', 1, { orderKey: 'chat_b' })
    expect((await turn()).sort()).toEqual([first, other] as string[])
    expect(await turn()).toEqual([])
    const [late] = await add('lane', 1, { orderKey: 'chat_b' })
    clock.advance(5_999)
    expect(await turn()).toEqual([])
    clock.advance(1)
    expect((await turn()).sort()).toEqual([second, late] as string[])
  })
})

describe('order', () => {
  const failing = { kind: 'retry', reason: 'status_500' } as const

  test('of one key at most one is in flight, and they leave in order', async () => {
    await addLane({ id: 'lane' })
    const ids = await add('lane', 4, { orderKey: 'k' })
    const left: string[] = []
    for (let round = 0; round < 4; round++) {
      const { entries } = await claim()
      expect(entries).toHaveLength(1)
      left.push(...entries.map((entry) => entry.id))
      await ack(entries)
    }
    expect(left).toEqual(ids)
  })

  test('position decides before id', async () => {
    await addLane({ id: 'lane' })
    const [late] = await add('lane', 1, { orderKey: 'k', position: 2 })
    const [early] = await add('lane', 1, { orderKey: 'k', position: 1 })
    expect([...(await turn()), ...(await turn())]).toEqual([early, late] as string[])
  })

  test('an entry that waits for its retry blocks its own key and no other', async () => {
    await addLane({ id: 'lane' })
    const [head, next] = await add('lane', 2, { orderKey: 'stuck' })
    const others = await add('lane', 3)
    const [keyed] = await add('lane', 1, { orderKey: 'free' })
    const { entries } = await claim()
    expect(idsOf({ entries })).toEqual([head, ...others, keyed].sort() as string[])
    await ack(entries, (entry) => (entry.id === head ? failing : { kind: 'done' }))
    expect(await turn()).toEqual([])
    clock.advance(5_000)
    expect(await turn()).toEqual([head as string])
    expect(await turn()).toEqual([next as string])
  })

  test('a crowd behind one stuck entry does not hide the other keys of its lane', async () => {
    await addLane({ id: 'lane', concurrencyMax: 2 })
    await add('lane', 300, { orderKey: 'stuck' })
    const [other] = await add('lane', 1, { orderKey: 'other' })
    await ack((await claim()).entries, failing)
    let found: string[] = []
    let clogged: string[] = []
    for (let tries = 0; tries < 5 && found.length === 0; tries++) {
      const next = await claim({ cloggedLaneIds: new Set(clogged) })
      found = idsOf(next)
      clogged = next.cloggedLaneIds
    }
    expect(found).toEqual([other as string])
  })

  test('an earlier entry that is committed late waits for the one in flight, and then goes first', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 1, { id: 'b', orderKey: 'k', position: 2 })
    const { entries } = await claim()
    await add('lane', 1, { id: 'a', orderKey: 'k', position: 1 })
    expect(await turn()).toEqual([])
    await ack(entries, failing)
    clock.advance(60_000)
    expect(await turn()).toEqual(['a'])
    expect(await turn()).toEqual(['b'])
  })

  test('a lane that gives up its order lets everything go', async () => {
    await addLane({ id: 'lane' })
    await add('lane', 4, { orderKey: 'k' })
    await ack((await claim()).entries, failing)
    await claim()
    await db.database.transaction((tx) => updateLane(tx, lane('lane'), { ordering: 'none' }, steps.now()))
    expect(await turn()).toHaveLength(3)
  })
})

test('leasing reads entries by index only, also where one lane holds most of the table', async () => {
  await addLane({ id: 'lane' })
  await add('lane', 3_000)
  await db.database.script('analyze outbox_entries')
  const room = { laneId: 'lane', pool: 'messages' as const, poolRoom: 8, room: 8, bulkRoom: 2, turn: 0 }
  const plan = await db.database.transaction(async (tx) => {
    const lines: string[] = []
    const explaining = {
      ...tx,
      many: async (strings: TemplateStringsArray, ...values: unknown[]) => {
        const rows = await tx.many<{ 'QUERY PLAN': string }>`explain ${tx.part(strings, ...values)}`
        lines.push(...rows.map((row) => row['QUERY PLAN']))
        return []
      },
    }
    await leaseEntries(explaining as typeof tx, {
      orgId: 'org_one',
      rooms: [{ ...room, isProbe: false, isOrdered: true, lookahead: 8, keyGapMs: 0 }],
      entriesMax: 8,
      jobNames: ['test.work'],
      jobLeasesMs: [60_000],
      unknownLeaseMs: 30_000,
      processId: 'prc_one',
      now: steps.now(),
    })
    return lines.join('\n')
  })
  expect(plan).toContain('outbox_entries_waiting_idx')
  expect(plan).not.toContain('Seq Scan on outbox_entries')
})

import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import type { Claim } from './claim.ts'
import { countTokens, nextTokenAt } from './claim-policy.ts'
import type { LaneOptions } from './lanes.ts'
import { stepper } from './outbox.suite.ts'
import { measureRoom, type Pool } from './pools.ts'

const db = useTestDatabase()
const steps = stepper(() => db.database)
const { clock, addLane, add, claim, ack } = steps
beforeEach(steps.clear)

const orgs = (count: number) => Array.from({ length: count }, (_, index) => `org_${index}` as const)
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}_${String(index).padStart(2, '0')}`)

async function addLanes(ids: string[], entries: number, fields: Partial<LaneOptions> = {}): Promise<void> {
  for (const id of ids) {
    await addLane({ id, concurrencyMax: 4, ...fields })
    await add(id, entries)
  }
}

const countByLane = ({ entries }: Claim) =>
  Object.fromEntries([...Map.groupBy(entries, (entry) => entry.laneId)].map(([laneId, list]) => [laneId, list.length]))

/** A run for each of these, begun when given. */
const runs = (pool: Pool, count: number, { destination = null as string | null, startedMs = 0 } = {}) =>
  Array.from({ length: count }, () => ({ pool, destination, startedMs }))

describe('an organization', () => {
  test('gives each lane that has not answered one slot, and those that answer the remaining ones', async () => {
    await addLanes(names('mute', 8), 4)
    await addLanes(['well'], 8)
    const first = await claim({ tenantInFlightMax: 16 })
    // All are new: one each, which is more than half.
    expect(Object.values(countByLane(first))).toEqual(Array(9).fill(1))
    await ack(first.entries.filter((entry) => entry.laneId === 'well'))
    expect(countByLane(await claim({ tenantInFlightMax: 16 }))).toEqual({ well: 4 })
  })

  test('has half of its slots for lanes that answer when the other lanes hang', async () => {
    await addLanes(names('hung', 16), 4)
    expect((await claim({ tenantInFlightMax: 16 })).entries).toHaveLength(16)
    await addLanes(['well', 'well_too'], 16, { concurrencyMax: 8 })
    expect((await claim({ tenantInFlightMax: 16 })).entries).toEqual([])
    clock.advance(1_000)
    const probing = await claim({ tenantInFlightMax: 16 })
    expect(countByLane(probing)).toEqual({ well: 1, well_too: 1 })
    await ack(probing.entries)
    expect(countByLane(await claim({ tenantInFlightMax: 16 }))).toEqual({ well: 4, well_too: 4 })
  })

  test('has no slots left when twice its cap hangs', async () => {
    await addLanes(names('hung', 8), 1)
    for (let second = 0; second < 4; second++) {
      await addLanes(names(`more_${second}`, 8), 1)
      await claim({ tenantInFlightMax: 8 })
      clock.advance(1_000)
    }
    expect((await claim({ tenantInFlightMax: 8 })).entries).toEqual([])
    const { count } = await db.database.one<{ count: number }>`
      select sum(in_flight)::int as count from outbox_lanes`
    expect(count).toBeGreaterThanOrEqual(16)
    expect(count).toBeLessThanOrEqual(24)
  })

  test('sends messages and payments at once when its webhooks fill their slots', async () => {
    await addLanes(names('hook', 8), 1, { pool: 'webhooks' })
    expect((await claim({ tenantInFlightMax: 8 })).entries).toHaveLength(8)
    await addLanes(['hook_late'], 1, { pool: 'webhooks' })
    await addLanes(['number'], 1, { pool: 'messages' })
    await addLanes(['account'], 1, { pool: 'payments' })
    expect(countByLane(await claim({ tenantInFlightMax: 8 }))).toEqual({ number: 1, account: 1 })
  })
})

describe('a process', () => {
  test('has slots for messages and payments when webhooks fill theirs', async () => {
    const room = measureRoom(runs('webhooks', 50), { inFlightMax: 100, nowMs: 0 })
    expect(room.pools).toEqual({ webhooks: 0, messages: 30, payments: 20 })
    await addLanes(names('hook', 3), 1, { pool: 'webhooks' })
    await addLanes(['number'], 1, { pool: 'messages' })
    await addLanes(['account'], 1, { pool: 'payments' })
    expect(countByLane(await claim({ room }))).toEqual({ number: 1, account: 1 })
  })

  test('has half of a pool for runs that answer when the others hang', () => {
    const hanging = runs('webhooks', 50)
    expect(measureRoom(hanging, { inFlightMax: 100, nowMs: 999 }).pools.webhooks).toBe(0)
    expect(measureRoom(hanging, { inFlightMax: 100, nowMs: 1_000 }).pools.webhooks).toBe(25)
    const more = [...hanging, ...runs('webhooks', 50)]
    expect(measureRoom(more, { inFlightMax: 100, nowMs: 1_000 }).pools.webhooks).toBe(0)
  })

  test('has at most half of a pool in flight to one destination over all organizations', async () => {
    const popular = { pool: 'webhooks' as const, destination: 'popular.example' }
    for (const org of orgs(4)) await addLanes([`to_popular_${org}`], 4, { ...popular, orgId: org })
    await addLanes(['to_other'], 1, { pool: 'webhooks', destination: 'other.example' })
    const running = runs('webhooks', 3, { destination: 'popular.example' })
    const room = measureRoom(running, { inFlightMax: 20, nowMs: 0 })
    expect(room.destinations.get('popular.example')).toBe(2)
    expect(countByLane(await claim({ orgId: 'org_0', room }))).toEqual({ to_popular_org_0: 2 })
    const full = measureRoom([...running, ...running.slice(0, 2)], { inFlightMax: 20, nowMs: 0 })
    expect(await claim({ orgId: 'org_1', room: full })).toMatchObject({ entries: [], isHeldBack: true })
    expect(countByLane(await claim({ room: full }))).toEqual({ to_other: 1 })
  })
})

const at = (ms: number) => new Date(1_000_000 + ms)

test('a lane without a rate is never throttled', () => {
  expect(countTokens({ ratePerSecond: null, tokens: null, measuredAt: null }, at(0))).toBe(Number.POSITIVE_INFINITY)
  expect(nextTokenAt(null, 0, at(0))).toBeNull()
})

test('a bucket holds one second of its rate, however long it fills', () => {
  const rate = { ratePerSecond: 10, tokens: 0, measuredAt: at(0) }
  expect(countTokens(rate, at(500))).toBe(5)
  expect(countTokens(rate, at(60_000))).toBe(10)
})

test('a rate below one per second still lets one go, and then waits its time', () => {
  expect(countTokens({ ratePerSecond: 0.5, tokens: null, measuredAt: null }, at(0))).toBe(1)
  expect(nextTokenAt(0.5, 0, at(0))).toEqual(at(2_000))
})

test('a clock that went backwards takes no tokens away', () => {
  expect(countTokens({ ratePerSecond: 10, tokens: 3, measuredAt: at(1_000) }, at(0))).toBe(3)
})

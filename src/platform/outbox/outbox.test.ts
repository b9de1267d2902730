import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { enqueue, explainEntry, type NewEntry } from './entries.ts'
import { type ClaimedEntry, defineJob, type Job } from './job.ts'
import { ensureLane, type LaneOptions, laneStatus } from './lanes.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import { openWakeUps } from './wake-ups.ts'

const db = useTestDatabase()
const retry = { delaysMs: [20, 20, 20], jitter: 0 }

let started: Outbox[] = []
let opened: Database[] = []
beforeEach(() => db.database.script('truncate outbox_entries, outbox_lanes, outbox_key_gaps'))
afterEach(async () => {
  await Promise.all(started.map((outbox) => outbox.stop()))
  await Promise.all(opened.map((database) => database.close()))
  started = []
  opened = []
})

const job = (run: Job['run'], fields: Partial<Parameters<typeof defineJob>[0]> = {}): Job =>
  defineJob({ name: 'test.work', retry, run, ...fields })

async function start(jobs: Job[], options: Partial<OutboxOptions> = {}): Promise<Outbox> {
  const number = started.length + 1
  await options.database?.lookForShards()
  const outbox = createOutbox({
    database: db.database,
    jobs,
    clock: systemClock,
    log: quietLog,
    processId: `prc_${number}`,
    ...options,
    pace: { scoutEveryMs: 60_000, reapEveryMs: 60_000, drainMs: 200, ...options.pace },
  })
  started.push(outbox)
  await outbox.start()
  return outbox
}

/** As another process would have it. */
function ownDatabase(): Database {
  const database = openDatabase({ url: db.url, connectionsMax: 4 })
  opened.push(database)
  return database
}

const addLane = (fields: Partial<LaneOptions> & { id: string }) =>
  ensureLane(db.database, { orgId: 'org_one', kind: 'test', isAdaptive: false, hasBreaker: false, ...fields })

let created = 0
async function add(laneId: string, count: number, fields: Partial<NewEntry> = {}): Promise<string[]> {
  const entries = Array.from({ length: count }, (): NewEntry => {
    created += 1
    return { id: `ent_${String(created).padStart(8, '0')}`, laneId, orgId: 'org_one', job: 'test.work', ...fields }
  })
  await enqueue(db.database, entries)
  return entries.map((entry) => entry.id)
}

const waiting = async () =>
  (await db.database.one<{ count: number }>`select count(*)::int as count from outbox_entries`).count
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('waking', () => {
  test('work is done soon after the wake-up, long before the next look at all', async () => {
    await addLane({ id: 'lane' })
    const seen: string[] = []
    const run: Job['run'] = async (entry) => {
      seen.push(entry.id)
      return { kind: 'done' }
    }
    const outbox = await start([job(run)], { pace: {} })
    const first = await add('lane', 1)
    outbox.wake(['org_one'])
    await until(() => seen.length === 1)
    const second = await add('lane', 1)
    const sender = openWakeUps({ database: ownDatabase(), processId: 'prc_api', log: quietLog })
    sender.send(['org_one'])
    await until(() => seen.length === 2)
    expect(seen).toEqual([...first, ...second])
    await sender.close()
  })

  test('a claim that left entries in its lane is followed by another without a wake-up', async () => {
    await addLane({ id: 'lane', concurrencyMax: 300 })
    const outbox = await start([job(async () => ({ kind: 'done' }))], {
      pace: {},
    })
    await add('lane', 300)
    outbox.wake(['org_one'])
    await until(async () => (await waiting()) === 0)
  })

  test('work without a wake-up is done all the same', async () => {
    await addLane({ id: 'lane' })
    await start([job(async () => ({ kind: 'done' }))], { pace: { scoutEveryMs: 20 } })
    await add('lane', 3)
    await until(async () => (await waiting()) === 0)
  })

  test('work without a wake-up is done within seconds also after the database stood still for one', async () => {
    await addLane({ id: 'lane' })
    await start([job(async () => ({ kind: 'done' }))], { pace: { scoutEveryMs: 20 } })
    await ownDatabase().transaction(async (tx) => {
      await tx.script('lock table outbox_lanes in access exclusive mode')
      await untilLockIsAwaited(tx)
      await pause(1_000)
    })
    await add('lane', 3)
    await until(async () => (await waiting()) === 0, 10_000)
  })

  test('a retry runs when it is due, without a wake-up', async () => {
    await addLane({ id: 'lane' })
    const attempts: number[] = []
    const outbox = await start([
      job(async (entry) => {
        attempts.push(entry.attempt)
        return entry.attempt < 3 ? { kind: 'retry', reason: 'status_500' } : { kind: 'done' }
      }),
    ])
    await add('lane', 1)
    outbox.wake(['org_one'])
    await until(async () => (await waiting()) === 0)
    expect(attempts).toEqual([1, 2, 3])
  })
})

describe('several processes', () => {
  test('four of them never exceed a cap, run every entry once, and keep the order of every key', async () => {
    const lanes = Array.from({ length: 12 }, (_, index) => ({
      id: `lane_${index}`,
      orgId: `org_${index % 3}` as const,
    }))
    for (const lane of lanes) await addLane({ ...lane, concurrencyMax: 3 })
    const load = new Map<string, number>()
    const most = new Map<string, number>()
    const order = new Map<string, string[]>()
    const change = (name: string, by: number) => {
      load.set(name, (load.get(name) ?? 0) + by)
      most.set(name, Math.max(most.get(name) ?? 0, load.get(name) ?? 0))
    }
    const run = async (entry: ClaimedEntry) => {
      const names = [entry.laneId, entry.orgId, `${entry.laneId}/${entry.orderKey}`]
      for (const name of names) change(name, 1)
      order.set(names[2] as string, [...(order.get(names[2] as string) ?? []), entry.id])
      await pause(1 + (entry.id.charCodeAt(entry.id.length - 1) % 4))
      for (const name of names) change(name, -1)
      return { kind: 'done' } as const
    }
    for (const lane of lanes)
      for (const orderKey of ['a', 'b', 'c', 'd']) await add(lane.id, 8, { orgId: lane.orgId, orderKey })
    const outboxes = await Promise.all(
      Array.from({ length: 4 }, () =>
        start([job(run)], { database: ownDatabase(), caps: { tenantInFlightMax: 6, inFlightMax: 10 } }),
      ),
    )
    for (const outbox of outboxes) outbox.wake()
    await until(async () => (await waiting()) === 0)
    expect([...most].filter(([name, count]) => count > (name.startsWith('org_') ? 6 : 3))).toEqual([])
    expect([...most].filter(([name, count]) => name.includes('/') && count > 1)).toEqual([])
    const ran = [...order.values()].flat()
    expect(ran).toHaveLength(12 * 4 * 8)
    expect(new Set(ran).size).toBe(ran.length)
    for (const ids of order.values()) expect(ids).toEqual([...ids].sort())
    const sharers = await Promise.all(outboxes.map(async (outbox) => (await outbox.stats()).process.acked))
    expect(sharers.filter((acked) => acked > 0).length).toBeGreaterThan(1)
  })

  test('a crowded tenant at its cap does not keep another waiting', async () => {
    for (let index = 0; index < 60; index++) await addLane({ id: `crowd_${index}`, orgId: 'org_crowd' })
    await addLane({ id: 'zz_small', orgId: 'org_small' })
    for (let index = 0; index < 60; index++) await add(`crowd_${index}`, 20, { orgId: 'org_crowd' })
    await add('zz_small', 20, { orgId: 'org_small' })
    let crowd = 0
    let crowdWhenSmallEnded = 0
    let small = 0
    const run: Job['run'] = async (entry) => {
      await pause(2)
      if (entry.orgId === 'org_crowd') crowd += 1
      else if (++small === 20) crowdWhenSmallEnded = crowd
      return { kind: 'done' }
    }
    await start([job(run)], { caps: { tenantInFlightMax: 4 } })
    await until(() => small === 20)
    expect(crowdWhenSmallEnded).toBeLessThan(200)
  })
})

describe('runs', () => {
  test('a handler that throws is retried and says nothing about the other side', async () => {
    await addLane({ id: 'lane', hasBreaker: true })
    let runs = 0
    const outbox = await start([
      job(async () => {
        runs += 1
        if (runs < 3) throw new Error('a bug')
        return { kind: 'done' }
      }),
    ])
    await add('lane', 1)
    outbox.wake(['org_one'])
    await until(async () => (await waiting()) === 0)
    expect(runs).toBe(3)
    expect(await laneStatus(db.database, { orgId: 'org_one', id: 'lane' }, new Date())).toMatchObject({
      failuresSinceSuccess: 0,
    })
  })

  test('a run that outlasts its timeout is aborted, counted as overload, and retried', async () => {
    await addLane({ id: 'lane', isAdaptive: true, concurrencyMax: 4 })
    const aborted: unknown[] = []
    const run: Job['run'] = (_, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason)
          reject(new Error('stopped'))
        }),
      )
    const outbox = await start([job(run, { timeoutMs: 20, retry: { delaysMs: [60_000], jitter: 0 } })])
    const [id] = await add('lane', 1)
    outbox.wake(['org_one'])
    await until(
      async () =>
        (await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date()))?.reason === 'not_due',
    )
    expect(aborted).toEqual(['timed_out'])
    expect(await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date())).toMatchObject({
      detail: 'timed_out',
    })
    expect((await laneStatus(db.database, { orgId: 'org_one', id: 'lane' }, new Date()))?.concurrency).toBe(1)
  })

  test('a run is aborted when its lease is lost', async () => {
    await addLane({ id: 'lane' })
    const reasons: unknown[] = []
    const run: Job['run'] = (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          resolve({ kind: 'done' })
        }),
      )
    const outbox = await start([job(run, { leaseMs: 3_000 })])
    await add('lane', 1)
    outbox.wake(['org_one'])
    await until(async () => (await outbox.stats()).inFlight === 1)
    await db.database.script(`update outbox_entries set lease_number = lease_number + 1`)
    await until(() => reasons.length === 1)
    expect(reasons).toEqual(['lease_lost'])
    await until(async () => (await outbox.stats()).process.lostLeases === 1)
    expect(await waiting()).toBe(1)
  })

  test('a long run keeps its lease', async () => {
    await addLane({ id: 'lane' })
    const { promise, resolve } = Promise.withResolvers<{ kind: 'done' }>()
    const outbox = await start([job(() => promise, { leaseMs: 600 })], { pace: { reapEveryMs: 50 } })
    await add('lane', 1)
    outbox.wake(['org_one'])
    const startedMs = performance.now()
    await until(() => performance.now() - startedMs > 1_500)
    resolve({ kind: 'done' })
    await until(async () => (await waiting()) === 0)
    expect((await outbox.stats()).process).toMatchObject({ acked: 1, reaped: 0, lostLeases: 0 })
  })

  test('one result that cannot be recorded does not sink the others of its batch', async () => {
    await addLane({ id: 'lane', concurrencyMax: 20 })
    const ids = await add('lane', 9)
    const poison = ids[4] as string
    const recorded: string[] = []
    const outbox = await start([
      job(async () => ({ kind: 'done' }), {
        record: async (_, results) => {
          if (results.some((result) => result.entry.id === poison)) throw new Error('cannot be recorded')
          recorded.push(...results.map((result) => result.entry.id))
        },
      }),
    ])
    outbox.wake(['org_one'])
    await until(async () => (await outbox.stats()).process.abandoned === 1 && recorded.length === 8)
    expect(recorded.sort()).toEqual(ids.filter((id) => id !== poison))
    expect((await explainEntry(db.database, { orgId: 'org_one', id: poison }, new Date()))?.reason).toBe('in_flight')
  })

  test('lanes a capability enqueues to while recording are served at once', async () => {
    await addLane({ id: 'first' })
    await addLane({ id: 'second' })
    const outbox = await start(
      [
        job(async () => ({ kind: 'done' }), {
          record: async (tx, results) => {
            if (results[0]?.entry.laneId !== 'first') return false
            await enqueue(tx, [{ id: 'follow_up', laneId: 'second', orgId: 'org_one', job: 'test.work' }])
            return true
          },
        }),
      ],
      { pace: {} },
    )
    await add('first', 1)
    outbox.wake(['org_one'])
    await until(async () => (await outbox.stats()).process.acked === 2)
  })
})

describe('jobs', () => {
  test('an older version starts beside entries of a job it does not have, leaves them waiting and does the others', async () => {
    await addLane({ id: 'lane' })
    await addLane({ id: 'other' })
    const [id] = await add('lane', 1, { job: 'unheard.of' })
    await add('other', 1)
    const done: string[] = []
    await start([
      job(async (entry) => {
        done.push(entry.laneId)
        return { kind: 'done' }
      }),
    ])
    await until(
      async () =>
        (await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date()))?.detail === 'job_unknown',
    )
    await until(async () => done.length > 0)
    expect(done).toEqual(['other'])
  })

  test('two handlers for one name are refused', () => {
    const twice = [job(async () => ({ kind: 'done' })), job(async () => ({ kind: 'done' }))]
    expect(() =>
      createOutbox({ database: db.database, jobs: twice, clock: systemClock, log: quietLog, processId: 'prc_x' }),
    ).toThrow('test.work is defined twice')
  })

  test('an entry of a job that appears later is put back, at no cost to its attempts', async () => {
    await addLane({ id: 'lane' })
    const outbox = await start([job(async () => ({ kind: 'done' }))])
    const [id] = await add('lane', 1, { job: 'newer.version' })
    outbox.wake(['org_one'])
    await until(
      async () =>
        (await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date()))?.reason === 'not_due',
    )
    expect(await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date())).toMatchObject({
      detail: 'job_unknown',
      entry: { attempt: 0 },
    })
  })
})

describe('drain', () => {
  test('what finishes in time is acknowledged, what does not is released for others at once', async () => {
    await addLane({ id: 'lane', concurrencyMax: 10 })
    const gate = Promise.withResolvers<void>()
    const run: Job['run'] = async (entry) => {
      if (entry.orderKey === 'hangs') await new Promise(() => {})
      await gate.promise
      return { kind: 'done' }
    }
    const outbox = await start([job(run, { leaseMs: 600_000 })])
    await add('lane', 5)
    const [hanging] = await add('lane', 1, { orderKey: 'hangs' })
    outbox.wake(['org_one'])
    await until(async () => (await outbox.stats()).process.inFlight === 6)
    const late = await add('lane', 1)
    const stopped = outbox.stop()
    gate.resolve()
    await stopped
    expect(await waiting()).toBe(2)
    expect((await laneStatus(db.database, { orgId: 'org_one', id: 'lane' }, new Date()))?.inFlight).toBe(0)
    const seen: ClaimedEntry[] = []
    const heir = await start([
      job(async (entry) => {
        seen.push(entry)
        return { kind: 'done' }
      }),
    ])
    heir.wake(['org_one'])
    await until(() => seen.length === 2)
    expect(seen.map((entry) => [entry.id, entry.attempt]).sort()).toEqual([
      [hanging as string, 2],
      [late[0] as string, 1],
    ])
  })

  test('a handler that heeds the signal is released when it stops', async () => {
    await addLane({ id: 'lane' })
    const run: Job['run'] = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const outbox = await start([job(run)])
    const [id] = await add('lane', 1)
    outbox.wake(['org_one'])
    await until(async () => (await outbox.stats()).inFlight === 1)
    await outbox.stop()
    expect(await explainEntry(db.database, { orgId: 'org_one', id: id as string }, new Date())).toMatchObject({
      reason: 'ready',
      entry: { attempt: 1, reason: 'released' },
    })
  })
})

test('an outbox that was busy vacuums itself', async () => {
  await addLane({ id: 'lane', concurrencyMax: 50 })
  await add('lane', 20)
  await start([job(async () => ({ kind: 'done' }))], { pace: { tidyAfterAcks: 20 } })
  const vacuumed = () => db.database.one<{ times: number }>`
    select coalesce(sum(vacuum_count), 0)::int as times from pg_stat_user_tables where relname like 'outbox_%'`
  await until(async () => (await vacuumed()).times >= 3)
})

test('the statistics show a transaction that is left open, and the dead rows it keeps', async () => {
  const outbox = await start([job(() => Promise.resolve({ kind: 'done' }))])
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const leftOpen = db.database.transaction(async (tx) => {
    await tx.run`select from outbox_entries`
    await isOver
  })
  await until(async () => (await outbox.stats()).oldestTransactionMs >= 300)
  await addLane({ id: 'lane' })
  await add('lane', 20)
  outbox.wake(['org_one'])
  await until(async () => (await outbox.stats()).deadRows >= 20)
  end()
  await leftOpen
  await until(async () => (await outbox.stats()).oldestTransactionMs < 300)
})

test('the statistics show the backlog, its age, what is in flight and which lanes are unwell', async () => {
  await addLane({ id: 'busy', concurrencyMax: 1 })
  await addLane({ id: 'unwell', hasBreaker: true })
  await add('unwell', 5)
  const { promise, resolve } = Promise.withResolvers<{ kind: 'done' }>()
  const run: Job['run'] = (entry) =>
    entry.laneId === 'busy' ? promise : Promise.resolve({ kind: 'retry', reason: 'status_500' })
  const outbox = await start([job(run, { retry: { delaysMs: [600_000], jitter: 0 } })])
  await add('busy', 3, { dueAt: new Date(Date.now() - 5_000) })
  outbox.wake(['org_one'])
  await until(async () => (await outbox.stats()).process.acked === 5)
  const stats = await outbox.stats()
  expect(stats.busyLanes).toEqual([{ laneId: 'busy', orgId: 'org_one', kind: 'test', inFlight: 1, slots: 1 }])
  expect(stats.unwellLanes).toMatchObject([{ laneId: 'unwell', breaker: 'open' }])
  expect(stats).toMatchObject({ due: 2, isDueCapped: false, inFlight: 1, process: { dispositions: { retrying: 5 } } })
  expect(stats.oldestDueAgeMs).toBeGreaterThanOrEqual(5_000)
  resolve({ kind: 'done' })
})

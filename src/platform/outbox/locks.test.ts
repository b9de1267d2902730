import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { enqueue } from './entries.ts'
import { defineJob, type Job } from './job.ts'
import { ensureLane } from './lanes.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'

/** A row that something outside of the outbox keeps locked: a console transaction, a client that was stopped. */
const db = useTestDatabase()
let outbox: Outbox | null = null

beforeEach(async () => {
  await db.database.script(`
    truncate outbox_entries, outbox_lanes, outbox_key_gaps;
    drop table if exists accounts; create table accounts (id text primary key, runs int not null default 0)`)
})
afterEach(async () => {
  await outbox?.stop()
  outbox = null
})

/** Locks what the statement selects until `release`. */
async function lock(select: string): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.database.transaction(async (tx) => {
    await tx.script(`${select} for update`)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  return async () => {
    released.resolve()
    await holding
  }
}

/** Its record writes the row that an entry's payload names, as a send writes its chat. */
const recordingJob: Job = defineJob<{ account: string }>({
  name: 'test.work',
  retry: { delaysMs: [20], jitter: 0 },
  run: async () => ({ kind: 'done' }),
  record: async (tx, results) => {
    const ids = results.map(({ entry }) => entry.payload.account)
    await tx.run`update accounts set runs = runs + 1 where id = any(${ids}::text[])`
  },
})

async function start(options: Partial<OutboxOptions> = {}): Promise<Outbox> {
  outbox = createOutbox({
    ...{ database: db.database, jobs: [recordingJob], clock: systemClock, log: quietLog, processId: 'prc_one' },
    ...options,
    pace: { scoutEveryMs: 60_000, reapEveryMs: 60_000, drainMs: 5_000 },
  })
  await outbox.start()
  return outbox
}

const addLane = (id: string, orgId: OrgId) =>
  ensureLane(db.database, { id, orgId, kind: 'test', isAdaptive: false, hasBreaker: false, concurrencyMax: 32 })

async function add(laneId: string, orgId: OrgId, accounts: string[]): Promise<void> {
  await db.database.run`
    insert into accounts (id) select * from unnest(${accounts}::text[]) on conflict do nothing`
  await enqueue(
    db.database,
    accounts.map((account) => ({ id: `ent_${account}`, laneId, orgId, job: 'test.work', payload: { account } })),
  )
}

const orgs = (count: number) => Array.from({ length: count }, (_, index) => `org_${index}` as const)
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}_${index}`)

const left = async () =>
  (await db.database.many<{ id: string }>`select id from outbox_entries order by id`).map((row) => row.id)

describe('an acknowledgement behind a lock', () => {
  test('holds up neither its own batch nor other organizations when a row of one run is locked', async () => {
    for (const org of orgs(4)) await addLane(`lane_${org}`, org)
    for (const org of orgs(4)) await add(`lane_${org}`, org, names(org, 8))
    const release = await lock(`select from accounts where id = 'org_0_3'`)
    const started = await start()
    const startedMs = performance.now()
    started.wake(orgs(4))
    await until(async () => (await left()).length === 1)
    expect(await left()).toEqual(['ent_org_0_3'])
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    // What comes later does not wait for it either.
    await add('lane_org_0', 'org_0', ['later'])
    started.wake(['org_0'])
    await until(async () => !(await left()).includes('ent_later'))
    expect(await left()).toEqual(['ent_org_0_3'])
    await release()
    await until(async () => (await left()).length === 0)
    const runs = await db.database.many<{ runs: number }>`select distinct runs from accounts`
    expect(runs).toEqual([{ runs: 1 }])
  })
})

describe('a claim', () => {
  test('goes on with other lanes when one that has new work is locked, and comes back to it', async () => {
    for (const org of orgs(2)) await addLane(`lane_${org}`, org)
    await add('lane_org_0', 'org_0', ['locked'])
    const release = await lock(`select from outbox_lanes where org_id = 'org_0' and id = 'lane_org_0'`)
    const started = await start()
    started.wake(['org_0'])
    await add('lane_org_1', 'org_1', ['free'])
    started.wake(['org_1'])
    await until(async () => !(await left()).includes('ent_free'))
    expect(await left()).toEqual(['ent_locked'])
    await release()
    await until(async () => (await left()).length === 0)
  })
})

import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import type { Database } from '../database/database.ts'
import { stepper } from './outbox.suite.ts'

const db = useTestDatabase()

/** Statistics of a transaction are there as soon as it has ended. */
const counted = (): Database => ({
  ...db.database,
  transaction: (work, options) =>
    db.database.transaction(async (tx) => {
      const result = await work(tx)
      await tx.run`select pg_stat_force_next_flush()`
      return result
    }, options),
})
const { addLane, add, claim, ack } = stepper(counted)

/** How many entries of indexes claims have read so far. */
const countReads = async (): Promise<number> =>
  (
    await db.database.one<{ reads: number }>`
      select sum(idx_tup_read)::int as reads from pg_stat_user_indexes where relname = 'outbox_entries'`
  ).reads

const LANES = Array.from({ length: 8 }, (_, nth) => `lane_${nth}`)
const BACKLOG_ONCE = 20_000

test('claims and acknowledgements read about as many entries as they change when they were planned before the backlog', async () => {
  for (const id of LANES) await addLane({ id, concurrencyMax: 8 })
  // The statements are planned for a table that was full once and is empty now.
  await db.database.run`
    insert into outbox_entries (org_id, id, lane_id, job)
    select 'org_one', 'ent_' || n, 'lane_' || n % 8 || repeat('x', 40), 'test.work'
    from generate_series(1, ${BACKLOG_ONCE}::int) as n`
  await db.database.run`delete from outbox_entries`
  await db.database.script('vacuum analyze outbox_entries')
  for (let round = 0; round < 3; round++) {
    await add('lane_0', 1)
    await ack((await claim()).entries)
  }
  for (const id of LANES) await add(id, 400)
  const before = await countReads()
  const { entries } = await claim()
  const reads = (await countReads()) - before
  expect(entries).toHaveLength(64)
  expect(reads).toBeLessThan(10 * entries.length)
  const claimed = await countReads()
  await ack(entries)
  expect((await countReads()) - claimed).toBeLessThan(10 * entries.length)
})

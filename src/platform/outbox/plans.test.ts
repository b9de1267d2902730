import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import type { Database } from '../database/database.ts'
import { DONE, FAILS, stepper } from './outbox.suite.ts'

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
const { addLane, add, claim, ack, clear } = stepper(counted)

/** How many entries were read so far, by indexes and by scans of the table. */
const countReads = async (): Promise<number> =>
  (
    await db.database.one<{ reads: number }>`
      select seq_tup_read::int + (
        select sum(idx_tup_read)::int from pg_stat_user_indexes where relname = 'outbox_entries') as reads
      from pg_stat_user_tables where relname = 'outbox_entries'`
  ).reads

const LANES = Array.from({ length: 8 }, (_, nth) => `lane_${nth}`)
/** For up to 64 entries, out of 8,000. */
const READS_MAX = 1_500
const BACKLOG_ONCE = 20_000

test.each([
  ['without order', 'none', DONE],
  ['without order, of which all fail,', 'none', FAILS],
  ['in order', 'by_key', DONE],
  ['in order, of which all fail,', 'by_key', FAILS],
] as const)(
  'work %s is claimed and acknowledged without reading the backlog when plans are older than it',
  async (_, ordering, outcome) => {
    await clear()
    for (const id of LANES) await addLane({ id, concurrencyMax: 8, ordering })
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
    for (const id of LANES) await add(id, 1_000)
    await db.database.run`update outbox_entries set order_key = right(id, 2)`
    const before = await countReads()
    const { entries } = await claim()
    const reads = (await countReads()) - before
    expect(entries.length).toBeGreaterThan(16)
    expect(reads).toBeLessThan(READS_MAX)
    const claimed = await countReads()
    await ack(entries, outcome)
    expect((await countReads()) - claimed).toBeLessThan(READS_MAX)
  },
)

import { beforeAll, describe, expect, test } from 'bun:test'
import { createTestDatabase, useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import {
  createPartitionMaintenance,
  dropOldPartitions,
  ensurePartitions,
  type PartitionedTable,
} from './daily-partitions.ts'

const db = useTestDatabase()
const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS
const noon = Date.parse('2025-11-14T12:00:00Z')
const diary = { table: 'diary', idPrefix: 'evt', retentionDays: 30 } as const

beforeAll(async () => {
  await db.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
})

const partitions = async () =>
  (
    await db.database.many<{
      name: string
    }>`select relname as name from pg_class where relname like 'diary_2%' and relkind = 'r' order by 1`
  ).map((row) => row.name)

test('a row finds its partition when its id is of now, a little earlier or up to three days ahead', async () => {
  await ensurePartitions(db.database, diary, noon)
  for (const at of [noon - DAY_MS, noon, noon + 3 * DAY_MS])
    await db.database.run`insert into diary (id) values (${newId('evt', at)})`
  expect(await partitions()).toEqual([
    'diary_20251113',
    'diary_20251114',
    'diary_20251115',
    'diary_20251116',
    'diary_20251117',
  ])
})

test('processes that start at once create each partition once', async () => {
  const other = await createTestDatabase()
  await other.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
  await Promise.all(Array.from({ length: 6 }, () => ensurePartitions(other.database, diary, noon)))
  const rows = await other.database.many`select 1 from pg_class where relname like 'diary_2%' and relkind = 'r'`
  expect(rows.length).toBe(5)
  await other.close()
})

test('days past the retention time are dropped whole, younger ones stay', async () => {
  await ensurePartitions(db.database, diary, noon)
  const later = noon + 31 * DAY_MS
  expect(await dropOldPartitions(db.database, diary, later)).toEqual({
    dropped: ['diary_20251113', 'diary_20251114'],
    busy: [],
  })
  expect(await partitions()).toEqual(['diary_20251115', 'diary_20251116', 'diary_20251117'])
})

test('a day that is still needed keeps the later ones too, so that what is left has no hole', async () => {
  const own = await createTestDatabase()
  await own.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
  await ensurePartitions(own.database, diary, noon)
  const needed = Date.parse('2025-11-14T00:00:00Z')
  const isNeeded: PartitionedTable['isNeeded'] = async (_, { from }) => from.getTime() === needed
  const later = noon + 33 * DAY_MS
  expect((await dropOldPartitions(own.database, { ...diary, isNeeded }, later)).dropped).toEqual(['diary_20251113'])
  expect((await dropOldPartitions(own.database, diary, later)).dropped).toEqual([
    'diary_20251114',
    'diary_20251115',
    'diary_20251116',
  ])
  await own.close()
})

/** Such as a report, a backup, or a forgotten transaction. */
describe('while a long transaction reads the table', () => {
  const aDiary = async () => {
    const own = await createTestDatabase()
    await own.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
    await ensurePartitions(own.database, diary, noon)
    const reader = await own.database.reserve()
    await reader.run`begin`
    await reader.run`select count(*) from diary`
    return {
      ...own,
      write: (at: number) => own.database.run`insert into diary (id) values (${newId('evt', at)})`,
      async endReading() {
        await reader.run`commit`
        reader.release()
      },
    }
  }
  const later = noon + 31 * DAY_MS

  test('dropping gives up soon, so writers wait a moment and not for the reader', async () => {
    const { database, write, endReading, close } = await aDiary()
    const dropping = dropOldPartitions(database, diary, later)
    await until(async () => {
      const rows = await database.many`select from pg_locks where mode = 'AccessExclusiveLock' and not granted`
      return rows.length > 0
    })
    await write(noon)
    expect(await dropping).toEqual({ dropped: [], busy: ['diary_20251113', 'diary_20251114'] })
    await write(noon)
    await endReading()
    expect((await dropOldPartitions(database, diary, later)).dropped).toEqual(['diary_20251113', 'diary_20251114'])
    await close()
  })

  test('a new day is created at once, and no statement waits', async () => {
    const { database, write, endReading, close } = await aDiary()
    await ensurePartitions(database, diary, noon + 5 * DAY_MS)
    await write(noon + 5 * DAY_MS)
    await endReading()
    await close()
  })

  test('maintenance tries again and drops once the reader is gone', async () => {
    const { database, endReading, close } = await aDiary()
    const maintenance = createPartitionMaintenance({
      database,
      clock: { now: () => later },
      log: quietLog,
      tables: [diary],
      busyAgainMs: 50,
    })
    await maintenance.start()
    await endReading()
    await until(async () => (await dropped(database)) === 0)
    await maintenance.stop()
    await close()
  })

  test('rounds that fail for hours are no jump of the clock', async () => {
    const { database, endReading, close } = await aDiary()
    const [warnings, errors]: [string[], string[]] = [[], []]
    const note = (lines: string[]) => (_fields: unknown, words?: string) => void lines.push(words ?? '')
    const clock = fixedClock(later)
    const tables: PartitionedTable[] = [diary]
    const maintenance = createPartitionMaintenance({
      ...{ database, clock, tables, log: { ...quietLog, warn: note(warnings), error: note(errors) } },
      busyAgainMs: 5,
      clockWatchMs: 5,
    })
    await maintenance.start()
    tables.push({ ...diary, table: 'nowhere' })
    for (let hours = 0; hours < 4; hours++) {
      clock.advance(HOUR_MS)
      const failedBefore = errors.length
      await until(() => errors.length > failedBefore + 3)
    }
    await maintenance.stop()
    expect(warnings.filter((words) => words.includes('clock'))).toEqual([])
    await endReading()
    await close()
  })

  const dropped = async (database: ReturnType<typeof useTestDatabase>['database']) =>
    (await database.many`select from pg_class where relname in ('diary_20251113', 'diary_20251114')`).length
})

test('a clock that jumps finds its partitions soon, and nothing is dropped for it', async () => {
  const own = await createTestDatabase()
  await own.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
  const clock = fixedClock(noon)
  const maintenance = createPartitionMaintenance({
    ...{ database: own.database, clock, log: quietLog, tables: [diary] },
    clockWatchMs: 20,
  })
  await maintenance.start()
  const takesRows = () => own.database.run`insert into diary (id) values (${newId('evt', clock.now())})`
  for (const days of [40, -20]) {
    clock.advance(days * DAY_MS)
    await until(() =>
      takesRows().then(
        () => true,
        () => false,
      ),
    )
  }
  await maintenance.stop()
  expect(await own.database.many`select from pg_class where relname = 'diary_20251114'`).toHaveLength(1)
  await own.close()
})

test('a machine whose clock is ahead of the database has nothing dropped', async () => {
  const own = await createTestDatabase()
  await own.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
  await ensurePartitions(own.database, diary, Date.now())
  const listed = () => own.database.many`select relname from pg_class where relname like 'diary_2%' order by relname`
  const before = await listed()
  const clock = { now: () => Date.now() + 400 * DAY_MS }
  const maintenance = createPartitionMaintenance({ database: own.database, clock, log: quietLog, tables: [diary] })
  await maintenance.start()
  await maintenance.stop()
  expect(await listed()).toEqual(expect.arrayContaining(before))
  await own.close()
})

test('partitions of a new time are created soon after when the first try failed', async () => {
  const own = await createTestDatabase()
  await own.database.script('create table diary (id text collate "C" primary key) partition by range (id)')
  const errors: unknown[] = []
  const clock = fixedClock(noon)
  const maintenance = createPartitionMaintenance({
    ...{ database: own.database, clock, tables: [diary], clockWatchMs: 5 },
    log: { ...quietLog, error: (fields) => void errors.push(fields) },
  })
  await maintenance.start()
  await own.database.script('alter table diary rename to diary_away')
  clock.advance(40 * DAY_MS)
  await until(() => errors.length > 1)
  await own.database.script('alter table diary_away rename to diary')
  await until(async () => {
    const created = await own.database.many`select from pg_class where relname = 'diary_20251224' and relkind = 'r'`
    return created.length === 1
  })
  await maintenance.stop()
  await own.close()
})

test('a partition has the indexes, constraints and defaults of its table', async () => {
  const own = await createTestDatabase()
  await own.database.script(`
    create table ledger (
      id text collate "C" not null,
      amount integer not null default 7 constraint ledger_amount_positive check (amount > 0),
      noted_at timestamptz not null default now(),
      constraint ledger_pkey primary key (id)
    ) partition by range (id);
    create index ledger_noted_at_index on ledger (noted_at);`)
  await ensurePartitions(own.database, { table: 'ledger', idPrefix: 'evt', retentionDays: 30 }, noon)
  const id = newId('evt', noon)
  await own.database.run`insert into ledger (id) values (${id})`
  expect(await own.database.one<{ amount: number }>`select amount from ledger where id = ${id}`).toEqual({ amount: 7 })
  await expect(own.database.run`insert into ledger (id) values (${id})`).rejects.toThrow('duplicate')
  await expect(own.database.run`insert into ledger (id, amount) values (${newId('evt', noon)}, 0)`).rejects.toThrow(
    'ledger_amount_positive',
  )
  const indexes = await own.database.many`select from pg_indexes where tablename = 'ledger_20251114'`
  expect(indexes.length).toBe(2)
  await own.close()
})

test('a table that says so keeps rows of a few kilobytes as they are, uncompressed', async () => {
  const { database } = db
  await database.script(
    'create table pages (id text collate "C" primary key, body text not null) partition by range (id)',
  )
  await ensurePartitions(database, { table: 'pages', idPrefix: 'evt', retentionDays: 30, plainBytesMax: 8160 }, noon)
  await database.run`insert into pages (id, body) values (${newId('evt', noon)}, ${'the same again '.repeat(400)})`
  const { bytes } = await database.one<{ bytes: number }>`select pg_column_size(body) as bytes from pages`
  expect(bytes).toBeGreaterThan(6000)
})

import { expect, test } from 'bun:test'
import { createTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import type { Database, Queries } from './database.ts'
import { createTableStatistics } from './table-statistics.ts'

const statisticsOf = (database: Database, pauseMs = 0) => createTableStatistics({ database, log: quietLog, pauseMs })

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const own = await createTestDatabase()
  try {
    await work(own.database)
  } finally {
    await own.close()
  }
}

/** The connection that wrote rows reports them within a second, or at the end of its transaction when asked to. */
const insertNumbers = (database: Database, { from, to }: { from: number; to: number }) =>
  database.transaction(async (tx) => {
    await tx.run`insert into grown select generate_series(${from}::int, ${to}::int)`
    await tx.run`select pg_stat_force_next_flush()`
  })

/** Keeps its plan from the first run on, as every connection does from the sixth on. */
async function prepareLook(connection: Queries): Promise<() => Promise<string>> {
  await connection.run`set plan_cache_mode to force_generic_plan`
  await connection.run`
    prepare look (int[]) as select grown.id from unnest($1) as wanted (id) join grown on grown.id = wanted.id`
  return async () => {
    const lines = await connection.many<{ 'QUERY PLAN': string }>`explain execute look ('{1}')`
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  }
}

test('a plan from when its table was empty becomes an index scan when the table has grown', () =>
  withDatabase(async (database) => {
    await database.script(`
      create table grown (id int primary key) with (autovacuum_enabled = off); insert into grown values (1); analyze grown`)
    const connection = await database.reserve()
    const look = await prepareLook(connection)
    expect(await look()).toContain('Seq Scan on grown')
    await insertNumbers(database, { from: 2, to: 20_000 })
    expect(await look()).toContain('Seq Scan on grown')
    expect(await statisticsOf(database).analyzeGrown()).toEqual(['grown'])
    const plan = await look()
    expect(plan).toContain('using grown_pkey')
    expect(plan).not.toContain('Seq Scan on grown')
    connection.release()
  }))

test('the parent of partitions is analyzed with its partition when their rows pass a power of ten', () =>
  withDatabase(async (database) => {
    await database.script(`
      create table grown (id int primary key) partition by range (id);
      create table grown_1 partition of grown for values from (0) to (10000) with (autovacuum_enabled = off);
      create table grown_2 partition of grown for values from (10000) to (20000) with (autovacuum_enabled = off)`)
    const connection = await database.reserve()
    const look = await prepareLook(connection)
    await look()
    await insertNumbers(database, { from: 1, to: 9_000 })
    expect((await statisticsOf(database).analyzeGrown()).sort()).toEqual(['grown', 'grown_1'])
    expect(await look()).toContain('grown_1_pkey')
    await insertNumbers(database, { from: 9_001, to: 9_100 })
    expect(await statisticsOf(database).analyzeGrown()).toEqual([])
    await insertNumbers(database, { from: 10_000, to: 18_500 })
    expect((await statisticsOf(database).analyzeGrown()).sort()).toEqual(['grown', 'grown_2'])
    connection.release()
  }))

test('a table is analyzed once when several processes find it grown', () =>
  withDatabase(async (database) => {
    await database.script('create table grown (id int primary key) with (autovacuum_enabled = off)')
    await insertNumbers(database, { from: 1, to: 2_000 })
    const analyzed = await Promise.all(Array.from({ length: 4 }, () => statisticsOf(database).analyzeGrown()))
    expect(analyzed.flat()).toEqual(['grown'])
  }))

test('a table that was analyzed just now is left alone when it passes the next power of ten', () =>
  withDatabase(async (database) => {
    await database.script('create table grown (id int primary key) with (autovacuum_enabled = off)')
    await insertNumbers(database, { from: 1, to: 2_000 })
    expect(await statisticsOf(database, 60_000).analyzeGrown()).toEqual(['grown'])
    await insertNumbers(database, { from: 2_001, to: 12_000 })
    expect(await statisticsOf(database, 60_000).analyzeGrown()).toEqual([])
    expect(await statisticsOf(database, 0).analyzeGrown()).toEqual(['grown'])
  }))

test('a grown table is analyzed without being asked once the statistics are started', () =>
  withDatabase(async (database) => {
    await database.script('create table grown (id int primary key) with (autovacuum_enabled = off)')
    const statistics = createTableStatistics({ database, log: quietLog, everyMs: 20 })
    await statistics.start()
    await insertNumbers(database, { from: 1, to: 2_000 })
    await until(async () => {
      const { rows } = await database.one<{ rows: number }>`
        select reltuples::int as rows from pg_class where relname = 'grown'`
      return rows === 2_000
    })
    await statistics.stop()
  }))

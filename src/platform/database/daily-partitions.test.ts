import { beforeAll, expect, test } from 'bun:test'
import { createTestDatabase, useTestDatabase } from '../../../test/support/database.ts'
import { newId } from '../../kernel/ids.ts'
import { dropOldPartitions, ensurePartitions } from './daily-partitions.ts'

const db = useTestDatabase()
const DAY_MS = 24 * 3600 * 1000
const noon = Date.parse('2026-11-14T12:00:00Z')
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

test('a row made now, a little earlier or up to three days ahead finds its partition', async () => {
  await ensurePartitions(db.database, diary, noon)
  for (const at of [noon - DAY_MS, noon, noon + 3 * DAY_MS])
    await db.database.run`insert into diary (id) values (${newId('evt', at)})`
  expect(await partitions()).toEqual([
    'diary_20261113',
    'diary_20261114',
    'diary_20261115',
    'diary_20261116',
    'diary_20261117',
  ])
})

test('processes that start at once make each partition once', async () => {
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
  expect(await dropOldPartitions(db.database, diary, later)).toEqual(['diary_20261113', 'diary_20261114'])
  expect(await partitions()).toEqual(['diary_20261115', 'diary_20261116', 'diary_20261117'])
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testPostgresUrl } from '../../../test/support/postgres.ts'
import { type Database, openDatabase } from './database.ts'
import { currentMigrations, migrate, pendingMigrations, readMigrations } from './migrate.ts'

let server: Database
let folder: string
const opened: Database[] = []
let count = 0

beforeAll(async () => {
  server = openDatabase({ url: await testPostgresUrl(), connectionsMax: 1 })
  folder = await mkdtemp(join(tmpdir(), 'nexkit-migrations-'))
})

afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()))
  await server.close()
  await rm(folder, { recursive: true })
})

async function anEmptyDatabase(): Promise<() => Database> {
  count += 1
  const name = `nexkit_migrate_${process.pid}_${count}`
  await server.script(`create database ${name}`)
  const url = new URL(await testPostgresUrl())
  url.pathname = `/${name}`
  return () => {
    const database = openDatabase({ url: url.href, connectionsMax: 2 })
    opened.push(database)
    return database
  }
}

async function migrationsOf(files: Record<string, string>) {
  const own = await mkdtemp(join(folder, 'set-'))
  await mkdir(join(own, 'earlier'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(own, name), text)
  return readMigrations(own)
}

const first = { '0001_first.sql': 'create table first (id int); insert into first values (1);' }
const second = { ...first, '0002_second.sql': 'create table second (id int);' }

test('migrations are applied in order, once, and later only the new ones', async () => {
  const database = (await anEmptyDatabase())()
  expect(await migrate(database, await migrationsOf(first))).toEqual(['0001_first'])
  expect(await pendingMigrations(database, await migrationsOf(second))).toEqual(['0002_second'])
  expect(await migrate(database, await migrationsOf(second))).toEqual(['0002_second'])
  expect(await migrate(database, await migrationsOf(second))).toEqual([])
})

test('five processes that start at once apply each migration exactly once', async () => {
  const open = await anEmptyDatabase()
  const migrations = await migrationsOf({
    ...second,
    '0003_slow.sql': 'select pg_sleep(0.1); create table third (id int);',
  })
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(open(), migrations)))
  expect(applied.flat().sort()).toEqual(['0001_first', '0002_second', '0003_slow'])
  expect(await open().many`select id from first`).toEqual([{ id: 1 }])
})

test('a migration that fails leaves nothing behind and is tried again next time', async () => {
  const database = (await anEmptyDatabase())()
  const broken = await migrationsOf({ '0001_first.sql': 'create table first (id int); select no_such_column;' })
  await expect(migrate(database, broken)).rejects.toThrow('no_such_column')
  expect(await migrate(database, await migrationsOf(first))).toEqual(['0001_first'])
})

test('an edited migration is refused', async () => {
  const database = (await anEmptyDatabase())()
  await migrate(database, await migrationsOf(first))
  const edited = await migrationsOf({ '0001_first.sql': `${first['0001_first.sql']} -- changed` })
  await expect(migrate(database, edited)).rejects.toThrow('differs from the one')
})

test('an older program refuses a schema with a breaking change, and accepts one with an additive change', async () => {
  const open = await anEmptyDatabase()
  await migrate(open(), await migrationsOf(second))
  expect(await migrate(open(), await migrationsOf(first))).toEqual([])
  await migrate(open(), await migrationsOf({ ...second, '0003_breaking.sql': '-- breaking: renamed\nselect 1;' }))
  await expect(migrate(open(), await migrationsOf(second))).rejects.toThrow('newer Nexkit')
})

test('two migrations with one number, or a name that says nothing, are refused', async () => {
  await expect(migrationsOf({ '0001_a.sql': '', '0001_b.sql': '' })).rejects.toThrow('numbered 1')
  await expect(migrationsOf({ 'first.sql': '' })).rejects.toThrow('not named like')
})

const baseline = {
  'earlier/0001_first.sql': first['0001_first.sql'],
  'earlier/0002_second.sql': 'create table second (id int);',
  '0200_all.sql':
    '-- baseline\ncreate table first (id int); insert into first values (1); create table second (id int);',
}
const later = { ...baseline, '0201_third.sql': 'create table third (id int);' }

test('a new database begins with the baseline, and a program that knows only what was before it refuses that schema', async () => {
  const open = await anEmptyDatabase()
  expect(await migrate(open(), await migrationsOf(later))).toEqual(['0200_all', '0201_third'])
  expect(await pendingMigrations(open(), await migrationsOf(later))).toEqual([])
  await expect(migrate(open(), await migrationsOf(second))).rejects.toThrow('newer Nexkit')
})

test('a database that began before the baseline goes on as it began, and older programs still accept it', async () => {
  const open = await anEmptyDatabase()
  await migrate(open(), await migrationsOf(first))
  expect(await migrate(open(), await migrationsOf(baseline))).toEqual(['0002_second'])
  expect(await migrate(open(), await migrationsOf(later))).toEqual(['0201_third'])
  expect(await migrate(open(), await migrationsOf(second))).toEqual([])
  const applied = await open().many<{ version: number }>`select version from schema_migrations order by version`
  expect(currentMigrations(applied)).toEqual([{ version: 200 }, { version: 201 }])
})

/** All that a schema consists of, but for the names that PostgreSQL gives to "not null" and for partitions, which follow their table. */
const schemaOf = (database: Database) => database.many`
  with tables as (
    select oid, relname, relkind, reloptions from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition)
  select relname, 'table' as part, concat_ws(' ', relkind, reloptions::text, pg_get_partkeydef(oid)) as definition from tables
  union all
  select relname, 'column ' || row_number() over (partition by attrelid order by attnum),
    concat_ws(' ', attname, format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull, attstorage,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid))
  from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select relname, conname, pg_get_constraintdef(pg_constraint.oid)
  from tables join pg_constraint on conrelid = tables.oid where contype <> 'n'
  union all
  select relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
  from tables join pg_index on indrelid = tables.oid
  order by 1, 2, 3`

test('the baseline is the schema that the earlier migrations lead to', async () => {
  const migrations = await readMigrations(join(import.meta.dirname, '../../../migrations'))
  const [begun, fresh] = [(await anEmptyDatabase())(), (await anEmptyDatabase())()]
  await migrate(
    begun,
    migrations.filter(({ version }) => version < 200),
  )
  await migrate(fresh, migrations)
  await migrate(begun, migrations)
  const schema = await schemaOf(fresh)
  expect(schema.length).toBeGreaterThan(1000)
  expect(await schemaOf(begun)).toEqual(schema)
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testPostgresUrl } from '../../../test/support/postgres.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate, pendingMigrations, readMigrations } from './migrate.ts'

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

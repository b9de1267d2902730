import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { type Migration, readMigrations } from '../../src/platform/database/migrate.ts'
import { duringTests } from './during-tests.ts'
import { testPostgresUrl } from './postgres.ts'

/**
 * A database of its own for every test file, cloned from a template that was migrated once: milliseconds instead of
 * all migrations again, and nothing one file writes is seen by another.
 */
export type TestDatabase = { database: Database; url: string; migrations: Migration[]; close(): Promise<void> }

const TEMPLATE_LOCK = 7_310_090
const MIGRATIONS_FOLDER = resolve(import.meta.dirname, '..', '..', 'migrations')

const withName = (serverUrl: string, name: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** The template's name holds a hash of the migrations, so an edited one makes a new template. */
async function prepareTemplate(serverUrl: string, migrations: Migration[]): Promise<string> {
  const hash = createHash('sha256')
    .update(migrations.map((migration) => migration.checksum).join())
    .digest('hex')
  const name = `nexkit_template_${hash.slice(0, 12)}`
  const server = openDatabase({ url: serverUrl, connectionsMax: 1 })
  const connection = await server.reserve()
  try {
    await connection.run`select pg_advisory_lock(${TEMPLATE_LOCK})`
    const existing = await connection.maybeOne<{
      datname: string
    }>`select datname from pg_database where datname = ${name}`
    if (existing === null) await makeTemplate(serverUrl, name, migrations)
  } finally {
    await connection.run`select pg_advisory_unlock(${TEMPLATE_LOCK})`
    connection.release()
    await server.close()
  }
  return name
}

/** Built under another name and renamed when complete: an interrupted run leaves no half-migrated template. */
async function makeTemplate(serverUrl: string, name: string, migrations: Migration[]): Promise<void> {
  const draft = `${name}_${randomBytes(4).toString('hex')}`
  const server = openDatabase({ url: serverUrl, connectionsMax: 1 })
  await server.script(`create database ${draft}`)
  const database = openDatabase({ url: withName(serverUrl, draft), connectionsMax: 2 })
  // As a start of the server prepares it, which then has next to nothing to do. Asked for only here: what a test of one part
  // needs from a database should not be all parts.
  const { prepareSchema } = await import('../../src/schema.ts')
  await prepareSchema(database, migrations)
  await database.close()
  await server.script(`alter database ${draft} rename to ${name}`)
  await server.close()
}

/** A copy of the given one, which nothing may be connected to, or an empty one. */
export async function createTestDatabase(copied?: TestDatabase): Promise<TestDatabase> {
  const serverUrl = await testPostgresUrl()
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const template =
    copied === undefined ? await prepareTemplate(serverUrl, migrations) : new URL(copied.url).pathname.slice(1)
  const name = `nexkit_test_${process.pid}_${randomBytes(4).toString('hex')}`
  const server = openDatabase({ url: serverUrl, connectionsMax: 1 })
  // Copied file by file, in a third of the time that it takes through the write-ahead log.
  await server.script(`create database ${name} template ${template} strategy file_copy`)
  const url = withName(serverUrl, name)
  const database = openDatabase({ url })
  return {
    database,
    url,
    migrations,
    async close() {
      await database.close()
      await server.script(`drop database if exists ${name} with (force)`)
      await server.close()
    },
  }
}

/** For the top of a test file: `const db = useTestDatabase()`, then `db.database` inside the tests. */
export const useTestDatabase = (): TestDatabase =>
  duringTests('the test database', async () => {
    const value = await createTestDatabase()
    return { value, stop: value.close }
  })

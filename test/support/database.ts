import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { propagateSettings } from '../../src/platform/cluster/distribution.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { type Migration, readMigrations } from '../../src/platform/database/migrate.ts'
import { citusUrl, closeToOthers, createDatabase, distributeTables, whileUnused, withName } from './cluster.ts'
import { duringTests } from './during-tests.ts'
import { testPostgresUrl } from './postgres.ts'

/**
 * A separate database for every test file, cloned from a template that was migrated once: this takes milliseconds
 * instead of all migrations, and no file sees what another writes.
 */
export type TestDatabase = { database: Database; url: string; migrations: Migration[]; close(): Promise<void> }

const TEMPLATE_LOCK = 7_310_090
const MIGRATIONS_FOLDER = resolve(import.meta.dirname, '..', '..', 'migrations')

type Template = { name: string; migrations: Migration[] }

/** Looked for once in a process: migrations are not edited while tests run. */
let template: Promise<Template> | undefined

/** The template's name holds a hash of the migrations, so an edited one leads to a new template. */
async function prepareTemplate(serverUrl: string): Promise<Template> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const hash = createHash('sha256')
    .update(migrations.map((migration) => migration.checksum).join())
    .digest('hex')
  const name = `nexkit_template_${citusUrl() === null ? '' : 'citus_'}${hash.slice(0, 12)}`
  const locking = openDatabase({ url: serverUrl, connectionsMax: 1 })
  const connection = await locking.reserve()
  try {
    await connection.run`select pg_advisory_lock(${TEMPLATE_LOCK})`
    const existing = await connection.maybeOne<{
      datname: string
    }>`select datname from pg_database where datname = ${name}`
    if (existing === null) await makeTemplate(serverUrl, name, migrations)
  } finally {
    await connection.run`select pg_advisory_unlock(${TEMPLATE_LOCK})`
    connection.release()
    await locking.close()
  }
  return { name, migrations }
}

/** Built under another name and renamed when complete: an interrupted run leaves no half-migrated template. */
async function makeTemplate(serverUrl: string, name: string, migrations: Migration[]): Promise<void> {
  const draft = `${name}_${randomBytes(4).toString('hex')}`
  await createDatabase(serverUrl, draft)
  const database = openDatabase({ url: withName(serverUrl, draft), connectionsMax: 2, statementTimeoutMs: 120_000 })
  // As a start of the server prepares it, which then has next to nothing to do. Asked for only here: what a test of one part
  // needs from a database should not be all parts.
  const { prepareSchema } = await import('../../src/boot/schema.ts')
  await prepareSchema(database, migrations)
  if (citusUrl() !== null) await distributeTables(database)
  await database.close()
  await closeToOthers(serverUrl, draft)
  await whileUnused(serverUrl, [draft], `alter database ${draft} rename to ${name}`)
}

/**
 * Each connection looks up and plans everything anew, which is a third of what PostgreSQL does for most files. So there are few of them:
 * as many as the most crowded tests need.
 */
const CONNECTIONS_MAX = 4

/** A copy of the given one, which nothing may be connected to, or an empty one. */
export async function createTestDatabase(copied?: TestDatabase): Promise<TestDatabase> {
  const serverUrl = await testPostgresUrl()
  template ??= prepareTemplate(serverUrl)
  const { name: templateName, migrations } = await template
  const original = copied === undefined ? templateName : new URL(copied.url).pathname.slice(1)
  const name = `nexkit_test_${process.pid}_${randomBytes(4).toString('hex')}`
  // Copied file by file, in a third of the time that it takes through the write-ahead log.
  await whileUnused(serverUrl, [original], `create database ${name} template ${original} strategy file_copy`)
  const url = withName(serverUrl, name)
  const database = openDatabase({ url, connectionsMax: CONNECTIONS_MAX })
  if (citusUrl() !== null) await completeCopy(database)
  return {
    database,
    url,
    migrations,
    async close() {
      await database.close()
      await whileUnused(serverUrl, [name], `drop database if exists ${name} with (force)`)
    },
  }
}

/** What PostgreSQL does not copy with a database. Later connections have the setting. */
async function completeCopy(database: Database): Promise<void> {
  await propagateSettings(database)
  database.renewConnections()
  await database.lookForShards()
}

/** For the top of a test file: `const db = useTestDatabase()`, then `db.database` inside the tests. */
export const useTestDatabase = (): TestDatabase =>
  duringTests('the test database', async () => {
    const value = await createTestDatabase()
    return { value, stop: value.close }
  })

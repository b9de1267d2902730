import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import type { Database, Queries } from './database.ts'

/**
 * Forward-only migrations in plain SQL: `0007_order_expiry.sql`, applied in number order, each in its own transaction
 * that inserts the version row first. Of two starting processes one therefore waits on the other's row, finds it taken,
 * and goes on: losing that race counts as success. A migration whose first line is `-- breaking` causes older binaries
 * to refuse to start on the new schema; any other newer migration is safe for them by promise.
 */
export type Migration = { version: number; name: string; text: string; checksum: string; isBreaking: boolean }

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/
const LOCK_KEY = 7_310_001

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)))
  for (const [index, migration] of migrations.entries()) {
    if (migrations[index - 1]?.version === migration.version)
      throw new Error(`two migrations are numbered ${migration.version}`)
  }
  return migrations
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const match = FILE_NAME.exec(name)
  if (match === null) throw new Error(`migration ${name} is not named like 0001_what_it_does.sql`)
  const text = await readFile(join(folder, name), 'utf8')
  return {
    version: Number(match[1]),
    name: name.replace('.sql', ''),
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
    isBreaking: text.startsWith('-- breaking'),
  }
}

type AppliedMigration = { version: number; name: string; checksum: string; is_breaking: boolean }

/** Brings the schema up to date and answers the names of what was applied now. */
export async function migrate(database: Database, migrations: Migration[]): Promise<string[]> {
  await createVersionTable(database)
  await refuseForeignSchema(database, migrations)
  const applied: string[] = []
  const known = new Set((await listApplied(database)).map((row) => row.version))
  const hasCluster = await isCitusInstalled(database)
  for (const migration of migrations) {
    if (known.has(migration.version)) continue
    if (await applyMigration(database, migration, hasCluster)) applied.push(migration.name)
  }
  return applied
}

/** What is missing, without changing anything: for readiness and `doctor`. */
export async function pendingMigrations(database: Queries, migrations: Migration[]): Promise<string[]> {
  if (!(await hasVersionTable(database))) return migrations.map((migration) => migration.name)
  const known = new Set((await listApplied(database)).map((row) => row.version))
  return migrations.filter((migration) => !known.has(migration.version)).map((migration) => migration.name)
}

/** Why a start would refuse this schema; null when it would not. Changes nothing: for `doctor`. */
export async function schemaRefusal(database: Queries, migrations: Migration[]): Promise<string | null> {
  return (await hasVersionTable(database)) ? refusalOf(await listApplied(database), migrations) : null
}

const hasVersionTable = async (database: Queries): Promise<boolean> =>
  (await database.one<{ found: boolean }>`select to_regclass('schema_migrations') is not null as found`).found

/** `create table if not exists` alone can collide with itself in a second process, hence the lock. */
const createVersionTable = (database: Database) =>
  database.transaction(async (tx) => {
    await tx.run`select pg_advisory_xact_lock(${LOCK_KEY})`
    await tx.run`
      create table if not exists schema_migrations (
        version integer constraint schema_migrations_pkey primary key,
        name text not null,
        checksum text not null,
        is_breaking boolean not null,
        applied_at timestamptz not null default now()
      )`
  })

const listApplied = (database: Queries) =>
  database.many<AppliedMigration>`select version, name, checksum, is_breaking from schema_migrations order by version`

async function refuseForeignSchema(database: Queries, migrations: Migration[]): Promise<void> {
  const refusal = refusalOf(await listApplied(database), migrations)
  if (refusal !== null) throw new StartError(refusal)
}

function refusalOf(applied: AppliedMigration[], migrations: Migration[]): string | null {
  const byVersion = new Map(migrations.map((migration) => [migration.version, migration]))
  for (const row of applied) {
    const known = byVersion.get(row.version)
    if (known === undefined && row.is_breaking)
      return `The database was changed by a newer Nexkit (migration ${row.name}) and this version cannot work with it. Start the newer version.`
    if (known !== undefined && known.checksum !== row.checksum)
      return `Migration ${row.name} differs from the one this database was made with. Released migrations are never edited; restore the file.`
  }
  return null
}

const isCitusInstalled = async (database: Queries): Promise<boolean> =>
  (await database.one<{ found: boolean }>`select exists (select from pg_extension where extname = 'citus') as found`)
    .found

/** In one message, which is faster. With Citus statement by statement: it hands the text of each to the nodes. */
async function applyMigration(database: Database, migration: Migration, hasCluster: boolean): Promise<boolean> {
  return database.transaction(async (tx) => {
    const claimed = await tx.run`
      insert into schema_migrations (version, name, checksum, is_breaking)
      values (${migration.version}, ${migration.name}, ${migration.checksum}, ${migration.isBreaking})
      on conflict do nothing`
    if (claimed === 0) return false
    await tx.run`set local statement_timeout = 0`
    for (const text of hasCluster ? splitStatements(migration.text) : [migration.text]) await tx.script(text)
    return true
  })
}

/** Comments, quoted text and quoted names, in which a semicolon ends nothing; else a semicolon, or any other character. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[\s\S]/g

function splitStatements(text: string): string[] {
  const statements = ['']
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === ';') statements.push('')
    else if (!token.startsWith('--') && !token.startsWith('/*')) statements[statements.length - 1] += token
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

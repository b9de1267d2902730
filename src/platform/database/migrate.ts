import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import type { Database, Queries } from './database.ts'

/**
 * Forward-only migrations in plain SQL: `0007_order_expiry.sql`, applied in number order, each in its own transaction
 * that inserts the version row first. Of two starting processes one therefore waits on the other's row, finds it taken,
 * and goes on: losing that race counts as success. A migration whose first line is `-- breaking` causes older binaries
 * to refuse to start on the new schema; any other newer migration is safe for them by promise.
 *
 * The baseline (`-- baseline` in the first line) is the whole schema, one file for each capability, and a new database begins with
 * it. A database that began with earlier migrations goes on with these, which lead to the same schema, and then only records the
 * baseline.
 */
export type Migration = {
  version: number
  name: string
  text: string
  checksum: string
  isBreaking: boolean
  isBaseline: boolean
}

/** The first migration of the baseline. Lower numbers are earlier migrations. */
const BASELINE_VERSION = 200

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/
const LOCK_KEY = 7_310_001

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql'))
  const read = await Promise.all(names.map((name) => readMigration(folder, name)))
  const migrations = read.sort((one, other) => one.version - other.version)
  for (const [index, migration] of migrations.entries()) {
    if (migrations[index - 1]?.version === migration.version)
      throw new Error(`two migrations are numbered ${migration.version}`)
  }
  return migrations
}

async function readMigration(folder: string, path: string): Promise<Migration> {
  const name = basename(path)
  const match = FILE_NAME.exec(name)
  if (match === null) throw new Error(`migration ${name} is not named like 0001_what_it_does.sql`)
  const text = await readFile(join(folder, path), 'utf8')
  return {
    version: Number(match[1]),
    name: name.replace('.sql', ''),
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
    isBreaking: text.startsWith('-- breaking'),
    isBaseline: text.startsWith('-- baseline'),
  }
}

type AppliedMigration = { version: number; name: string; checksum: string; is_breaking: boolean }

/** Brings the schema up to date and answers the names of what was applied now. */
export async function migrate(database: Database, migrations: Migration[]): Promise<string[]> {
  await createVersionTable(database)
  await refuseForeignSchema(database, migrations)
  const applied: string[] = []
  const hasCluster = await isCitusInstalled(database)
  for (const { migration, isRun } of stepsOf(migrations, await listApplied(database)))
    if ((await applyMigration(database, migration, { isRun, hasCluster })) && isRun) applied.push(migration.name)
  return applied
}

type Step = { migration: Migration; isRun: boolean }

/** Rows that were written under earlier migrations alone (a backup) need these, too. */
function stepsOf(migrations: readonly Migration[], applied: readonly { version: number }[]): Step[] {
  const known = new Set(applied.map(({ version }) => version))
  const hasBegunEarlier = applied.some(isEarlier) || !migrations.some(({ isBaseline }) => isBaseline)
  return migrations
    .filter((migration) => !known.has(migration.version) && (hasBegunEarlier || !isEarlier(migration)))
    .map((migration) => ({ migration, isRun: !(hasBegunEarlier && migration.isBaseline) }))
}

const isEarlier = ({ version }: { version: number }) => version < BASELINE_VERSION

/** What the schema consists of: without earlier migrations where the baseline, which is the same, is recorded. */
export function currentMigrations<Applied extends { version: number }>(applied: readonly Applied[]): Applied[] {
  const hasBaseline = applied.some(({ version }) => version >= BASELINE_VERSION)
  return applied.filter((one) => !hasBaseline || !isEarlier(one))
}

/** What is missing, without changing anything: for readiness and `doctor`. */
export async function pendingMigrations(database: Queries, migrations: Migration[]): Promise<string[]> {
  const applied = (await hasVersionTable(database)) ? await listApplied(database) : []
  return stepsOf(migrations, applied).map(({ migration }) => migration.name)
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
async function applyMigration(
  database: Database,
  migration: Migration,
  { isRun, hasCluster }: { isRun: boolean; hasCluster: boolean },
): Promise<boolean> {
  // Programs that know only the earlier migrations would run these on a schema that is whole.
  const isBreaking = migration.isBaseline ? isRun : migration.isBreaking
  return database.transaction(async (tx) => {
    const claimed = await tx.run`
      insert into schema_migrations (version, name, checksum, is_breaking)
      values (${migration.version}, ${migration.name}, ${migration.checksum}, ${isBreaking})
      on conflict do nothing`
    if (claimed === 0) return false
    if (!isRun) return true
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

import { partitionedTables } from '../../boot/schema.ts'
import { StartError } from '../../kernel/errors.ts'
import { PART_BYTES } from '../../platform/archive/archive.ts'
import { listLiveProcesses } from '../../platform/cluster/live-processes.sql.ts'
import { ensureDays } from '../../platform/database/daily-partitions.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { type Migration, migrate } from '../../platform/database/migrate.ts'
import {
  beginCopy,
  createRowDigest,
  digestTable,
  findFilledTable,
  type RowCount,
  type TableShape,
  writeTable,
} from '../../platform/database/table-copy.ts'
import { listAppliedMigrations } from './manifest.ts'
import type { Progress } from './progress.ts'
import { copiedTables } from './snapshot.ts'

/**
 * Rows into a database that has none. All of them are written in one transaction, counted and compared before it commits: whatever
 * happens before that moment, a `kill -9` included, leaves the database as empty as it was, and the command can be repeated.
 */
export type Filling = {
  database: Database
  /** Those that the rows were written under. A newer schema is brought up to date afterwards. */
  migrations: Migration[]
  tables: readonly TableShape[]
  progress: Progress
}

/** What a start writes into a database before there is any data; the rows bring their own. */
const REPLACED_TABLES = ['secret_key_check', 'account_revisions']

/** Throws a sentence unless the database can be filled. Changes nothing. */
async function refuseUnfit(database: Database, migrations: readonly Migration[]): Promise<void> {
  const facts = await database.one<{ version: number; encoding: string; tables: number; is_ours: boolean }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      (select count(*)::int from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p'))
        as tables, to_regclass('schema_migrations') is not null as is_ours`
  if (facts.version < 150_000) throw new StartError('The target is older than PostgreSQL 15. Use version 15 or newer.')
  if (facts.encoding !== 'UTF8')
    throw new StartError(`The encoding of the target is ${facts.encoding}. Create the database with encoding UTF8.`)
  if (facts.tables === 0) return
  if (!facts.is_ours) throw notEmpty('it has tables of another program')
  const names = new Set(migrations.map(({ version }) => version))
  const applied = await listAppliedMigrations(database)
  const newer = applied.find(({ version }) => !names.has(version))
  if (newer !== undefined)
    throw new StartError(
      `The target already has a newer schema (migration ${newer.name}) than the data. Use a database without tables.`,
    )
  if (applied.length < migrations.length) return refuseFilled(database, await listTables(database))
  if ((await listLiveProcesses(database)).length > 0)
    throw new StartError('A server is running on the target. Stop it first; one that was killed counts for 15 seconds.')
  await refuseFilled(database, copiedTables)
}

const listTables = async (queries: Queries): Promise<string[]> =>
  (
    await queries.many<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('schema_migrations', 'processes')`
  ).map(({ name }) => name)

const refuseFilled = (database: Database, names: readonly string[]) =>
  database.transaction((tx) => refuseFilledTables(tx, names))

async function refuseFilledTables(tx: Tx, names: readonly string[]): Promise<void> {
  const filled = await findFilledTable(
    tx,
    names.filter((name) => !REPLACED_TABLES.includes(name)),
  )
  if (filled !== null) throw notEmpty(`the table ${filled} has rows`)
}

const notEmpty = (reason: string) =>
  new StartError(`The target is not empty: ${reason}. Nothing was written. Use an empty database or data folder.`)

type FillWork = {
  /** Returns what was counted on the other side. */
  write(writeRows: WriteRows): Promise<Record<string, RowCount>>
  /** Runs when all rows are there and are the same, before the commit. */
  finish?(tx: Tx): Promise<void>
}

export async function fillDatabase(
  { database, migrations, tables, progress }: Filling,
  { write, finish }: FillWork,
): Promise<void> {
  await refuseUnfit(database, migrations)
  await migrate(database, migrations)
  await ensureTableDays(database, tables)
  await database.transaction(async (tx) => {
    await beginCopy(tx, [])
    // Holds off a server that starts now, until the commit.
    await tx.script('lock table organizations in exclusive mode')
    const names = tables.map(({ name }) => name)
    await refuseFilledTables(tx, names)
    for (const name of REPLACED_TABLES) if (names.includes(name)) await tx.script(`delete from ${name}`)
    const written = createRowWriter(tx, tables)
    const counts = await write(written.write)
    await compareTables(tx, { tables, written: written.counts(), counts, progress })
    await finish?.(tx)
  })
}

export type WriteRows = (table: string, lines: Uint8Array) => Promise<void>

export function createRowWriter(tx: Tx, tables: readonly TableShape[]) {
  const byName = new Map(tables.map((table) => [table.name, { table, digest: createRowDigest() }]))
  return {
    async write(name: string, lines: Uint8Array): Promise<void> {
      const entry = byName.get(name)
      if (entry === undefined) throw new Error(`there is no table ${name}`)
      entry.digest.add(lines)
      await writeTable(tx, entry.table, lines)
    },
    counts: (): Record<string, RowCount> =>
      Object.fromEntries([...byName].map(([name, { digest }]) => [name, digest.result()])),
  }
}

/** A partition for every day that rows are of. */
export async function ensureTableDays(database: Database, tables: readonly TableShape[]): Promise<void> {
  const partitioned = new Map(partitionedTables({ requestLogRetentionDays: 1 }).map((table) => [table.table, table]))
  for (const { name, days } of tables) {
    const table = partitioned.get(name)
    if (table !== undefined) await ensureDays(database, table, days)
  }
}

type Comparison = {
  tables: readonly TableShape[]
  written: Record<string, RowCount>
  counts: Record<string, RowCount>
  progress: Progress
}

/** Every table as the other side counted it: what was written, and what the database now has. */
async function compareTables(tx: Tx, { tables, written, counts, progress }: Comparison): Promise<void> {
  for (const table of tables) {
    progress.report(() => `Comparing ${table.name}.`)
    const stored = await digestTable(tx, table, { partBytes: PART_BYTES })
    const stated = counts[table.name]
    for (const found of [written[table.name], stored])
      if (stated === undefined || found?.rows !== stated.rows || found.digest !== stated.digest)
        throw new StartError(
          `The rows of ${table.name} differ: ${stated?.rows ?? 0} were read, ${stored.rows} are stored. Nothing was kept.`,
        )
  }
}

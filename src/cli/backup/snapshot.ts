import { globalTables, lookupTables, orgColumnOf, tenantTables } from '../../boot/tables.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { PART_BYTES } from '../../platform/archive/archive.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { findKeyCheck } from '../../platform/database/secret-key-check.sql.ts'
import {
  beginCopy,
  createRowDigest,
  describeTables,
  type RowCount,
  readTable,
  type TableShape,
} from '../../platform/database/table-copy.ts'
import { type AppliedMigration, listAppliedMigrations } from './manifest.ts'
import type { Progress } from './progress.ts'

/**
 * All rows at one moment, read while the server goes on: one transaction with one snapshot. What a process holds only for itself (its
 * entry, its grants, counted guesses) is left out; the other side is then in the state after a crash, from which every start recovers.
 */
const OF_PROCESSES = ['outbox_grants', 'processes', 'sign_in_limits']

/** Written by migrations, and compared by them. */
const OF_SCHEMA = ['schema_migrations']

export const copiedTables = [...tenantTables, ...lookupTables, ...globalTables].filter(
  (name) => !OF_PROCESSES.includes(name) && !OF_SCHEMA.includes(name),
)

export type StoredFile = { storage_key: string; mime_type: string; bytes: number; sha256: string }

export type Snapshot = {
  tables: TableShape[]
  migrations: AppliedMigration[]
  keyCheck: string | null
  /** Reads the rows of all tables, in the order in which they can be written. */
  readRows(write: (table: TableShape, lines: Uint8Array) => Promise<void>): Promise<Record<string, RowCount>>
  /** The files that rows name. */
  listFiles(): Promise<StoredFile[]>
}

type SnapshotOptions = {
  database: Database
  tables?: readonly string[]
  /** Only the rows of this organization. */
  orgId?: OrgId
  /** Changes rows on their way out. */
  change?: (table: TableShape, lines: Uint8Array) => Uint8Array
  progress: Progress
}

/** `work` may run again from its start when the connection is lost. */
export function withSnapshot<Result>(
  { database, tables = copiedTables, orgId, change = (_, lines) => lines, progress }: SnapshotOptions,
  work: (snapshot: Snapshot, tx: Tx) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (tx) => {
      await beginCopy(tx, tables)
      const shapes = await describeTables(tx, tables)
      const snapshot: Snapshot = {
        tables: shapes,
        migrations: await listAppliedMigrations(tx),
        keyCheck: await findKeyCheck(tx),
        async readRows(write) {
          const counts: Record<string, RowCount> = {}
          for (const table of shapes) {
            const digest = createRowDigest()
            const filter = orgId === undefined ? null : { column: orgColumnOf(table.name), value: orgId }
            for await (const read of readTable(tx, table, { filter, partBytes: PART_BYTES })) {
              const lines = change(table, read)
              digest.add(lines)
              await write(table, lines)
              progress.report(() => `Copying ${table.name}: ${digest.result().rows} rows.`)
            }
            counts[table.name] = digest.result()
          }
          return counts
        },
        listFiles: () => listStoredFiles(tx, orgId),
      }
      return work(snapshot, tx)
    },
    { isolation: 'repeatable read', readOnly: true },
  )
}

const listStoredFiles = (tx: Tx, orgId: OrgId | undefined): Promise<StoredFile[]> => tx.many<StoredFile>`
  select storage_key, mime_type, bytes, sha256 from media
  where storage_key is not null ${orgId === undefined ? tx.part`` : tx.part`and org_id = ${orgId}`}
  order by org_id, id`

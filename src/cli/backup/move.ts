import { prepareSchema } from '../../boot/schema.ts'
import { StartError } from '../../kernel/errors.ts'
import { listLiveProcesses } from '../../platform/cluster/live-processes.sql.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Migration } from '../../platform/database/migrate.ts'
import type { RowCount } from '../../platform/database/table-copy.ts'
import { fillDatabase } from './filling.ts'
import { knownMigrations } from './manifest.ts'
import { createProgress } from './progress.ts'
import { withSnapshot } from './snapshot.ts'

/**
 * All rows from one database into another, empty one, while no server runs. Pending work continues on the other side, so nothing is paused.
 * The source is only read.
 */
export async function moveDatabase(options: {
  source: Database
  target: Database
  migrations: Migration[]
}): Promise<Record<string, RowCount>> {
  const { source, target, migrations } = options
  const live = await listLiveProcesses(source)
  if (live.length > 0)
    throw new StartError(
      `A server is running on the source (${live.map(({ role, pid, host }) => `${role}, pid ${pid} on ${host}`).join('; ')}). Stop it first; one that was killed counts for 15 seconds.`,
    )
  const progress = createProgress()
  let counts: Record<string, RowCount> = {}
  await withSnapshot({ database: source, progress }, async (snapshot) => {
    const known = knownMigrations(snapshot.migrations, migrations, { path: 'The source', version: 'unknown' })
    await fillDatabase(
      { database: target, migrations: known, tables: snapshot.tables, progress },
      {
        async write(writeRows) {
          counts = await snapshot.readRows((table, lines) => writeRows(table.name, lines))
          return counts
        },
      },
    )
  })
  await prepareSchema(target, migrations)
  return counts
}

import type { OrgId } from '../../kernel/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { Database, Tx } from './database.ts'
import { trySweepLock } from './sweep.sql.ts'

/**
 * Deletes old rows now and then, of all organizations, in bites that hold locks for a moment only. Of several processes one
 * deletes at a time. For tables that cannot be partitioned by day; old rows are found by an index on their time, so a sweep
 * that finds none costs one look at each index.
 */
export type Sweep = {
  /** Once, now. Answers how many rows were deleted. */
  sweep(): Promise<number>
  start(): Promise<void>
  stop(): Promise<void>
}

export type SweepOptions = {
  database: Database
  /** As the log names it when it did not work. */
  what: string
  everyMs: number
  biteRows: number
  /** Each deletes at most so many of the oldest rows of one table and answers how many there were. */
  deleteBites: readonly ((tx: Tx, rowsMax: number) => Promise<number>)[]
  log: Log
}

/** Old rows are found over all organizations and deleted organization by organization. */
export async function deleteByOrganization<Row extends { org_id: OrgId }>(
  rows: readonly Row[],
  deleteRows: (orgId: OrgId, rows: readonly Row[]) => Promise<number>,
): Promise<number> {
  let deleted = 0
  for (const [orgId, ofOrg] of Map.groupBy(rows, (row) => row.org_id)) deleted += await deleteRows(orgId, ofOrg)
  return deleted
}

export function createSweep({ database, what, everyMs, biteRows, deleteBites, log }: SweepOptions): Sweep {
  let timer: ReturnType<typeof setInterval> | null = null

  const deleteAll = async (deleteBite: SweepOptions['deleteBites'][number]) => {
    let [deleted, bite] = [0, 0]
    do {
      bite = await database.transaction(async (tx) => ((await trySweepLock(tx, what)) ? deleteBite(tx, biteRows) : 0))
      deleted += bite
    } while (bite === biteRows)
    return deleted
  }

  const sweep = async () => {
    let deleted = 0
    for (const deleteBite of deleteBites) deleted += await deleteAll(deleteBite)
    return deleted
  }

  return {
    sweep,
    async start() {
      timer = setInterval(() => {
        sweep().catch((error) => log.warn({ err: error }, `${what} could not be deleted; will try again`))
      }, everyMs)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

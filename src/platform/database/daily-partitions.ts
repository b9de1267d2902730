import type { Clock } from '../../kernel/clock.ts'
import { firstIdAt, type IdPrefix } from '../../kernel/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'

/**
 * Tables that grow for ever are partitioned by day over their sortable id, so that old days are dropped whole instead of
 * deleted row by row, and a look-up by id or by time touches one partition.
 *
 *   ahead     partitions for today and the next days are made before they are needed, at start and every hour
 *   kept      for the retention time
 *   dropped   in one step; no row is touched
 */
export type PartitionedTable = { table: string; idPrefix: IdPrefix; retentionDays: number }

const DAY_MS = 24 * 3600 * 1000
/** A server that is down for a long weekend comes back to a partition that is still there. */
const DAYS_AHEAD = 3
const EVERY_MS = 3600 * 1000
const LOCK_SPACE = 7_310

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS
const partitionName = (table: string, dayMs: number) =>
  `${table}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Yesterday too: ids carry the clock of the process that made them, and clocks differ. */
export async function ensurePartitions(
  database: Database,
  { table, idPrefix }: PartitionedTable,
  nowMs: number,
): Promise<void> {
  const today = startOfDay(nowMs)
  const existing = new Set(await listPartitions(database, table))
  for (let day = today - DAY_MS; day <= today + DAYS_AHEAD * DAY_MS; day += DAY_MS) {
    if (!existing.has(partitionName(table, day))) await createPartition(database, { table, idPrefix, day })
  }
}

/** Under a lock, because two processes that make the same partition at once would deadlock on the parent table. */
const createPartition = (
  database: Database,
  { table, idPrefix, day }: { table: string; idPrefix: IdPrefix; day: number },
) =>
  database.transaction(async (tx) => {
    await tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${table}))`
    const [from, to] = [firstIdAt(idPrefix, new Date(day)), firstIdAt(idPrefix, new Date(day + DAY_MS))]
    await tx.script(
      `create table if not exists ${partitionName(table, day)} partition of ${table} for values from ('${from}') to ('${to}')`,
    )
  })

export async function dropOldPartitions(
  database: Database,
  { table, retentionDays }: PartitionedTable,
  nowMs: number,
): Promise<string[]> {
  const oldest = partitionName(table, startOfDay(nowMs) - retentionDays * DAY_MS)
  const expired = (await listPartitions(database, table)).filter((name) => name < oldest)
  for (const name of expired) await database.script(`drop table if exists ${name}`)
  return expired
}

const listPartitions = async (database: Database, table: string): Promise<string[]> =>
  (
    await database.many<{ name: string }>`
      select child.relname as name from pg_inherits
      join pg_class child on child.oid = pg_inherits.inhrelid
      join pg_class parent on parent.oid = pg_inherits.inhparent
      where parent.relname = ${table} and parent.relnamespace = current_schema()::regnamespace
      order by child.relname`
  ).map((row) => row.name)

export function createPartitionUpkeep(options: {
  database: Database
  clock: Clock
  log: Log
  tables: readonly PartitionedTable[]
}) {
  const { database, clock, log } = options
  let timer: ReturnType<typeof setInterval> | null = null

  const tend = async () => {
    for (const table of options.tables) {
      await ensurePartitions(database, table, clock.now())
      const dropped = await dropOldPartitions(database, table, clock.now())
      if (dropped.length > 0) log.info({ table: table.table, dropped }, 'partitions past their time were dropped')
    }
  }

  return {
    async start() {
      await tend()
      timer = setInterval(
        () => tend().catch((error) => log.error({ err: error }, 'partitions could not be tended; will try again')),
        EVERY_MS,
      )
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}

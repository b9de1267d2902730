import { type Id, idTime } from '../kernel/ids.ts'
import { ensurePartitions } from '../platform/database/daily-partitions.ts'
import type { Database } from '../platform/database/database.ts'

/**
 * Creates partitions on demand, for rows that have none: the process may have slept through its timers, or its clock may have
 * jumped. The maintenance that all partitioned tables share creates the others ahead of time.
 */
export async function ensurePartitionsFor(database: Database, ids: Iterable<Id<'req'>>): Promise<void> {
  const table = { table: 'request_logs', idPrefix: 'req', retentionDays: Number.POSITIVE_INFINITY } as const
  const days = new Map([...ids].map((id) => [idTime(id).toISOString().slice(0, 10), idTime(id).getTime()]))
  for (const timeMs of days.values()) await ensurePartitions(database, table, timeMs)
}

import type { Clock } from '../kernel/clock.ts'
import { createPartitionUpkeep, ensurePartitions } from '../platform/database/daily-partitions.ts'
import type { Database } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'

const RETENTION_DAYS = 30

const requestLogs = (retentionDays: number) => ({ table: 'request_logs', idPrefix: 'req', retentionDays }) as const

/** Makes the partitions of the coming days and drops those past their time, at start and every hour. */
export const createRequestLogMaintenance = (options: {
  database: Database
  clock: Clock
  log: Log
  retentionDays?: number
}) => createPartitionUpkeep({ ...options, tables: [requestLogs(options.retentionDays ?? RETENTION_DAYS)] })

/** For the writer that finds no partition for a row of that time: the process may have slept through its timers. */
export const ensureRequestLogPartitions = (database: Database, atMs: number) =>
  ensurePartitions(database, requestLogs(RETENTION_DAYS), atMs)

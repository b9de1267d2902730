import { completeHomes } from '../accounts/organizations/organizations.ts'
import { eventsTable } from '../events/events.ts'
import { placeNewTables } from '../platform/cluster/distribution.ts'
import { ensurePartitions, type PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database } from '../platform/database/database.ts'
import { type Migration, migrate } from '../platform/database/migrate.ts'
import { idempotencyTable } from '../platform/http/pipeline/idempotency.ts'
import { requestLogsTable } from '../request-logs/request-logs.ts'
import { areDeliveriesPending } from '../webhooks/deliveries/deliveries.ts'
import { capabilityTables } from './capabilities.ts'
import { placeOf } from './tables.ts'

/** Tables that are partitioned by day, and how long their days are kept. */
export const partitionedTables = ({
  requestLogRetentionDays,
}: {
  requestLogRetentionDays: number
}): PartitionedTable[] => [
  eventsTable(areDeliveriesPending),
  requestLogsTable(requestLogRetentionDays),
  idempotencyTable,
  ...capabilityTables,
]

/** The schema up to date and the coming days ready to be written to: for the server and for every command. */
export async function prepareSchema(database: Database, migrations: Migration[]): Promise<string[]> {
  await database.findPrimary()
  const applied = await migrate(database, migrations)
  await database.lookForShards()
  await placeNewTables(database, placeOf)
  await completeHomes(database)
  // By the database's clock, as ids are: a host that is days behind would leave the current day without a partition.
  const { now } = await database.one<{ now: Date }>`select now() as now`
  for (const table of partitionedTables({ requestLogRetentionDays: 1 }))
    await ensurePartitions(database, table, now.getTime())
  return applied
}

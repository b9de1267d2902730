import { firstIdAt } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SummarySource } from '../../platform/database/hourly-summaries.ts'
import { countDeliveries, type DeliveryCounts } from './delivery-summaries.sql.ts'

export type { DeliveryCounts } from './delivery-summaries.sql.ts'

/** The standard schedule of retries ends within this; what is resent later by hand changes the chart no more. */
const SETTLES_AFTER_MS = 4 * 24 * 3_600_000

/** Deliveries by the hour of their event, and how they stand. */
export const deliverySummaries = (database: Database): SummarySource<DeliveryCounts> => ({
  kind: 'deliveries',
  settlesAfterMs: SETTLES_AFTER_MS,
  summarize: (orgId, hours) =>
    countDeliveries(
      database,
      orgId,
      hours.map(({ from, to }) => ({ fromId: firstIdAt('dlv', from), beforeId: firstIdAt('dlv', to) })),
    ),
})

import { firstIdAt } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SummarySource } from '../../platform/database/hourly-summaries.ts'
import { countMessages, type MessageCounts } from './message-summaries.sql.ts'

export type { MessageCounts } from './message-summaries.sql.ts'

/** A message has the id of the moment its batch arrived; after an outage it may be applied some minutes later. */
const SETTLES_AFTER_MS = 15 * 60_000

/** Counts messages by the hour in which they were created or received. */
export const messageSummaries = (database: Database): SummarySource<MessageCounts> => ({
  kind: 'messages',
  settlesAfterMs: SETTLES_AFTER_MS,
  summarize: (orgId, hours) =>
    countMessages(
      database,
      orgId,
      hours.map(({ from, to }) => ({ fromId: firstIdAt('msg', from), beforeId: firstIdAt('msg', to) })),
    ),
})

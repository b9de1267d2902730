import { firstIdAt } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import type { SummarySource } from '../platform/database/hourly-summaries.ts'
import { countMessages, type MessageCounts } from './message-summaries.sql.ts'

export type { MessageCounts } from './message-summaries.sql.ts'

/** A message has the id of the moment its batch arrived; after an outage it may be applied some minutes later. */
const SETTLES_AFTER_MS = 15 * 60_000

/** Messages by the hour they were made or came in. */
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

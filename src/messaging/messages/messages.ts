import { firstIdAt, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import type { SummarySource } from '../../platform/database/hourly-summaries.ts'
import { cancelEntries } from '../../platform/outbox/entries.ts'
import { holdLane } from '../../platform/outbox/lanes.ts'
import { messageNotFound, messageNotScheduled } from '../messaging.errors.ts'
import { lockMessage } from './message-states.sql.ts'
import {
  countMessages,
  deleteMessage,
  findMessage,
  linkMessageToOrder,
  lockChatOfMessage,
  type MessageCounts,
  type MessageRow,
  type OrderLink,
} from './messages.sql.ts'

/**
 * Messages: a row for what a message says and one for how far it got (message-states.sql.ts, messages.states.ts), the form in
 * which the API shows it (message-view.ts), and statuses that wait for their message (parked-statuses.ts). Nothing is sent
 * or received here.
 */
export async function getMessage(queries: Queries, orgId: OrgId, id: string): Promise<MessageRow> {
  const row = await findMessage(queries, orgId, id)
  if (row === null) throw messageNotFound({ params: { id } })
  return row
}

/**
 * Calls a scheduled message back: it is gone as if it had never been written. The outbox decides: an entry that is running
 * at this moment, or was, can no longer be taken out.
 */
export async function cancelMessage(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const row = await getMessage(tx, orgId, id)
  if (row.status !== 'scheduled') throw messageNotScheduled({ params: { id, status: row.status } })
  const { changed } = await cancelEntries(tx, { orgId, id: row.number_id }, [id])
  if (changed.length === 0) throw messageNotScheduled({ params: { id, status: 'queued' } })
  await deleteMessage(tx, orgId, id)
}

/** The lane before the row, as an acknowledgement does: what waits there is neither sent nor called back meanwhile. */
export async function holdMessage(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const { number_id } = await getMessage(tx, orgId, id)
  await holdLane(tx, { orgId, id: number_id })
  await lockMessage(tx, orgId, id)
}

export async function linkToOrder(tx: Tx, orgId: OrgId, link: OrderLink): Promise<boolean> {
  await lockChatOfMessage(tx, orgId, link.messageId)
  return (await linkMessageToOrder(tx, orgId, link)) !== null
}

export { listMessageFacts, type MessageFacts } from './message-facts.sql.ts'
export { failureOf, learn, moveByReport, movedEvent, recordMove } from './message-moves.ts'
export {
  type Accepted,
  countUnread,
  findByProviderId,
  forgetAttempts,
  insertSent,
  listByProviderIds,
  lockMessage,
  lockMessages,
  markMessagesRead,
  markUnknown,
  moveMessages,
  type NewParked,
  noteSettled,
  type ParkedReport,
  parkEdit,
  parkReports,
  takeParkedOf,
} from './message-states.sql.ts'
export {
  bodyOf,
  contentOfRow,
  editsOf,
  identityKeyHashOf,
  type MessageWarning,
  membersOf,
  presentMessage,
  previewOf,
  storedContent,
} from './message-view.ts'
export {
  findLastInbound,
  findMessage,
  listMessagesById,
  listThread,
  type MessageCounts,
  type MessageFailure,
  type MessageRow,
  type NotedChange,
  type ProviderKey,
  stateOf,
  statusColumn,
  updateContent,
} from './messages.sql.ts'
export {
  type LearnedReport,
  learnedOf,
  type ParkedWatch,
  parkedFormOf,
  providerLockName,
  takeParked,
} from './parked-statuses.ts'
export { messageIdOf, wireIdOf } from './wire-ids.ts'

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

import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { cancelEntries } from '../platform/outbox/entries.ts'
import {
  deleteMessage,
  findMessage,
  linkMessagesToOrders,
  lockChatsOfMessages,
  type MessageRow,
  type OrderLink,
} from './messages.sql.ts'
import { messageNotFound, messageNotScheduled } from './messaging.errors.ts'

export async function getMessage(queries: Queries, orgId: OrgId, id: string): Promise<MessageRow> {
  const row = await findMessage(queries, orgId, id)
  if (row === null) throw messageNotFound({ params: { id } })
  return row
}

/**
 * Calls a scheduled message back: it is gone as if it had never been written. The outbox decides: an entry that is running
 * at this moment, or was, can no longer be taken out.
 */
export function cancelMessage(
  { database, clock }: { database: Database; clock: Clock },
  orgId: OrgId,
  id: string,
): Promise<void> {
  return database.transaction(async (tx) => {
    const row = await getMessage(tx, orgId, id)
    if (row.status !== 'scheduled') throw messageNotScheduled({ params: { id, status: row.status } })
    const { changed } = await cancelEntries(tx, row.number_id, [id], new Date(clock.now()))
    if (changed.length === 0) throw messageNotScheduled({ params: { id, status: 'queued' } })
    await deleteMessage(tx, orgId, id)
  })
}

export async function linkToOrders(tx: Tx, orgId: OrgId, links: readonly OrderLink[]): Promise<void> {
  if (links.length === 0) return
  await lockChatsOfMessages(
    tx,
    orgId,
    links.map(({ messageId }) => messageId),
  )
  await linkMessagesToOrders(tx, orgId, links)
}

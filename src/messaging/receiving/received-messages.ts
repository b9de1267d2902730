import type { MessageRow } from '../messages/messages.ts'
import type { BatchApplying, ReportItem } from './applying.ts'

/** A message that was stored, and the report that brought it. */
type Received = { message: MessageRow; item: ReportItem<'message'> }

/** Hands stored messages to what reacts to them, in the same transaction: orders, and the automatic answer. */
export async function handOverReceived(applying: BatchApplying, received: readonly Received[]): Promise<void> {
  const { tx, orgId } = applying
  // What the past brought was settled then, and in a group it is not known who means it.
  const written = received
    .filter(({ item: { report } }) => report.past === undefined && report.groupId == null)
    .map(({ message }) => message)
    .filter(({ direction }) => direction === 'inbound')
  for (const { id, type } of written)
    if (FOR_ORDERS.includes(type)) await applying.onMessageForOrders(tx, orgId, { id, isCart: type === 'order' })
  const answerable = written.filter(({ type }) => !UNANSWERED.includes(type))
  await applying.onReceived(tx, orgId, answerable)
}

const FOR_ORDERS: readonly MessageRow['type'][] = ['order', 'image', 'document']
const UNANSWERED: readonly MessageRow['type'][] = ['reaction', 'system', 'unsupported']

import { type Initiator, type NewEvent, recordTestEvent } from '../../events/events.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { createDeliveries } from '../deliveries/deliveries.ts'
import { deliveryIdFor } from '../deliveries/delivery-id.ts'
import type { EndpointRow } from '../endpoints/endpoints.sql.ts'
import type { WebhooksContext } from '../webhooks-context.ts'

/**
 * Tests and pings: events that did not happen. Each goes to one endpoint, whatever that subscribed to, and its delivery is
 * created in the transaction that records it. They have no sequence and are not in the feed, so nothing that reads real
 * events can take one for real.
 */
export type SentTest = { eventId: Id<'evt'>; deliveryId: Id<'dlv'>; endpoint: EndpointRow }

type Test = Pick<NewEvent, 'type' | 'data'> & Initiator

/** The caller holds the lock on subscriptions, or the endpoint and its lane could be deleted meanwhile. */
export async function sendTestEvent(
  { clock, wake }: Pick<WebhooksContext, 'clock' | 'wake'>,
  tx: Tx,
  endpoint: EndpointRow,
  test: Test,
): Promise<SentTest> {
  const nowMs = clock.now()
  const event = await recordTestEvent(tx, endpoint.org_id, { ...test, subject: endpoint.id }, nowMs)
  await createDeliveries(tx, endpoint.org_id, [{ endpoint, event }], { now: new Date(nowMs) })
  tx.afterCommit(() => wake([endpoint.org_id]))
  return { eventId: event.id, deliveryId: deliveryIdFor(event.id, endpoint.id), endpoint }
}

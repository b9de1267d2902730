import {
  allEventTypes,
  type EventType,
  findEventType,
  type Initiator,
  type NewEvent,
  recordTestEvent,
} from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { nearestName } from '../../kernel/text.ts'
import type { Tx } from '../../platform/database/database.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { createDeliveries, deliveryIdFor } from '../deliveries/deliveries.ts'
import { webhookFormatUnsupported } from '../endpoints/endpoints.errors.ts'
import { type EndpointSummary, endpointEvents } from '../endpoints/endpoints.events.ts'
import {
  type Endpoint,
  type EndpointRow,
  getEndpoint,
  isCloudFormat,
  lockSubscriptions,
  setPingEvent,
} from '../endpoints/endpoints.ts'
import { summarizeNow } from '../sending/sending.ts'
import type { WebhooksContext } from '../webhooks-context.ts'

/**
 * Tests and pings: events that did not happen. Each goes to one endpoint, whatever that subscribed to, and its delivery is
 * created in the transaction that records it. They have no sequence and are not in the feed, so nothing that reads real
 * events can take one for real.
 */
export type SentTest = { eventId: Id<'evt'>; deliveryId: Id<'dlv'>; endpoint: EndpointRow }

/** Which endpoint, and who asks. */
type TestTarget = { id: string } & Initiator

type Test = Pick<NewEvent, 'type' | 'data'> & Initiator

/** The caller holds the lock on subscriptions, or the endpoint and its lane could be deleted meanwhile. */
async function sendTestEvent(
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

/** Tries a URL that is new. */
export async function pingUrl(
  context: WebhooksContext,
  tx: Tx,
  endpoint: Endpoint,
  test: { data: EndpointSummary } & Initiator,
): Promise<Endpoint> {
  const { eventId } = await sendTestEvent(context, tx, endpoint, { type: endpointEvents.pinged, ...test })
  return setPingEvent(tx, endpoint.org_id, { id: endpoint.id, eventId })
}

/** The example of the catalogue, marked as a test. */
export async function sendTest(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, type, ...initiator }: TestTarget & { type: string },
): Promise<SentTest> {
  await lockSubscriptions(tx, orgId, 'shared')
  const endpoint = await getEndpoint(tx, orgId, id)
  if (isCloudFormat(endpoint)) throw webhookFormatUnsupported()
  const eventType = acceptTestType(type)
  return sendTestEvent(context, tx, endpoint, { type: eventType, data: eventType.example, ...initiator })
}

/** Sends a ping, as a new URL gets one automatically; its result is the endpoint's `last_ping` from now on. */
export async function pingEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, ...initiator }: TestTarget,
): Promise<SentTest> {
  await lockSubscriptions(tx, orgId, 'shared')
  const endpoint = await getEndpoint(tx, orgId, id)
  const data = await summarizeNow(tx, endpoint, new Date(context.clock.now()))
  const sent = await sendTestEvent(context, tx, endpoint, { type: endpointEvents.pinged, data, ...initiator })
  await setPingEvent(tx, orgId, { id: endpoint.id, eventId: sent.eventId })
  return sent
}

function acceptTestType(name: string): EventType {
  const type = findEventType(name)
  if (type !== null) return type
  const suggestion = nearestName(
    name,
    allEventTypes().map((known) => known.name),
  )
  throw breaksSchema([
    {
      pointer: '#/type',
      code: 'event_unknown',
      detail: `There is no event "${name}"${suggestion === null ? '.' : `; did you mean "${suggestion}"?`} See GET /event-types.`,
      params: suggestion === null ? {} : { suggestion },
    },
  ])
}

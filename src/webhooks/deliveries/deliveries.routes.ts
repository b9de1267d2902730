import { z } from 'zod'
import { publishedNames, refuseUnknownName } from '../../events/events.ts'
import { inOneMoment } from '../../platform/database/database.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter, momentOf, momentSchema } from '../../platform/http/schemas.ts'
import { TAG } from '../endpoints/endpoints.schemas.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { deliveryNotFound, deliveryNotSendable } from './deliveries.errors.ts'
import {
  attemptExample,
  deliveryExample,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookResend,
} from './deliveries.schemas.ts'
import {
  getAttempts,
  getDelivery,
  listDeliveries,
  listInFlight,
  presentAttempt,
  presentDelivery,
  resendDelivery,
} from './delivery-log.ts'

const storedStatuses = ['pending', 'succeeded', 'failed', 'held', 'cancelled', 'skipped'] as const

export const deliveryQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  endpoint: idSchema('wep').optional(),
  event: idSchema('evt').optional(),
  type: z
    .string()
    .max(100)
    .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/, 'This must be an event name such as order.paid.')
    .superRefine(refuseUnknownName)
    .meta({ description: 'Filter by event type.' })
    .meta(publishedNames)
    .optional(),
  status: z.array(z.enum(storedStatuses)).min(1).max(storedStatuses.length).optional().meta({
    description:
      'One or more statuses, joined with commas. `pending` includes deliveries in flight; `held` includes retries of a paused or disabled endpoint.',
  }),
  since: momentSchema.optional().meta({ description: 'Only deliveries of events at this time or later.' }),
  test: z
    .boolean()
    .optional()
    .meta({ description: 'List test deliveries and pings instead of real ones. Not needed with `event`.' }),
})

type Filters = Omit<z.output<typeof deliveryQuery>, 'limit' | 'cursor'>

/** Tests are logged apart: only they, or only the others, unless it is about one event. */
const queryOf = ({ endpoint, event, type, status, since, test }: Filters) => ({
  ...(endpoint !== undefined && { endpointId: endpoint }),
  ...(event !== undefined && { eventId: event }),
  ...(type !== undefined && { type }),
  ...(status !== undefined && { statuses: status }),
  ...(since !== undefined && { since: momentOf(since) }),
  ...(test !== undefined ? { isTest: test } : event === undefined && { isTest: false }),
})

const deliveryParams = z.object({ id: idSchema('dlv') })
const paramsExample = { id: deliveryExample.id }

export const deliveryRoutes = (context: WebhooksContext) => [
  defineList({
    id: 'listDeliveries',
    path: '/deliveries',
    tag: TAG,
    summary: 'List deliveries',
    description: 'Deliveries of events to webhook endpoints and their results, newest first.',
    access: key('webhooks:read'),
    agentTool: true,
    query: deliveryQuery,
    item: WebhookDelivery,
    example: { query: { status: 'failed' }, items: [deliveryExample] },
    list: 'deliveries',
    sort: '-id',
    read: ({ caller, filters, limit, position }) =>
      listDeliveries(context.database, caller.orgId, {
        ...queryOf(filters),
        limit,
        ...(position !== null && { beforeId: String(position[0]) }),
      }),
    place: placeById,
    async present(rows, { caller }) {
      const inFlight = await listInFlight(context.database, caller.orgId, rows)
      return rows.map((row) => presentDelivery(row, inFlight.has(row.id)))
    },
  }),
  defineRoute({
    id: 'getDelivery',
    method: 'GET',
    path: '/deliveries/{id}',
    tag: TAG,
    summary: 'Get a delivery',
    description:
      'Returns one delivery with its attempts: address, timings, request and response headers, and the start of the response body.',
    access: key('webhooks:read'),
    agentTool: { reads: 'customer_text' },
    params: deliveryParams,
    reply: { status: 200, body: WebhookDeliveryWithAttempts },
    errors: [deliveryNotFound],
    example: { params: paramsExample, reply: { ...deliveryExample, attempts: [attemptExample] } },
    async handle({ caller, params }) {
      return inOneMoment(context.database, async (tx) => {
        const delivery = await getDelivery(tx, caller.orgId, params.id)
        const [attempts, inFlight] = await Promise.all([
          getAttempts(tx, delivery),
          listInFlight(tx, caller.orgId, [delivery]),
        ])
        return { ...presentDelivery(delivery, inFlight.has(delivery.id)), attempts: attempts.map(presentAttempt) }
      })
    },
  }),
  defineRoute({
    id: 'resendDelivery',
    method: 'POST',
    path: '/deliveries/{id}/resend',
    tag: TAG,
    summary: 'Resend a delivery',
    description:
      'Sends the delivery now, even if the endpoint is paused: same `webhook-id` and body, new timestamp and signature. It does not count as one of the automatic attempts; if it succeeds, no more of those follow.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: deliveryParams,
    reply: { status: 202, body: WebhookResend },
    location: ({ delivery_id }) => `/deliveries/${delivery_id}`,
    errors: [deliveryNotFound, deliveryNotSendable],
    example: {
      params: paramsExample,
      reply: {
        object: 'webhook_resend',
        attempt_id: attemptExample.id,
        delivery_id: deliveryExample.id,
        event_id: deliveryExample.event_id,
        endpoint_id: deliveryExample.endpoint_id,
      },
    },
    async handle({ tx, caller, params }) {
      const { attemptId, delivery } = await resendDelivery(context, tx, caller.orgId, params.id)
      return {
        object: 'webhook_resend' as const,
        attempt_id: attemptId,
        delivery_id: delivery.id,
        event_id: delivery.event_id,
        endpoint_id: delivery.endpoint_id,
      }
    },
  }),
]

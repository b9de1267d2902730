import { z } from 'zod'
import { eventNotFound } from '../../events/events.errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { webhookEndpointNotFound } from '../endpoints/endpoints.errors.ts'
import { TAG } from '../endpoints/endpoints.schemas.ts'
import { explanationExample, WebhookExplanation } from './explain.schemas.ts'
import { explainEvent, presentExplanation } from './explain.ts'

export const explanationRoutes = (context: { database: Database; clock: Clock }) => [
  defineRoute({
    id: 'explainEvent',
    method: 'GET',
    path: '/events/{id}/explain',
    tag: TAG,
    summary: 'Explain an event',
    description:
      'Explains why an event was or was not delivered to an endpoint: every step up to the last attempt, what it waits for now, a verdict and what to do next. Without `endpoint`, for every endpoint of the organization.',
    access: key('webhooks:read'),
    agentTool: { reads: 'customer_text' },
    params: z.object({ id: idSchema('evt') }),
    query: z.strictObject({
      endpoint: idSchema('wep').optional().meta({ description: 'Only this endpoint, which may be deleted.' }),
    }),
    reply: { status: 200, body: WebhookExplanation },
    errors: [eventNotFound, webhookEndpointNotFound],
    example: {
      params: { id: explanationExample.event_id },
      query: { endpoint: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg' },
      reply: explanationExample,
    },
    async handle({ caller, params, query }) {
      const place = { eventId: params.id, endpointId: query.endpoint }
      return presentExplanation(await explainEvent(context, caller.orgId, place))
    },
  }),
]

import { z } from 'zod'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import { webhookEndpointNotFound } from '../endpoints/endpoints.errors.ts'
import { TAG } from '../endpoints/endpoints.schemas.ts'
import {
  recoveryEndpointResting,
  recoveryFinished,
  recoveryNotFound,
  recoveryRunning,
  recoveryStatusMismatch,
  recoveryWindowEmpty,
  recoveryWindowExpired,
} from './recovery.errors.ts'
import { RecoverReply, RecoverRequest, recoveryExample, WebhookRecovery } from './recovery.schemas.ts'
import {
  cancelRecovery,
  estimateRecovery,
  getRecovery,
  listRecoveries,
  presentEstimate,
  presentRecovery,
  type RecoveriesContext,
  startRecovery,
} from './recovery.ts'

const endpointId = recoveryExample.endpoint_id
const endpointParams = z.object({ id: idSchema('wep') })
const recoveryParams = z.object({ id: idSchema('wep'), recovery_id: idSchema('job') })
const recoveryExampleParams = { id: endpointId, recovery_id: recoveryExample.id }

export const recoveryRoutes = (context: RecoveriesContext) => [
  recoverRoute(context),
  defineList({
    id: 'listWebhookRecoveries',
    path: '/webhook-endpoints/{id}/recoveries',
    tag: TAG,
    summary: 'List recoveries',
    description: 'The recoveries of a webhook endpoint, newest first.',
    access: key('webhooks:read'),
    agentTool: true,
    params: endpointParams,
    query: z.strictObject({ limit: limitParameter, cursor: cursorParameter }),
    item: WebhookRecovery,
    errors: [webhookEndpointNotFound],
    example: { params: { id: endpointId }, items: [recoveryExample] },
    list: 'recoveries',
    sort: '-id',
    scopeOf: ({ params, caller }) => ({ endpoint: params.id, org: caller.orgId }),
    read: ({ caller, params, limit, position }) =>
      listRecoveries(context.database, caller.orgId, {
        endpointId: params.id,
        limit,
        ...(position !== null && { before: String(position[0]) }),
      }),
    place: placeById,
    present: (rows) => Promise.all(rows.map((row) => presentRecovery(context.database, row))),
  }),
  defineRoute({
    id: 'getWebhookRecovery',
    method: 'GET',
    path: '/webhook-endpoints/{id}/recoveries/{recovery_id}',
    tag: TAG,
    summary: 'Get a recovery',
    description: 'Returns a recovery with its progress.',
    access: key('webhooks:read'),
    agentTool: true,
    params: recoveryParams,
    reply: { status: 200, body: WebhookRecovery },
    errors: [webhookEndpointNotFound, recoveryNotFound],
    example: { params: recoveryExampleParams, reply: recoveryExample },
    handle: async ({ caller, params }) =>
      presentRecovery(
        context.database,
        await getRecovery(context.database, caller.orgId, { endpointId: params.id, id: params.recovery_id }),
      ),
  }),
  defineRoute({
    id: 'cancelWebhookRecovery',
    method: 'POST',
    path: '/webhook-endpoints/{id}/recoveries/{recovery_id}/cancel',
    tag: TAG,
    summary: 'Cancel a recovery',
    description:
      'Cancels the recovery. Deliveries that it queued and that were not attempted yet are cancelled; the others are retried on their schedule.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: recoveryParams,
    reply: { status: 200, body: WebhookRecovery },
    errors: [webhookEndpointNotFound, recoveryNotFound, recoveryFinished],
    example: {
      params: recoveryExampleParams,
      reply: {
        ...recoveryExample,
        status: 'cancelled',
        reason: 'by_request',
        progress: { total: 1200, done: 520, queued: 0 },
        counts: [{ type: 'key.created', total: 1200, done: 520 }],
        finished_at: '2026-11-14T09:31:00.000Z',
      },
    },
    handle: async ({ caller, params, tx }) =>
      presentRecovery(
        tx,
        await cancelRecovery(context, tx, caller.orgId, { endpointId: params.id, id: params.recovery_id }),
      ),
  }),
]

const recoverRoute = (context: RecoveriesContext) =>
  defineRoute({
    id: 'recoverWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/recover',
    tag: TAG,
    summary: 'Recover events',
    description:
      'Sends the events that the endpoint missed, in the background and with lower priority than new events. The `webhook-id` and body are the same as before, so a receiver that checks ids handles no event twice. With `dry_run` it only counts.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    body: RecoverRequest,
    reply: {
      status: 202,
      body: RecoverReply,
      description: 'The recovery has started.',
      also: {
        status: 200,
        description: 'Dry run: the events that a recovery would send.',
        when: (reply) => reply.object === 'webhook_recovery_estimate',
      },
    },
    location: (reply) =>
      `/webhook-endpoints/${reply.endpoint_id}/recoveries${reply.object === 'webhook_recovery' ? `/${reply.id}` : ''}`,
    errors: [
      webhookEndpointNotFound,
      recoveryRunning,
      recoveryEndpointResting,
      recoveryWindowExpired,
      recoveryWindowEmpty,
      recoveryStatusMismatch,
    ],
    example: {
      params: { id: endpointId },
      body: { since: '2026-11-13T00:00:00Z' },
      reply: {
        ...recoveryExample,
        status: 'counting',
        progress: { total: null, done: 0, queued: 0 },
        counts: [],
      },
    },
    async handle({ caller, params, body, tx }) {
      const { dry_run: isDryRun, ...request } = { ...body, endpointId: params.id }
      if (isDryRun) return presentEstimate(await estimateRecovery(context, caller.orgId, request))
      return presentRecovery(tx, await startRecovery(context, tx, caller.orgId, request))
    },
  })

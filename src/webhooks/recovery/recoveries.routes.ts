import { z } from 'zod'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorInvalid } from '../../platform/http/http.errors.ts'
import type { CursorCodec } from '../../platform/http/pipeline/cursor.ts'
import { cursorParameter, idSchema, limitParameter, listOf } from '../../platform/http/schemas.ts'
import { webhookEndpointNotFound } from '../endpoints/endpoints.errors.ts'
import { TAG } from '../endpoints/endpoints.routes.ts'
import {
  recoveryEndpointResting,
  recoveryFinished,
  recoveryNotFound,
  recoveryRunning,
  recoveryStatusMismatch,
  recoveryWindowEmpty,
  recoveryWindowExpired,
} from './recoveries.errors.ts'
import { RecoverReply, RecoverRequest, recoveryExample, WebhookRecovery } from './recoveries.schemas.ts'
import {
  cancelRecovery,
  estimateRecovery,
  getRecovery,
  listRecoveries,
  type RecoveriesContext,
  startRecovery,
} from './recoveries.ts'
import { presentEstimate, presentRecovery } from './recovery-view.ts'

const endpointId = recoveryExample.endpoint_id
const endpointParams = z.object({ id: idSchema('wep') })
const recoveryParams = z.object({ id: idSchema('wep'), recovery_id: idSchema('job') })
const recoveryExampleParams = { id: endpointId, recovery_id: recoveryExample.id }
const listPath = `/api/public/v1/webhook-endpoints/${endpointId}/recoveries`

export const recoveryRoutes = (context: RecoveriesContext) => [
  recoverRoute(context),
  defineRoute({
    id: 'listWebhookRecoveries',
    method: 'GET',
    path: '/webhook-endpoints/{id}/recoveries',
    tag: TAG,
    summary: 'List recoveries',
    description: 'The recoveries of a webhook endpoint, newest first.',
    access: key('webhooks:read'),
    agentTool: true,
    params: endpointParams,
    query: z.strictObject({ limit: limitParameter, cursor: cursorParameter }),
    reply: { status: 200, body: listOf(WebhookRecovery) },
    errors: [webhookEndpointNotFound, cursorInvalid],
    example: {
      params: { id: endpointId },
      reply: { object: 'list', data: [recoveryExample], has_more: false, next_cursor: null, url: listPath },
    },
    handle: ({ caller, params, query, cursors, path }) =>
      presentList(context.database, caller.orgId, { ...query, endpointId: params.id, cursors, path }),
  }),
  defineRoute({
    id: 'getWebhookRecovery',
    method: 'GET',
    path: '/webhook-endpoints/{id}/recoveries/{recovery_id}',
    tag: TAG,
    summary: 'Get a recovery',
    description: 'How far a recovery has come.',
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
      'Stops it. Deliveries that were handed over and not tried yet are taken back; those that were tried go on by their schedule.',
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
      'Sends again what the endpoint did not get, in the background and after new events. Same `webhook-id` and the same bytes, so a receiver that looks at ids sees no duplicate. With `dry_run` it only counts.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    body: RecoverRequest,
    reply: {
      status: 202,
      body: RecoverReply,
      description: 'The recovery has begun.',
      also: {
        status: 200,
        description: 'A dry run: what a recovery would do.',
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

type ListRequest = {
  endpointId: string
  limit: number
  cursor?: string | undefined
  cursors: CursorCodec
  path: string
}

async function presentList(queries: Queries, orgId: OrgId, request: ListRequest) {
  const { endpointId, limit, cursor, cursors, path } = request
  const scope = { list: 'recoveries', sort: '-id', filters: { endpoint: endpointId, org: orgId } }
  const position = cursor === undefined ? null : cursors.decode(cursor, scope)
  if (position?.ok === false) throw cursorInvalid()
  const before = position === null ? {} : { before: String(position.position[0]) }
  const rows = await listRecoveries(queries, orgId, { endpointId, limit: limit + 1, ...before })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit
  return {
    object: 'list' as const,
    data: await Promise.all(page.map((row) => presentRecovery(queries, row))),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? cursors.encode({ ...scope, position: [last.id] }) : null,
    url: path,
  }
}

import { z } from 'zod'
import { initiatorOf } from '../../events/events.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import {
  webhookCallbackUnverified,
  webhookEndpointLimitReached,
  webhookEndpointNotFound,
} from '../endpoints/endpoints.errors.ts'
import {
  endpointExample,
  NewWebhookEndpoint,
  newEndpointExample,
  TAG,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointWithSecret,
} from '../endpoints/endpoints.schemas.ts'
import { getEndpoint, listEndpoints, lockSubscriptions } from '../endpoints/endpoints.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { deleteEndpoint } from './endpoint-actions.ts'
import { createEndpoint, updateEndpoint, vetEndpointChange, vetNewEndpoint } from './endpoint-settings.ts'
import { presentEndpoint, presentEndpoints } from './endpoint-view.ts'

export const endpointParams = z.object({ id: idSchema('wep') })
export const endpointParamsExample = { id: endpointExample.id }
export const exampleSecret = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA='

export const endpointRoutes = (context: WebhooksContext) => [
  defineRoute({
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints',
    tag: TAG,
    summary: 'Create a webhook endpoint',
    description:
      'Registers a URL that receives events as signed POST requests (Standard Webhooks). The secret is returned only in this response. A ping is sent to the URL at once; its result is `last_ping`. The endpoint is created even if the ping fails. With `format: "whatsapp_cloud"` the callback must pass a handshake instead, before anything is saved.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    showsSecret: true,
    body: NewWebhookEndpoint,
    reply: { status: 201, body: WebhookEndpointWithSecret },
    location: ({ id }) => `/webhook-endpoints/${id}`,
    errors: [webhookEndpointLimitReached, webhookCallbackUnverified, valueRefused],
    example: { body: newEndpointExample, reply: { ...endpointExample, last_ping: null, secret: exampleSecret } },
    precheck: ({ body }) => vetNewEndpoint(context, body),
    async handle({ tx, body, ...request }) {
      const { endpoint, secret } = await createEndpoint(context, tx, request.caller.orgId, {
        ...body,
        ...initiatorOf(request),
      })
      return { ...(await presentEndpoint(context, tx, endpoint)), secret }
    },
  }),
  defineList({
    id: 'listWebhookEndpoints',
    path: '/webhook-endpoints',
    tag: TAG,
    summary: 'List webhook endpoints',
    description: 'All webhook endpoints of the organization, newest first, each with its health and backlog.',
    access: key('webhooks:read'),
    agentTool: true,
    query: z.strictObject({ limit: limitParameter, cursor: cursorParameter }),
    item: WebhookEndpoint,
    example: { items: [endpointExample] },
    list: 'webhook-endpoints',
    sort: '-id',
    read: ({ caller, limit, position }) =>
      listEndpoints(context.database, caller.orgId, {
        limit,
        ...(position !== null && { before: String(position[0]) }),
      }),
    place: placeById,
    present: (rows, { caller }) => presentEndpoints(context, context.database, caller.orgId, rows),
  }),
  defineRoute({
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: '/webhook-endpoints/{id}',
    tag: TAG,
    summary: 'Get a webhook endpoint',
    description: 'Returns one webhook endpoint with its health, backlog and the result of the last ping.',
    access: key('webhooks:read'),
    agentTool: true,
    params: endpointParams,
    reply: { status: 200, body: WebhookEndpoint },
    errors: [webhookEndpointNotFound],
    example: { params: endpointParamsExample, reply: endpointExample },
    async handle({ caller, params, queries }) {
      const endpoint = await getEndpoint(queries, caller.orgId, params.id)
      return presentEndpoint(context, queries, endpoint)
    },
  }),
  defineChange({
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/webhook-endpoints/{id}',
    tag: TAG,
    summary: 'Edit a webhook endpoint',
    description:
      'Changes the fields you send. A ping is sent to a new URL. Pending deliveries go to the new URL from their next attempt on; their payload format does not change. With the format `whatsapp_cloud`, a new URL or verify token must pass the handshake before anything is saved.',
    access: key('webhooks:write'),
    params: endpointParams,
    body: WebhookEndpointChange,
    reply: { status: 200, body: WebhookEndpoint },
    errors: [webhookEndpointNotFound, webhookCallbackUnverified, valueRefused],
    example: {
      params: endpointParamsExample,
      body: { events: ['key.*'], max_per_second: 20 },
      reply: { ...endpointExample, max_per_second: 20 },
    },
    precheck: ({ body, params, caller }) => vetEndpointChange(context, caller.orgId, { id: params.id, change: body }),
    lock: (tx, { caller }) => lockSubscriptions(tx, caller.orgId, 'alone'),
    async handle({ tx, params, body, ...request }) {
      const { orgId } = request.caller
      const endpoint = await updateEndpoint(context, tx, orgId, {
        id: params.id,
        change: body,
        ...initiatorOf(request),
      })
      return presentEndpoint(context, tx, endpoint)
    },
  }),
  defineChange({
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/webhook-endpoints/{id}',
    tag: TAG,
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes the endpoint and cancels its pending deliveries. Its deliveries stay in the log until the end of the retention period.',
    access: key('webhooks:write'),
    params: endpointParams,
    reply: { status: 204, body: null },
    errors: [webhookEndpointNotFound],
    example: { params: endpointParamsExample, reply: null },
    lock: (tx, { caller }) => lockSubscriptions(tx, caller.orgId, 'alone'),
    async handle({ tx, params, ...request }) {
      await deleteEndpoint(context, tx, request.caller.orgId, { id: params.id, ...initiatorOf(request) })
      return undefined
    },
  }),
]

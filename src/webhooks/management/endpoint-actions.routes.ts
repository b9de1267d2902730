import { initiatorOf } from '../../events/events.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import {
  webhookEndpointNotEnabled,
  webhookEndpointNotFound,
  webhookFormatUnsupported,
} from '../endpoints/endpoints.errors.ts'
import { endpointEvents } from '../endpoints/endpoints.events.ts'
import {
  endpointExample,
  ResumeRequest,
  RotateRequest,
  TAG,
  TestReply,
  TestRequest,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../endpoints/endpoints.schemas.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { pauseEndpoint, resumeEndpoint, rotateSecret } from './endpoint-actions.ts'
import { presentEndpoint } from './endpoint-view.ts'
import { endpointParams, endpointParamsExample, exampleSecret } from './endpoints.routes.ts'
import { pingEndpoint, type SentTest, sendTest } from './test-events.ts'

export const endpointActionRoutes = (context: WebhooksContext) => [
  defineRoute({
    id: 'pauseWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/pause',
    tag: TAG,
    summary: 'Pause a webhook endpoint',
    description:
      'Stops all attempts until the endpoint is resumed. New deliveries are `held` in the meantime. Pausing a paused endpoint changes nothing.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    reply: { status: 200, body: WebhookEndpoint },
    errors: [webhookEndpointNotFound, webhookEndpointNotEnabled],
    example: { params: endpointParamsExample, reply: { ...endpointExample, state: 'paused' } },
    async handle({ tx, params, ...request }) {
      const target = { id: params.id, ...initiatorOf(request) }
      return presentEndpoint(context, tx, await pauseEndpoint(context, tx, request.caller.orgId, target))
    },
  }),
  defineRoute({
    id: 'resumeWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/resume',
    tag: TAG,
    summary: 'Resume a webhook endpoint',
    description:
      'Activates a paused or disabled endpoint. By default all held and pending deliveries are sent; with `from_now` they are marked `skipped` and only new events are sent. On an active endpoint that is failing, pending deliveries are attempted at once instead of waiting for the breaker, `Retry-After` or the next retry.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    body: ResumeRequest,
    isBodyOptional: true,
    reply: { status: 200, body: WebhookEndpoint },
    errors: [webhookEndpointNotFound],
    example: { params: endpointParamsExample, body: { mode: 'recover_held' }, reply: endpointExample },
    async handle({ tx, params, body, ...request }) {
      const target = { id: params.id, mode: body.mode, ...initiatorOf(request) }
      return presentEndpoint(context, tx, await resumeEndpoint(context, tx, request.caller.orgId, target))
    },
  }),
  defineRoute({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhook-endpoints/{id}/rotate-secret',
    tag: TAG,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret and returns it once. During the overlap every request is signed with both secrets, so that the receiver can switch without rejecting one; 0 revokes the old secret at once. With the format `whatsapp_cloud` the new secret signs at once, because there is room for one signature.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    showsSecret: true,
    params: endpointParams,
    body: RotateRequest,
    isBodyOptional: true,
    reply: { status: 200, body: WebhookEndpointWithSecret },
    errors: [webhookEndpointNotFound],
    example: {
      params: endpointParamsExample,
      body: { overlap_seconds: 86_400 },
      reply: { ...endpointExample, secret: exampleSecret },
    },
    async handle({ tx, params, body, ...request }) {
      const target = { id: params.id, overlapSeconds: body.overlap_seconds, ...initiatorOf(request) }
      const { endpoint, secret } = await rotateSecret(context, tx, request.caller.orgId, target)
      return { ...(await presentEndpoint(context, tx, endpoint)), secret }
    },
  }),
  defineRoute({
    id: 'testWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/test',
    tag: TAG,
    summary: 'Send a test event',
    description:
      'Sends the example of an event type with `"test": true` to this endpoint, whatever its subscriptions and even if it is paused. There is one attempt. Test deliveries are listed separately, with `test=true`.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    body: TestRequest,
    reply: { status: 202, body: TestReply },
    location: ({ delivery_id }) => `/deliveries/${delivery_id}`,
    errors: [webhookEndpointNotFound, webhookFormatUnsupported],
    example: {
      params: endpointParamsExample,
      body: { type: 'key.created' },
      reply: {
        object: 'webhook_test',
        event_id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
        delivery_id: 'dlv_01k9x3m5q8e0t9v7a2b4c6d8fg',
        endpoint_id: endpointExample.id,
        type: 'key.created',
      },
    },
    async handle({ tx, params, body, ...request }) {
      const target = { id: params.id, type: body.type, ...initiatorOf(request) }
      return presentTest(await sendTest(context, tx, request.caller.orgId, target), body.type)
    },
  }),
  defineRoute({
    id: 'pingWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/ping',
    tag: TAG,
    summary: 'Ping a webhook endpoint',
    description:
      'Sends one signed `endpoint.pinged` event with `"test": true` to the URL, even if the endpoint is paused. The result is `last_ping`. With the format `whatsapp_cloud` the ping is the handshake.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: endpointParams,
    reply: { status: 202, body: TestReply },
    location: ({ delivery_id }) => `/deliveries/${delivery_id}`,
    errors: [webhookEndpointNotFound],
    example: {
      params: endpointParamsExample,
      reply: {
        object: 'webhook_test',
        event_id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
        delivery_id: 'dlv_01k9x3m5q8e0t9v7a2b4c6d8fg',
        endpoint_id: endpointExample.id,
        type: 'endpoint.pinged',
      },
    },
    async handle({ tx, params, ...request }) {
      const target = { id: params.id, ...initiatorOf(request) }
      const sent = await pingEndpoint(context, tx, request.caller.orgId, target)
      return presentTest(sent, endpointEvents.pinged.name)
    },
  }),
]

const presentTest = ({ eventId, deliveryId, endpoint }: SentTest, type: string) => ({
  object: 'webhook_test' as const,
  event_id: eventId,
  delivery_id: deliveryId,
  endpoint_id: endpoint.id,
  type,
})

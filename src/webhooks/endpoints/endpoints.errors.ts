import { defineError } from '../../kernel/errors.ts'

export const webhookEndpointNotFound = defineError({
  code: 'webhook_endpoint_not_found',
  status: 404,
  title: 'There is no such webhook endpoint',
  says: 'There is no webhook endpoint with this id, or it was deleted.',
  help: 'Endpoint ids begin with `wep_`. List the webhook endpoints to find the one you mean.',
})

export const webhookEndpointLimitReached = defineError({
  code: 'webhook_endpoint_limit_reached',
  status: 409,
  title: 'There are too many webhook endpoints',
  says: 'The organization has as many webhook endpoints as it may have. Delete one that is no longer needed.',
  help: 'An organization may have 50 webhook endpoints; `params.max` tells the limit. One endpoint can receive any number of event types.',
})

export const webhookEndpointNotEnabled = defineError({
  code: 'webhook_endpoint_not_enabled',
  status: 409,
  title: 'The webhook endpoint is disabled',
  says: 'This webhook endpoint is disabled, so it cannot be paused. Resume it when the receiver works again.',
  help: 'An endpoint is disabled by Nexkit after days without a success, or at the wish of its receiver. What is owed meanwhile is kept as `held`; resuming offers to recover it.',
})

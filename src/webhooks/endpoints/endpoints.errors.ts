import { defineError } from '../../kernel/errors.ts'

export const webhookEndpointNotFound = defineError({
  code: 'webhook_endpoint_not_found',
  status: 404,
  title: 'Webhook endpoint not found',
  says: 'There is no webhook endpoint with this id, or it was deleted. List the webhook endpoints to find the id.',
  cause: 'No webhook endpoint of the organization has this id, or it was deleted. The ids begin with `wep_`.',
  fix: 'List the webhook endpoints to find the id.',
})

export const webhookEndpointLimitReached = defineError({
  code: 'webhook_endpoint_limit_reached',
  status: 409,
  title: 'Too many webhook endpoints',
  says: 'The organization has the highest number of webhook endpoints. Delete one that is no longer needed.',
  cause: 'An organization can have 50 webhook endpoints; `params.max` is the limit.',
  fix: 'Delete an endpoint that is no longer needed. One endpoint can receive any number of event types.',
  example: { params: { max: 50 } },
})

export const webhookEndpointNotEnabled = defineError({
  code: 'webhook_endpoint_not_enabled',
  status: 409,
  title: 'Webhook endpoint is disabled',
  says: 'This webhook endpoint is disabled, so it cannot be paused. Resume it when the receiver works again.',
  cause:
    'Nexkit disables an endpoint after five days without a success, or when its receiver asks for it with status 410. `params.reason` says which. New events are held in the meantime.',
  fix: 'Repair the receiver, then resume the endpoint. Resuming can also send the held events.',
})

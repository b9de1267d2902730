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

export const webhookCallbackUnverified = defineError({
  code: 'webhook_callback_unverified',
  status: 409,
  title: 'Callback did not pass the handshake',
  says: 'The callback did not answer the handshake correctly, so nothing was saved. Check that it has the same verify token.',
  cause:
    'An endpoint with `format: "whatsapp_cloud"` is saved only after its callback answered `GET …?hub.mode=subscribe&hub.challenge=…&hub.verify_token=…` with status 200 and the value of `hub.challenge` as the whole body. `params.response_status` is the status that it answered with, `params.error_class` says why there was no answer.',
  fix: 'Start the receiver, give it the same verify token, and send the request again.',
  example: { params: { response_status: 403, error_class: null } },
})

export const webhookFormatUnsupported = defineError({
  code: 'webhook_format_unsupported',
  status: 409,
  title: 'Not available in this webhook format',
  says: 'Endpoints with the format "whatsapp_cloud" receive no test events. Send a ping, which repeats the handshake.',
  cause: 'Meta has no test events, and a receiver would take one for real. Certification sends test events, too.',
  fix: 'Send a ping to repeat the handshake. To see a message arrive, write one to a simulator number.',
})

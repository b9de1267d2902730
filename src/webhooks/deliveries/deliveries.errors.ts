import { defineError } from '../../kernel/errors.ts'

export const deliveryNotFound = defineError({
  code: 'delivery_not_found',
  status: 404,
  title: 'Delivery not found',
  says: 'There is no delivery with this id, or it is older than the retention period.',
  cause:
    'No delivery of the organization has this id, or it is older than 90 days. A delivery is one event for one endpoint; its id begins with `dlv_`.',
  fix: 'Find it with `GET /deliveries`, for example by its `event`.',
})

export const deliveryNotSendable = defineError({
  code: 'delivery_not_sendable',
  status: 409,
  title: 'Delivery can no longer be sent',
  says: 'The endpoint of this delivery was deleted, its event is older than the retention period, or its payload was erased.',
  cause:
    'A resend goes to the endpoint with its current settings and with the stored event. `params.reason` says which of them is gone: `endpoint_deleted`, `event_expired` or `event_erased`.',
  fix: 'A resend is no longer possible. Read the object itself instead, such as `GET /orders/{id}`.',
  example: { params: { reason: 'event_expired' } },
})

import { defineError } from '../../kernel/errors.ts'

export const deliveryNotFound = defineError({
  code: 'delivery_not_found',
  status: 404,
  title: 'There is no such delivery',
  says: 'There is no delivery with this id, or it is older than deliveries are kept.',
  help: 'Delivery ids begin with `dlv_`. A delivery is one event owed to one endpoint; they are kept for 90 days.',
})

export const deliveryNotSendable = defineError({
  code: 'delivery_not_sendable',
  status: 409,
  title: 'The delivery can no longer be sent',
  says: 'The endpoint of this delivery was deleted, its event is older than events are kept, or its payload was erased.',
  help: 'A resend goes to the endpoint as it is now, with the bytes of the event as they were stored. `params.reason` tells which of these is gone: `endpoint_deleted`, `event_expired` or `event_erased`.',
})

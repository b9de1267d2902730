import { defineEvent } from '../../events/events.ts'
import { deliveryExample, WebhookDelivery } from './deliveries.schemas.ts'

/** No delivery of one of these is itself the subject of an event: two failing endpoints would notify each other for ever. */
export const deliveryExhausted = defineEvent({
  name: 'delivery.exhausted',
  description: 'All attempts to deliver an event to an endpoint failed; it is not retried automatically any more.',
  data: WebhookDelivery,
  example: deliveryExample,
  isOperational: true,
})

export const deliveryRecovered = defineEvent({
  name: 'delivery.recovered',
  description: 'An event whose delivery had failed was delivered after all, by a recovery or a resend.',
  data: WebhookDelivery,
  example: {
    ...deliveryExample,
    status: 'succeeded' as const,
    reason: null,
    attempt_count: 13,
    last_response_status: 200,
    last_error_class: null,
    completed_at: '2026-11-18T08:00:00.000Z',
  },
  isOperational: true,
})

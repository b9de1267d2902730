import { defineEvent } from '../../events/events.ts'
import { deliveryExample, WebhookDelivery } from './deliveries.schemas.ts'

/** No delivery of one of these is itself the subject of an event: two failing endpoints would notify each other for ever. */
export const deliveryExhausted = defineEvent({
  name: 'delivery.exhausted',
  description: 'All attempts to deliver an event to an endpoint failed; there will be no further one by itself.',
  data: WebhookDelivery,
  example: deliveryExample,
  isOperational: true,
})

export const deliveryRecovered = defineEvent({
  name: 'delivery.recovered',
  description:
    'An event that had been given up for an endpoint arrived there after all: recovered, or sent again by hand.',
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

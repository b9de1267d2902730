import { EVENT_TYPES } from './generated/event-types.ts'
import type { Event, KnownEvent, ThinEvent, WebhookEvent } from './generated/types.ts'

/**
 * Whether `type` says what is in `data`. It does not for an event that came into the catalogue after this version of the
 * SDK, for one that came with its ids alone, and for one whose payload was erased.
 */
export const isKnown = (event: Event | WebhookEvent): event is KnownEvent =>
  EVENT_TYPES.includes(event.type) && !('self' in event) && !('erased_at' in event)

/** It came with its ids alone: `events.get(event.id)` has the whole. */
export const isThin = (event: WebhookEvent): event is ThinEvent => 'self' in event

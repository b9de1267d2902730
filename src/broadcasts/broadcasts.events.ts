import { defineEvent } from '../events/events.ts'
import { Broadcast, type BroadcastView, broadcastExample } from './broadcasts.schemas.ts'

const broadcastEvent = (name: string, description: string, difference: Partial<BroadcastView>) =>
  defineEvent({ name, description, data: Broadcast, example: { ...broadcastExample, ...difference } })

const started = { started_at: '2026-11-14T09:31:00.000Z' }

export const broadcastEvents = {
  paused: broadcastEvent(
    'broadcast.paused',
    'A broadcast was paused, by a person, a program or the state of its number; `paused_reason` says why.',
    { ...started, status: 'paused', paused_reason: 'quality_low' },
  ),
  completed: broadcastEvent(
    'broadcast.completed',
    'Everyone in a broadcast was sent it or left out. Deliveries and failures are still reported by `message.*`.',
    {
      ...started,
      status: 'completed',
      counts: { pending: 0, sent: 120, delivered: 96, read: 31, failed: 1, skipped: 14 },
      ended_at: '2026-11-14T09:32:00.000Z',
    },
  ),
}

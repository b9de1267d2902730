import { z } from 'zod'
import { eventNotFound } from '../../events/events.errors.ts'
import type { Id } from '../../kernel/ids.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { eventUnfinished } from './erasure.errors.ts'
import { type Erasure, eraseEvent, eraseNaming, SUBJECT_FORM, SUBJECT_FORM_SAYS } from './erasure.ts'

/** With the events, which is where they are looked for; here, because only webhooks know which deliveries are pending. */
const TAG = 'Events'

const unfinished = z.enum(['keep', 'cancel']).default('keep')

const sequence = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

const EraseRequest = z
  .strictObject({
    subjects: z.array(z.string().max(31).regex(SUBJECT_FORM, SUBJECT_FORM_SAYS)).min(1).max(20).meta({
      description: 'Ids of contacts, chats, messages, orders or other resources, and phone numbers as `+6281…`.',
    }),
    unfinished: unfinished.meta({
      description:
        '`keep` skips events with pending deliveries; `cancel` cancels those deliveries. Events in flight are always skipped.',
    }),
    after: sequence.default(0).meta({ description: '`next_after` of the previous response.' }),
  })
  .meta({ id: 'EventErasureRequest', description: 'What to erase.' })

const EventErasure = z
  .object({
    object: z.literal('event_erasure'),
    examined: z.int().min(0).max(1_000_000).meta({ description: 'Number of events examined.' }),
    erased: z.int().min(0).max(1_000_000),
    unfinished: z
      .int()
      .min(0)
      .max(1_000_000)
      .meta({ description: 'Number of events that were not erased because a delivery is pending.' }),
    next_after: sequence
      .nullable()
      .meta({ description: 'Repeat the request with this as `after`. Null at the end of the log.' }),
  })
  .meta({ id: 'EventErasure', description: 'The result of one request.' })

const presentErasure = ({ examined, erased, unfinished: left, nextAfter }: Erasure) => ({
  object: 'event_erasure' as const,
  examined,
  erased,
  unfinished: left,
  next_after: nextAfter,
})

export const erasureRoutes = (context: WebhooksContext) => [
  defineChange({
    id: 'eraseEventPayload',
    method: 'DELETE',
    path: '/events/{id}/payload',
    tag: TAG,
    summary: 'Erase the payload of an event',
    description:
      'Erases `data` and `previous` of the event, and the responses of receivers to it. It cannot be undone. The event keeps its id, type and sequence, gets `erased_at`, and can no longer be sent. While a delivery of it is pending, the response is 409 `event_unfinished`, unless `unfinished` is `cancel`. Erasing it twice changes nothing.',
    access: key('events:erase'),
    params: z.object({ id: idSchema('evt') }),
    query: z.strictObject({
      unfinished: unfinished.meta({
        description: '`cancel` cancels its pending deliveries. A delivery in flight is never cancelled.',
      }),
    }),
    reply: { status: 204, body: null, description: 'The payload is erased.' },
    errors: [eventNotFound, eventUnfinished],
    example: {
      params: { id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg' },
      query: { unfinished: 'cancel' },
      reply: null,
    },
    async handle({ tx, caller, params, query }) {
      await eraseEvent(context, tx, caller.orgId, { id: params.id as Id<'evt'>, unfinished: query.unfinished })
      return undefined
    },
  }),
  defineRoute({
    id: 'eraseEvents',
    method: 'POST',
    path: '/events/erase',
    tag: TAG,
    summary: 'Erase all events about a customer',
    description:
      'Erases the payload of every event that is about one of the `subjects` or mentions it, as `DELETE /events/{id}/payload` does. Use it when a customer asks to be forgotten. It cannot be undone. Each call examines some thousands of events, oldest first; repeat it with `next_after` until that is null. Contacts, chats, messages and orders are not changed.',
    access: key('events:erase'),
    idempotency: 'transaction',
    body: EraseRequest,
    reply: { status: 200, body: EventErasure },
    example: {
      body: { subjects: ['con_01k9x3m5q8e0t9v7a2b4c6d8fg', 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg', '+6281311112222'] },
      reply: { object: 'event_erasure', examined: 1290, erased: 41, unfinished: 0, next_after: null },
    },
    handle: async ({ tx, caller, body }) => presentErasure(await eraseNaming(context, tx, caller.orgId, body)),
  }),
]

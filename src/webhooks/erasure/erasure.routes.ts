import { z } from 'zod'
import { eventNotFound } from '../../events/events.errors.ts'
import type { Id } from '../../kernel/ids.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
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
      description:
        'Ids of contacts, chats, messages, orders or anything else that events tell of, and phones as `+6281…`.',
    }),
    unfinished: unfinished.meta({
      description:
        '`keep` leaves events alone that an endpoint has yet to get; `cancel` gives those deliveries up. What is being sent at the moment is left alone in either case.',
    }),
    after: sequence.default(0).meta({ description: 'Where to begin: `next_after` of the answer before.' }),
  })
  .meta({ id: 'EventErasureRequest', description: 'Whom the erasure is about.' })

const EventErasure = z
  .object({
    object: z.literal('event_erasure'),
    examined: z.int().min(0).max(1_000_000).meta({ description: 'How many events were looked at.' }),
    erased: z.int().min(0).max(1_000_000),
    unfinished: z
      .int()
      .min(0)
      .max(1_000_000)
      .meta({ description: 'How many were left alone, because they are not finished.' }),
    next_after: sequence
      .nullable()
      .meta({ description: 'The log goes on: ask again with this as `after`. Null at its end.' }),
  })
  .meta({ id: 'EventErasure', description: 'What came of a piece of the log.' })

const presentErasure = ({ examined, erased, unfinished: left, nextAfter }: Erasure) => ({
  object: 'event_erasure' as const,
  examined,
  erased,
  unfinished: left,
  next_after: nextAfter,
})

export const erasureRoutes = (context: WebhooksContext) => [
  defineRoute({
    id: 'eraseEventPayload',
    method: 'DELETE',
    path: '/events/{id}/payload',
    tag: TAG,
    summary: 'Erase the payload of an event',
    description:
      'Empties `data` and `previous` of the event and what receivers answered when they were told of it. It cannot be undone. The event keeps its id, type and sequence, and shows `erased_at`; it can no longer be sent. While an endpoint has yet to get it, this is 409 `event_unfinished`, unless `unfinished` is `cancel`. Erasing what is erased changes nothing.',
    access: key('events:erase'),
    params: z.object({ id: idSchema('evt') }),
    query: z.strictObject({
      unfinished: unfinished.meta({
        description: '`cancel` gives up the deliveries that wait. What is being sent at the moment is never given up.',
      }),
    }),
    reply: { status: 204, body: null, description: 'The event says nothing any more.' },
    errors: [eventNotFound, eventUnfinished],
    example: {
      params: { id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg' },
      query: { unfinished: 'cancel' },
      reply: null,
    },
    async handle({ caller, params, query }) {
      const target = { id: params.id as Id<'evt'>, unfinished: query.unfinished }
      await context.database.transaction((tx) => eraseEvent(context, tx, caller.orgId, target))
      return undefined
    },
  }),
  defineRoute({
    id: 'eraseEvents',
    method: 'POST',
    path: '/events/erase',
    tag: TAG,
    summary: 'Erase all events about somebody',
    description:
      'For a customer who asks to be forgotten: the payload of every event that is about one of the `subjects` or names it is erased, as `DELETE /events/{id}/payload` does. It cannot be undone. Each call goes through some thousands of events, oldest first; repeat it with `next_after` until that is null. Contacts, chats, messages and orders themselves are not touched.',
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

import { defineError } from '../../kernel/errors.ts'

export const eventUnfinished = defineError({
  code: 'event_unfinished',
  status: 409,
  title: 'Event still has to be delivered',
  says: 'This event still has to be delivered, so its payload was not erased. Wait, or cancel the pending deliveries with `unfinished=cancel`.',
  cause:
    '`params.reason` says why: `deliveries_unfinished` (an endpoint still has to receive it), `in_flight` (it is being sent right now) or `not_dealt_out` (its deliveries are not created yet).',
  fix: 'For `deliveries_unfinished`, wait, or cancel those deliveries with `unfinished=cancel`. For the others, repeat the request in a minute.',
  example: { params: { reason: 'deliveries_unfinished' } },
})

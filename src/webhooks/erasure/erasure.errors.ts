import { defineError } from '../../kernel/errors.ts'

export const eventUnfinished = defineError({
  code: 'event_unfinished',
  status: 409,
  title: 'The event is not finished',
  says: 'Something still has to be done with what this event says, so it was not erased.',
  help: '`params.reason` tells what. `deliveries_unfinished`: a webhook endpoint has yet to get it; wait for that, or give it up with `unfinished=cancel`. `in_flight`: it is being sent at this moment; ask again in a minute. `not_dealt_out`: it has just happened; ask again in a moment.',
})

import { defineError } from '../kernel/errors.ts'

export const eventNotFound = defineError({
  code: 'event_not_found',
  status: 404,
  title: 'There is no such event',
  says: 'There is no event with this id, or it is older than events are kept.',
  help: 'Event ids begin with `evt_` and are the `webhook-id` of their deliveries. Events are kept for 30 days unless the operator set another time.',
})

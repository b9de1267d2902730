import { defineError } from '../kernel/errors.ts'

export const eventNotFound = defineError({
  code: 'event_not_found',
  status: 404,
  title: 'There is no such event',
  says: 'There is no event with this id, or it is older than events are kept.',
  help: 'Event ids begin with `evt_` and are the `webhook-id` of their deliveries. Events are kept for 30 days, and for up to 90 what an endpoint has yet to get and all that came after it.',
})

export const eventsExpired = defineError({
  code: 'events_expired',
  status: 410,
  title: 'Events after this sequence are no longer kept',
  says: 'Events after this sequence were dropped because of their age. Ask with params.resume_after to go on with what is kept.',
  help: 'A reader that was away for longer than events are kept (30 days) has missed some, and is told so instead of being handed the next one as if nothing had happened. Compare what you have with the lists, such as `GET /orders?updated_after=`, then go on with `after` = `params.resume_after`. `params.missed` counts events of every type: a reader with a filter is told so also where none of them was meant for it. It can keep up by asking for the newest sequence (`GET /events?limit=1`) before it looks, and going on with that where it found nothing. `after=0` means from the oldest event that is kept, and is never answered with this.',
})

export const sequenceAhead = defineError({
  code: 'sequence_ahead',
  status: 409,
  title: 'There is no event with this sequence yet',
  says: 'The newest event comes before this sequence. Ask with params.newest as "after" to wait for the next one.',
  help: 'A reader that remembers a sequence which was never given out here would wait for events that come with lower numbers, and miss them without noticing. It happens with the sequence of another organization or installation, or after a database was restored from a backup. Compare what you have with the lists, such as `GET /orders?updated_after=`, then go on with `after` = `params.newest`. Asking with `after` = the newest sequence is no error: there is nothing new yet.',
})

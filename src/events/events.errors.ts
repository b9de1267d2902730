import { defineError } from '../kernel/errors.ts'

export const eventNotFound = defineError({
  code: 'event_not_found',
  status: 404,
  title: 'Event not found',
  says: 'There is no event with this id, or it is older than the retention period.',
  cause:
    'No event of the organization has this id, or it was deleted because of its age. Events are kept for 30 days, and for up to 90 days while an endpoint still has to receive them.',
  fix: 'Check the id: event ids begin with `evt_` and are the `webhook-id` of their deliveries. For older data read the object itself, such as `GET /orders/{id}`.',
})

export const eventsExpired = defineError({
  code: 'events_expired',
  status: 410,
  title: 'Events after this sequence are no longer kept',
  says: 'Events after this sequence were deleted because of their age. Continue with params.resume_after.',
  cause:
    'The reader was away for longer than events are kept (30 days), so some were deleted before it read them. `params.missed` counts events of every type, including types that the filter excludes. Or the server was restored from a backup: events after that backup are lost, `params.missed` is null, and sequences continue at the next billion so that none is used twice. `after=0` means the oldest event that is kept and never fails with this code.',
  fix: 'Compare your data with the lists, such as `GET /orders?updated_after=`, then continue with `after` = `params.resume_after`. A reader with a filter avoids this if it saves the newest sequence (`GET /events?limit=1`) whenever it finds nothing.',
  example: { params: { after: 47_898, missed: 312, resume_after: 48_210 } },
})

export const sequenceAhead = defineError({
  code: 'sequence_ahead',
  status: 409,
  title: 'Sequence does not exist yet',
  says: 'The newest event has a lower sequence than this. Send params.newest as "after" to wait for the next event.',
  cause:
    'This organization has no event with that sequence yet. It belongs to another organization or installation. Waiting would skip events without notice.',
  fix: 'Compare your data with the lists, such as `GET /orders?updated_after=`, then continue with `after` = `params.newest`. If `after` is the newest sequence, the list is empty and this is not an error.',
  example: { params: { after: 50_000, newest: 48_522 } },
})

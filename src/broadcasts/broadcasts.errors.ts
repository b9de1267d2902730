import { defineError } from '../kernel/errors.ts'

const exampleId = 'brd_01k9x3m5q8e0t9v7a2b4c6d8fg'

export const broadcastNotFound = defineError({
  code: 'broadcast_not_found',
  status: 404,
  title: 'Broadcast not found',
  says: 'There is no broadcast with this id in the organization. Check the id.',
  cause: 'No broadcast of the organization has this id. Ids of broadcasts begin with `brd_`.',
  fix: 'List the broadcasts with `GET /broadcasts`.',
  example: { params: { id: exampleId } },
})

export const broadcastStatusConflict = defineError({
  code: 'broadcast_status_conflict',
  status: 409,
  title: 'Broadcast has another status',
  says: 'The status of this broadcast does not allow it; `params.status` is the status.',
  cause:
    'A draft can be started and cancelled, a running broadcast paused and cancelled, and a paused one resumed and cancelled. A completed or cancelled broadcast is over.',
  fix: 'Read the broadcast with `GET /broadcasts/{id}`. For another round, create a new one.',
  example: { params: { id: exampleId, status: 'completed' } },
})

export const broadcastEmpty = defineError({
  code: 'broadcast_empty',
  status: 409,
  title: 'Broadcast without recipients',
  says: 'No one in the audience can receive this broadcast; `params.skipped` counts the reasons. Nothing was created.',
  cause:
    'Everyone in the audience was left out: without an opt-in, after an opt-out, or because the phone number cannot exist.',
  fix: 'Record opt-ins with `POST /contacts/{id}/opt-in`, or give `opt_in` with each recipient of a list.',
  example: { params: { skipped: { opt_in_missing: 12, opted_out: 1 } } },
})

import { defineError } from '../../kernel/errors.ts'

export const recoveryNotFound = defineError({
  code: 'recovery_not_found',
  status: 404,
  title: 'Recovery not found',
  says: 'There is no recovery with this id for this webhook endpoint. List its recoveries to find the id.',
  cause: 'The endpoint has no recovery with this id. Recovery ids begin with `job_`.',
  fix: 'List the recoveries of the endpoint to find the id.',
})

export const recoveryRunning = defineError({
  code: 'recovery_running',
  status: 409,
  title: 'Recovery already running',
  says: 'Another recovery for this webhook endpoint is still running. Wait for it, or cancel it.',
  cause:
    'An endpoint runs one recovery at a time, because two would send the same events twice. `params.recovery_id` is the one that runs. A dry run is always possible.',
  fix: 'Wait until it finishes, or cancel it.',
  example: { params: { recovery_id: 'job_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const recoveryFinished = defineError({
  code: 'recovery_finished',
  status: 409,
  title: 'Recovery already finished',
  says: 'This recovery has already finished, so it cannot be cancelled.',
  cause:
    'A recovery can be cancelled while it runs. `params.status` is how it ended. Deliveries it queued are sent and retried like any other.',
  fix: 'Nothing needs to be done.',
  example: { params: { status: 'completed' } },
})

export const recoveryWindowExpired = defineError({
  code: 'recovery_window_expired',
  status: 409,
  title: 'Window begins before the retention period',
  says: 'Events of that time are no longer kept. Choose a later `since`.',
  cause: 'Events are kept for `params.retention_days` days, and an event that is gone cannot be sent.',
  fix: 'Choose a `since` of `params.earliest` or later.',
  example: { params: { retention_days: 30, earliest: '2026-10-15T00:00:00.000Z' } },
})

export const recoveryWindowEmpty = defineError({
  code: 'recovery_window_empty',
  status: 409,
  title: 'Window is empty',
  says: 'There is no time between `since` and `until`. Choose a `since` in the past and an `until` after it.',
  cause:
    'The window includes `since` and excludes `until`, by the time of the event. Without `until`, or with one in the future, it ends now.',
  fix: 'Choose a `since` in the past and an `until` after it.',
  example: { params: { since: '2026-11-14T10:00:00.000Z', until: '2026-11-14T09:00:00.000Z' } },
})

export const recoveryStatusMismatch = defineError({
  code: 'recovery_status_mismatch',
  status: 409,
  title: 'Mode does not include this status',
  says: 'The mode does not include deliveries of that status, so nothing could be recovered. Choose another status or mode.',
  cause:
    '`params.covered` lists the statuses that the mode includes. `missing` is for events without a delivery and has no status.',
  fix: 'Choose one of `params.covered`, leave `status` out, or choose another mode.',
  example: { params: { mode: 'held', status: ['failed'], covered: ['held', 'skipped'] } },
})

export const recoveryEndpointResting = defineError({
  code: 'recovery_endpoint_resting',
  status: 409,
  title: 'Webhook endpoint is paused or disabled',
  says: 'This webhook endpoint is not active, so nothing can be sent to it. Resume it first.',
  cause:
    'A recovery sends only to an active endpoint. `params.state` is its state. A dry run is possible in any state.',
  fix: 'Resume the endpoint with `mode: "recover_held"`, which sends the held events. Then recover the others.',
  example: { params: { state: 'paused' } },
})

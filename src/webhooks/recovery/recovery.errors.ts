import { defineError } from '../../kernel/errors.ts'

export const recoveryNotFound = defineError({
  code: 'recovery_not_found',
  status: 404,
  title: 'There is no such recovery',
  says: 'There is no recovery with this id for this webhook endpoint.',
  help: 'Recovery ids begin with `job_`. List the recoveries of the endpoint to find the one you mean.',
})

export const recoveryRunning = defineError({
  code: 'recovery_running',
  status: 409,
  title: 'A recovery is running already',
  says: 'Another recovery for this webhook endpoint is still running. Wait for it, or cancel it.',
  help: 'An endpoint has one recovery at a time, because two would send the same events twice. `params.recovery_id` names the one that runs. A dry run is always possible.',
})

export const recoveryFinished = defineError({
  code: 'recovery_finished',
  status: 409,
  title: 'The recovery is over',
  says: 'This recovery has finished already, so there is nothing left to cancel.',
  help: '`params.status` tells how it ended. Deliveries that were handed over are sent and retried like any other.',
})

export const recoveryWindowExpired = defineError({
  code: 'recovery_window_expired',
  status: 409,
  title: 'The window begins before events are kept',
  says: 'Events of that time are no longer kept. Begin later.',
  help: 'Events are kept for a number of days (`params.retention_days`), and without an event there are no bytes to send. `params.earliest` is the earliest `since` that can be recovered now.',
})

export const recoveryWindowEmpty = defineError({
  code: 'recovery_window_empty',
  status: 409,
  title: 'The window is empty',
  says: 'Nothing can lie between these two times. Give a `since` in the past and an `until` after it.',
  help: 'The window runs from `since` to before `until`, by the time of the event. Without `until` it ends now; an `until` in the future means now.',
})

export const recoveryStatusMismatch = defineError({
  code: 'recovery_status_mismatch',
  status: 409,
  title: 'The mode covers no delivery of that status',
  says: 'The mode and the status exclude each other, so nothing could be recovered.',
  help: '`params.covered` lists the statuses of the mode. `missing` is about events without a delivery and takes no status.',
})

export const recoveryEndpointResting = defineError({
  code: 'recovery_endpoint_resting',
  status: 409,
  title: 'The webhook endpoint is paused or disabled',
  says: 'This webhook endpoint is not enabled, so nothing can be sent to it. Resume it first.',
  help: '`params.state` tells its state. Resuming with `mode: "recover_held"` sends what was held meanwhile; a recovery can then fetch the rest. A dry run is possible in any state.',
})

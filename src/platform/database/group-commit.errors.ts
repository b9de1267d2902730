import { defineError } from '../../kernel/errors.ts'

export const serverBusy = defineError({
  code: 'server_busy',
  status: 503,
  title: 'Server busy',
  says: 'The server has more work than it can store right now. Send the same request again after the time in Retry-After.',
  cause:
    'More requests arrived than the database could store, or the server is shutting down. Nothing of this request was stored.',
  fix: 'Wait for the number of seconds in `Retry-After`, then send the request again. Double the wait each time it happens again.',
})

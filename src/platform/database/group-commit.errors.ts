import { defineError } from '../../kernel/errors.ts'

export const serverBusy = defineError({
  code: 'server_busy',
  status: 503,
  title: 'Server busy',
  says: 'The server has more work than it can write right now. Send the same request again after the time in Retry-After.',
  help: 'More requests arrived than the database could store, or the server is shutting down. Nothing of this request was stored, so it is safe to send it again: wait for the number of seconds in the Retry-After header, and double the wait if it happens again.',
})

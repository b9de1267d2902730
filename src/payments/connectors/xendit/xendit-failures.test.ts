import { expect, test } from 'bun:test'
import { serverWords } from '../../../../console/app/text/server-id.ts'
import { failureOf } from './xendit-failures.ts'

test.each([
  ['CHANNEL_UNAVAILABLE'],
  ['ISSUER_UNAVAILABLE'],
  ['RATE_LIMIT_EXCEEDED'],
  ['REFUND_IN_PROGRESS'],
  ['SERVER_ERROR'],
])('%s is a temporary failure with an Indonesian text in the console', (error_code) => {
  const answer = { kind: 'answered', status: 503, body: { error_code }, list: null, retryAfterMs: null } as const
  const failure = failureOf(answer)
  expect(failure.class).toBe('unavailable')
  expect(serverWords.failures).toHaveProperty(failure.code)
})

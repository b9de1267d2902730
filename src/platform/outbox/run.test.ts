import { expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import type { ClaimedEntry } from './job.ts'
import { DONE, testJob } from './outbox.suite.ts'
import { runEntry } from './run.ts'

/** The test job has a schedule of three attempts. */
const runAttempt = (attempt: number, fields: Parameters<typeof testJob>[0] = {}) =>
  runEntry({
    entry: { id: 'ent', laneId: 'lane', job: 'test.work', attempt } as ClaimedEntry,
    job: testJob(fields),
    controller: new AbortController(),
    log: quietLog,
  })

const GIVEN_UP = { kind: 'retry', reason: 'lease_expired', verdict: 'neutral' } as const

test('an entry whose last attempt was lost with its process is run again, and not for ever', async () => {
  expect(await runAttempt(3)).toEqual(DONE)
  expect(await runAttempt(4)).toEqual(DONE)
  expect(await runAttempt(6)).toEqual(DONE)
  expect(await runAttempt(7)).toEqual(GIVEN_UP)
})

test('a job whose runs must not be repeated gets none beyond its schedule', async () => {
  expect(await runAttempt(3, { lostRunsMax: 0 })).toEqual(DONE)
  expect(await runAttempt(4, { lostRunsMax: 0 })).toEqual(GIVEN_UP)
})

import { APPLY_JOB, APPLY_LEASE_MS, markApplied, markAppliedWith } from '../../channels/journal/journal.ts'
import { Batches } from '../../kernel/batches.ts'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import { defineJob, type Job, type JobResult } from '../../platform/outbox/job.ts'
import type { RetrySchedule } from '../../platform/outbox/retry-schedule.ts'
import { type ApplyBatchesOptions, applyBatches, type BatchOutcome, type WaitingBatch } from './apply-batches.ts'

/**
 * A journaled batch ──▶ its reports, applied ──▶ the journal says that it was applied, and which reports could not be.
 *
 * Batches that wait at the same time are applied together: those of one organization one group after the other, in the
 * order they arrived, because the organization's counter of events admits one transaction at a time anyway. Applying is
 * idempotent, so an interrupted run is repeated.
 */
type Payload = { number_id: string }
type Applied = { problem: string | null }

const RETRY: RetrySchedule = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000], jitter: 0.2 }
const RUN_TIMEOUT_MS = 120_000
const PROBLEM_CHARACTERS_MAX = 2000
const BATCHES_TOGETHER_MAX = 64
const GROUPS_AT_ONCE_MAX = 4
/** How long reports behind a lock that is held elsewhere wait for their next try, which counts as no attempt. */
const LOCKED_WAIT_MS = 1_000

export const createApplyJob = (options: ApplyBatchesOptions): Job => {
  const groups = new Batches<WaitingBatch, BatchOutcome>({
    keyOf: ({ orgId }) => orgId,
    work: (batches) => applyBatches(options, batches),
    itemsMax: BATCHES_TOGETHER_MAX,
    batchesMax: GROUPS_AT_ONCE_MAX,
  })
  return defineJob<Payload, Applied>({
    name: APPLY_JOB,
    retry: RETRY,
    timeoutMs: RUN_TIMEOUT_MS,
    leaseMs: APPLY_LEASE_MS,
    async run({ id, orgId, payload }) {
      const outcome = await groups.submit({ orgId: orgId as OrgId, id, numberId: payload.number_id })
      if (outcome === 'unread')
        return { kind: 'failed', reason: 'connector_missing', data: { problem: CONNECTOR_MISSING } }
      if (outcome === 'locked')
        return { kind: 'defer', until: new Date(options.clock.now() + LOCKED_WAIT_MS), reason: 'locked' }
      const { problems } = outcome
      const problem = problems.length === 0 ? null : problems.join('\n').slice(0, PROBLEM_CHARACTERS_MAX)
      return { kind: 'done', data: { problem } }
    },
    async record(tx, results) {
      const applied = appliedOf(results)
      const now = options.clock.now()
      await markApplied(tx, applied, new Date(now))
      tx.afterCommit(() => noteLag(options, applied, now))
    },
    recordDone(queries, results) {
      const applied = appliedOf(results)
      const now = options.clock.now()
      noteLag(options, applied, now)
      return markAppliedWith(queries, applied, new Date(now))
    },
  })
}

type AppliedBatch = Applied & { orgId: OrgId; id: string }

const appliedOf = (results: readonly JobResult<Payload, Applied>[]): AppliedBatch[] =>
  results.flatMap(({ entry, outcome }) =>
    outcome.data === undefined ? [] : [{ orgId: entry.orgId as OrgId, id: entry.id, ...outcome.data }],
  )

function noteLag({ metrics }: ApplyBatchesOptions, applied: readonly AppliedBatch[], nowMs: number): void {
  for (const { id } of applied) metrics.lagged(nowMs - idTime(id as Id<'jrn'>).getTime())
}

const CONNECTOR_MISSING = 'The connector of this number is not there.'

import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { type ClaimedEntry, defineJob, type Job, type JobResult, type Outcome } from '../../platform/outbox/job.ts'
import { type ApprovalRow, findApproval, finishApproval } from './approvals.sql.ts'

/**
 * Running what was approved: exactly the request that was asked about, as its agent, under one idempotency key, so
 * that a run which was cut off and repeated does it once.
 */
export const APPROVAL_JOB = 'approvals.run'

export const laneOf = (orgId: OrgId): string => `${orgId}:approvals`

export type RunResult = { status: number; body: string | null }

/** Sends the request through the same pipeline as any other. */
export type RunApproved = (approval: ApprovalRow) => Promise<RunResult>

type Payload = { approval: string }

const RETRY = { delaysMs: [1_000, 5_000, 30_000, 120_000], jitter: 0.2 }
const TIMEOUT_MS = 45_000

/** The failure is temporary: the same key is in use, the database is away, or a limit was hit. */
const isPassing = ({ status, body }: RunResult) =>
  status >= 500 || status === 429 || (status === 409 && (body?.includes('"idempotency_key_in_use"') ?? false))

export const createApprovalJob = ({ database, run }: { database: Database; run: RunApproved }): Job =>
  defineJob<Payload, RunResult>({
    name: APPROVAL_JOB,
    retry: RETRY,
    timeoutMs: TIMEOUT_MS,
    async run({ orgId, payload }: ClaimedEntry<Payload>): Promise<Outcome<RunResult>> {
      const approval = await findApproval(database, orgId as OrgId, payload.approval)
      if (approval?.status !== 'approved') return { kind: 'done' }
      const result = await run(approval)
      return isPassing(result)
        ? { kind: 'retry', reason: `status_${result.status}`, data: result }
        : { kind: 'done', data: result }
    },
    record: recordResults,
  })

const isOver = ({ disposition }: JobResult<Payload, RunResult>) =>
  disposition === 'done' || disposition === 'failed' || disposition === 'exhausted' || disposition === 'cancelled'

const NO_ANSWER: RunResult = { status: 500, body: null }

async function recordResults(tx: Tx, results: JobResult<Payload, RunResult>[]): Promise<undefined> {
  for (const finished of results.filter(isOver)) {
    const { entry, outcome } = finished
    const result = outcome.data ?? NO_ANSWER
    const status = result.status < 300 ? ('done' as const) : ('failed' as const)
    await finishApproval(tx, entry.orgId as OrgId, { id: entry.payload.approval, status, result })
  }
}

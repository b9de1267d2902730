import { createHmac } from 'node:crypto'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Route } from '../../platform/http/define-route.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { writeIdempotencyKey } from '../../platform/http/pipeline/idempotency.ts'
import type { InternalApi } from '../../platform/http/pipeline/public-api.ts'
import { type ClaimedEntry, defineJob, type Job, type JobResult, type Outcome } from '../../platform/outbox/job.ts'
import { findAgentRow } from '../records/records.ts'
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
      const approval = await findApproval(database, orgId, payload.approval)
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
    await finishApproval(tx, entry.orgId, { id: entry.payload.approval, status, result })
  }
}

/** Nexkit itself: a person approved the request, and the agent's request has a separate entry in the log. */
const ADDRESS = '127.0.0.1'

/** The agent, for a request that a person has approved. */
export type ApprovedCaller = Caller & { type: 'agent'; approvalId: Id<'apr'> }

type RunParts = {
  database: Database
  routes: readonly Route[]
  approval: ApprovalRow
  /** Signs the idempotency key of a run, so that no other caller can guess it and use it up before. */
  key: Uint8Array
}

const runKey = (key: Uint8Array, id: string) =>
  `approval:${id}:${createHmac('sha256', key).update(id).digest('base64url')}`

/**
 * Sends the exact request as the agent, under the agent's idempotency key or else a derived one, so that a second run
 * finds the first.
 */
export async function runApproved(
  internalApi: InternalApi,
  { database, routes, approval, key }: RunParts,
): Promise<RunResult> {
  const { org_id: orgId, path, query, body, idempotency_key: sent } = approval
  const agent = await findAgentRow(database, orgId, approval.agent_id)
  const route = routes.find(({ id }) => id === approval.operation)
  if (agent === null || route === undefined) throw new Error(`approval ${approval.id} cannot be run`)
  const caller: ApprovedCaller = {
    type: 'agent',
    id: agent.id,
    name: agent.name,
    orgId,
    scopes: agent.scopes,
    rateLimit: null,
    expiresAt: null,
    approvalId: approval.id,
  }
  const request = new Request(`${internalApi.baseUrl}${path}${query === '' ? '' : `?${query}`}`, {
    method: route.method,
    headers: {
      ...(route.method === 'POST' && { 'idempotency-key': writeIdempotencyKey(sent ?? runKey(key, approval.id)) }),
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body }),
  })
  const response = await internalApi.call(caller, request, ADDRESS)
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : text }
}

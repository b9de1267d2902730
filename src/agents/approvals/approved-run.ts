import { createHmac } from 'node:crypto'
import type { Database } from '../../platform/database/database.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { writeIdempotencyKey } from '../../platform/http/pipeline/idempotency-key.ts'
import type { InternalApi } from '../../platform/http/pipeline/internal-api.ts'
import type { ApprovedCaller } from '../gate/agent-gate.ts'
import { findAgentRow } from '../records/agent-records.ts'
import type { RunResult } from './approvals.jobs.ts'
import type { Approval } from './approvals.ts'

export type RunParts = {
  database: Database
  routes: readonly Route[]
  approval: Approval
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

/** Nexkit itself: a person approved the request, and the agent's request has a separate entry in the log. */
const ADDRESS = '127.0.0.1'

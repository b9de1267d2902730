import { recordEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { firstIdAt, type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { idempotencyKeyReused } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { agentLimitReached, approvalNotFound, approvalRefused } from '../agents.errors.ts'
import { holdAgent } from '../records/records.ts'
import type { Amount, AskReason, TargetWorld } from '../rules/rules.ts'
import { approvalRequested } from './approvals.events.ts'
import type { ApprovalView } from './approvals.schemas.ts'
import {
  type ApprovalRow,
  countPendingApprovals,
  expireApprovals,
  findApproval,
  findOpenApproval,
  insertApproval,
  listApprovalRows,
  listApprovalsUnderKey,
} from './approvals.sql.ts'
import type { ApprovalStatus } from './approvals.states.ts'

export type { ApprovedCaller } from './approvals.jobs.ts'
export { findApproval } from './approvals.sql.ts'

/**
 * Requests that an agent may not run alone: the exact request is recorded, a person decides, and an approved request runs once
 * (approvals.jobs.ts). What a person decides is in decisions.ts.
 *
 *   pending ── approve ──▶ approved ── it ran ──▶ done, failed
 *   pending ── refuse ──▶ refused
 *   pending ── 15 minutes ──▶ expired
 */
export type ApprovalsContext = Omit<TargetWorld, 'database'> & {
  database: Database
  clock: Clock
  /** Wakes the outbox after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type Approval = ApprovalRow

const PENDING_MS = 15 * 60_000
/** Equal to the lifetime of every idempotency key. */
const KEY_HOLDS_MS = 24 * 3600 * 1000
/** Upper bound on pending approvals per agent. */
const PENDING_APPROVALS_MAX = 50

export type AskedRequest = {
  operation: string
  /** Without the base path. */
  path: string
  query: string
  body: string | null
  hash: string
  /** The idempotency key of the run, if the agent sent one. */
  idempotencyKey: string | null
  params: Record<string, string>
  amount: Amount
  chatId: string | null
  orderId: string | null
  reason: AskReason
}

type Asking = {
  agent: { id: Id<'agt'>; name: string }
  request: AskedRequest
  requestId: Id<'req'>
  /** Throws what the request would be refused with: then no person is asked. */
  rehearse: () => Promise<void>
}

/** The same request again, while it waits or is about to run, is the same approval. */
export async function askApproval(
  { database, clock }: ApprovalsContext,
  orgId: OrgId,
  { agent, request, requestId, rehearse }: Asking,
): Promise<Approval> {
  const same = { agentId: agent.id, hash: request.hash }
  const open = await findOpenApproval(database, orgId, same)
  if (open === null || statusAt(open, clock.now()) === 'expired') await rehearse()
  return database.transaction(async (tx) => {
    const now = new Date(clock.now())
    // Of two simultaneous requests, the second finds the approval of the first.
    await holdAgent(tx, orgId, agent.id)
    await expireApprovals(tx, orgId, now)
    await assertKeyFree(tx, orgId, { agentId: agent.id, request, now })
    const waiting = await findOpenApproval(tx, orgId, same)
    if (waiting !== null) return waiting
    if ((await countPendingApprovals(tx, orgId, agent.id)) >= PENDING_APPROVALS_MAX)
      throw agentLimitReached({
        says: `This agent already has ${PENDING_APPROVALS_MAX} pending approvals. Wait until some are decided.`,
        params: { limit: 'approvals_waiting', max: PENDING_APPROVALS_MAX },
        headers: { 'Retry-After': '60' },
      })
    const row = await insertApproval(tx, orgId, rowOf({ agent, request, requestId, now }))
    const actor = { type: 'agent' as const, id: agent.id }
    const event = {
      type: approvalRequested,
      subject: row.id,
      data: presentApproval(row, now.getTime()),
      actor,
      requestId,
    }
    await recordEvents(tx, orgId, [event], now.getTime())
    return row
  })
}

/**
 * One idempotency key identifies one request, which is asked about once: another body under it is a mistake of the
 * program, and a program that repeats a refused request would wear people out.
 */
async function assertKeyFree(
  tx: Tx,
  orgId: OrgId,
  { agentId, request, now }: { agentId: string; request: AskedRequest; now: Date },
): Promise<void> {
  const { hash, operation, idempotencyKey: key } = request
  if (key === null) return
  const sinceId = firstIdAt('apr', new Date(now.getTime() - KEY_HOLDS_MS))
  const asked = await listApprovalsUnderKey(tx, orgId, { agentId, operation, key, sinceId })
  const other = asked.find(({ request_hash: of }) => of !== hash)
  if (other !== undefined) throw idempotencyKeyReused({ params: { original_request_id: other.request_id } })
  const refused = asked.find(({ status }) => status === 'refused')
  if (refused !== undefined) throw approvalRefused({ params: { note: refused.note } })
}

type Asked = Omit<Asking, 'rehearse'> & { now: Date }

const rowOf = ({ agent, request, requestId, now }: Asked) => ({
  id: newId('apr', now.getTime()),
  agent_id: agent.id,
  agent_name: agent.name,
  operation: request.operation,
  path: request.path,
  query: request.query,
  body: request.body,
  request_hash: request.hash,
  idempotency_key: request.idempotencyKey,
  params: request.params,
  amount: typeof request.amount === 'number' ? request.amount : null,
  chat_id: request.chatId,
  order_id: request.orderId,
  reason: request.reason,
  request_id: requestId,
  created_at: now,
  expires_at: new Date(now.getTime() + PENDING_MS),
  decided_at: null,
  decided_by_type: null,
  decided_by_id: null,
  decided_by_name: null,
  note: null,
  result_status: null,
  result_body: null,
})

type Viewer = Pick<Caller, 'orgId' | 'type' | 'id'>

/** An agent sees its own. */
const isSeenBy = (caller: Viewer, row: Approval) => caller.type !== 'agent' || row.agent_id === caller.id

export async function getApproval(queries: Queries, caller: Viewer, id: string): Promise<Approval> {
  const row = await findApproval(queries, caller.orgId, id)
  if (row === null || !isSeenBy(caller, row)) throw approvalNotFound({ params: { id } })
  return row
}

export type ApprovalSearch = {
  status: ApprovalStatus | null
  agentId: string | null
  before: string | null
  limit: number
}

export async function listApprovals(
  { database, clock }: ApprovalsContext,
  caller: Caller,
  { status, agentId, before, limit }: ApprovalSearch,
): Promise<Approval[]> {
  const { orgId } = caller
  await expireApprovals(database, orgId, new Date(clock.now()))
  const own = caller.type === 'agent' ? caller.id : null
  if (own !== null && agentId !== null && agentId !== own) return []
  const statuses = status === null ? null : [status]
  return listApprovalRows(database, orgId, { statuses, agentId: own ?? agentId, before, limit })
}

/** The status by the clock: an approval expires before its row says so. */
export const statusAt = ({ status, expires_at }: Approval, nowMs: number): ApprovalStatus =>
  status === 'pending' && expires_at.getTime() <= nowMs ? 'expired' : status

export const presentApproval = (row: Approval, nowMs: number): ApprovalView => ({
  object: 'approval',
  id: row.id,
  status: statusAt(row, nowMs),
  agent: { id: row.agent_id, name: row.agent_name },
  operation: row.operation,
  request: {
    params: row.params,
    query: Object.fromEntries(new URLSearchParams(row.query)),
    body: objectIn(row.body),
  },
  amount: row.amount,
  chat_id: row.chat_id,
  order_id: row.order_id,
  reason: row.reason,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  decided_by:
    row.decided_by_type === null || row.decided_by_id === null
      ? null
      : { type: row.decided_by_type, id: row.decided_by_id, name: row.decided_by_name },
  note: row.note,
  result: row.result_status === null ? null : { status: row.result_status, body: objectIn(row.result_body) },
})

const objectIn = (text: string | null): Record<string, unknown> | null =>
  text === null || text === '' ? null : JSON.parse(text)

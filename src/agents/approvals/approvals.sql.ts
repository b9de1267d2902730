import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { AskReason } from '../rules/rules.ts'
import type { ApprovalStatus } from './approvals.states.ts'

export type ApprovalRow = {
  org_id: OrgId
  id: Id<'apr'>
  agent_id: Id<'agt'>
  agent_name: string
  operation: string
  path: string
  query: string
  body: string | null
  request_hash: string
  idempotency_key: string | null
  params: Record<string, string>
  amount: number | null
  chat_id: string | null
  order_id: string | null
  reason: AskReason
  status: ApprovalStatus
  request_id: Id<'req'>
  created_at: Date
  expires_at: Date
  decided_at: Date | null
  decided_by_type: 'user' | 'key' | null
  decided_by_id: string | null
  decided_by_name: string | null
  note: string | null
  result_status: number | null
  result_body: string | null
}

const columns = ({ part }: Queries) => part`
  org_id, id, agent_id, agent_name, operation, path, query, body, request_hash, idempotency_key, params, amount, chat_id,
  order_id, reason, status, request_id, created_at, expires_at, decided_at, decided_by_type, decided_by_id, decided_by_name, note,
  result_status, result_body`

export const insertApproval = (tx: Tx, orgId: OrgId, row: Omit<ApprovalRow, 'org_id' | 'status'>) =>
  tx.one<ApprovalRow>`
    insert into approvals (org_id, id, agent_id, agent_name, operation, path, query, body, request_hash, idempotency_key,
      params, amount, chat_id, order_id, reason, status, request_id, created_at, expires_at)
    values (${orgId}, ${row.id}, ${row.agent_id}, ${row.agent_name}, ${row.operation}, ${row.path}, ${row.query},
      ${row.body}, ${row.request_hash}, ${row.idempotency_key}, ${JSON.stringify(row.params)}::text::jsonb, ${row.amount}, ${row.chat_id},
      ${row.order_id}, ${row.reason}, 'pending', ${row.request_id}, ${row.created_at}, ${row.expires_at})
    returning ${columns(tx)}`

export const findApproval = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<ApprovalRow>`
  select ${columns(queries)} from approvals where org_id = ${orgId} and id = ${id}`

export const lockApproval = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<ApprovalRow>`
  select ${columns(tx)} from approvals where org_id = ${orgId} and id = ${id} for update`

/** Finds an approval that is pending, or approved and about to run. */
export const findOpenApproval = (
  queries: Queries,
  orgId: OrgId,
  { agentId, hash }: { agentId: string; hash: string },
) => queries.maybeOne<ApprovalRow>`
  select ${columns(queries)} from approvals
  where org_id = ${orgId} and agent_id = ${agentId} and request_hash = ${hash}
    and status in ('pending', 'approved')
  order by id desc limit 1`

/** The approvals under an idempotency key, newest first; an expired one leaves the key free. */
export const listApprovalsUnderKey = (
  queries: Queries,
  orgId: OrgId,
  { agentId, operation, key, sinceId }: { agentId: string; operation: string; key: string; sinceId: string },
) => queries.many<ApprovalRow>`
  select ${columns(queries)} from approvals
  where org_id = ${orgId} and agent_id = ${agentId} and id >= ${sinceId} and operation = ${operation}
    and idempotency_key = ${key} and status <> 'expired'
  order by id desc limit 10`

export type ApprovalFilter = {
  statuses: readonly ApprovalStatus[] | null
  agentId: string | null
  before: string | null
  limit: number
}

/** Newest first. */
export const listApprovalRows = (queries: Queries, orgId: OrgId, filter: ApprovalFilter) => {
  const { part } = queries
  const { statuses, agentId, before, limit } = filter
  return queries.many<ApprovalRow>`
    select ${columns(queries)} from approvals where org_id = ${orgId}
      ${statuses === null ? part`` : part`and status = any(${statuses})`}
      ${agentId === null ? part`` : part`and agent_id = ${agentId}`}
      ${before === null ? part`` : part`and id < ${before}`}
    order by id desc limit ${limit}`
}

/**
 * Expires overdue approvals when they are read, so no timer is needed. An approval that is being decided at this moment
 * is skipped.
 */
export const expireApprovals = (queries: Queries, orgId: OrgId, now: Date) => queries.run`
  update approvals set status = 'expired' where org_id = ${orgId} and status = 'pending' and id in (
    select id from approvals where org_id = ${orgId} and status = 'pending' and expires_at <= ${now}
    for update skip locked)`

export const countPendingApprovals = async (queries: Queries, orgId: OrgId, agentId: string) =>
  (
    await queries.one<{ count: number }>`
      select count(*)::integer as count from approvals
      where org_id = ${orgId} and agent_id = ${agentId} and status = 'pending'`
  ).count

export type Decided = {
  id: string
  status: 'approved' | 'refused'
  at: Date
  by: { type: 'user' | 'key'; id: string; name: string | null }
  note: string | null
}

export const decideApproval = (tx: Tx, orgId: OrgId, { id, status, at, by, note }: Decided) => tx.one<ApprovalRow>`
  update approvals set status = ${status}, decided_at = ${at}, decided_by_type = ${by.type}, decided_by_id = ${by.id},
    decided_by_name = ${by.name}, note = ${note}
  where org_id = ${orgId} and id = ${id} and status = 'pending'
  returning ${columns(tx)}`

export const finishApproval = (
  tx: Tx,
  orgId: OrgId,
  { id, status, result }: { id: string; status: 'done' | 'failed'; result: { status: number; body: string | null } },
) => tx.run`
  update approvals set status = ${status}, result_status = ${result.status}, result_body = ${result.body}
  where org_id = ${orgId} and id = ${id} and status = 'approved'`

/** Old approvals of all organizations, oldest first. */
export const listOldApprovals = (tx: Tx, { before, rowsMax }: { before: Date; rowsMax: number }) => tx.many<{
  org_id: OrgId
  id: string
}>`
  select org_id, id from approvals where created_at < ${before} order by created_at limit ${rowsMax}`

/** Those that another transaction holds are left for the next run. */
export const deleteApprovals = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.run`
  delete from approvals where org_id = ${orgId} and id in (
    select id from approvals where org_id = ${orgId} and id = any(${[...ids]}::text[]) for update skip locked)`

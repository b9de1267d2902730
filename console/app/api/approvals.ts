import { queryOptions } from '@tanstack/react-query'
import type { Operation } from './agents.ts'
import { type List, publicApi } from './client.ts'

/** Something an agent wants to do and a person decides about. */
export type ApprovalStatus = 'pending' | 'approved' | 'refused' | 'expired' | 'done' | 'failed'
export type Approval = {
  id: string
  status: ApprovalStatus
  agent: { id: string; name: string }
  operation: Operation
  /** Exactly what is done once somebody approves. */
  request: {
    params: Record<string, unknown>
    query: Record<string, unknown>
    body: Record<string, unknown> | null
  }
  amount: number | null
  chat_id: string | null
  order_id: string | null
  reason: 'rule' | 'amount' | 'open_amount' | 'anchor'
  created_at: string
  expires_at: string
  decided_at: string | null
  decided_by: { type: 'user' | 'key'; id: string; name: string | null } | null
  note: string | null
  result: { status: number; body: Record<string, unknown> | null } | null
}

export const APPROVALS = '/api/proxy/approvals'
const WAITING_MAX = 100
const LOOK_AGAIN_MS = 30_000

/** All that wait. What runs out is no event, so they are looked at again while there are any. */
export const waitingQuery = queryOptions({
  queryKey: ['waiting-approvals'],
  queryFn: ({ signal }) =>
    publicApi.get<List<Approval>>('/approvals', { status: 'pending', limit: WAITING_MAX }, signal),
  refetchInterval: ({ state }) => (state.data?.data.length ? LOOK_AGAIN_MS : false),
})

/** As it is told: a full page may be only the beginning. */
export const waitingText = ({ data, has_more }: List<Approval>): string => `${data.length}${has_more ? '+' : ''}`

const RUNNING_LOOK_MS = 700
const OVERDUE_LOOK_MS = 15_000

/**
 * Between the decision and what came of it there is a moment, which is waited for. That its time is over is nobody's event, and
 * the clock here may be wrong: the server is asked, and until it says so the approval waits.
 */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    queryFn: ({ signal }) => publicApi.get<Approval>(`/approvals/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => lookAgainMs(state.data),
  })

function lookAgainMs(approval: Approval | undefined): number | false {
  if (approval?.status === 'approved') return RUNNING_LOOK_MS
  if (approval?.status !== 'pending') return false
  const leftMs = Date.parse(approval.expires_at) - Date.now()
  return leftMs > 0 ? leftMs + RUNNING_LOOK_MS : OVERDUE_LOOK_MS
}

export type Verdict = 'approve' | 'refuse'
export const decideApproval = (id: string, verdict: Verdict, note: string) =>
  publicApi.post<Approval>(`/approvals/${id}/${verdict}`, note === '' ? {} : { note })

const STEPS: Record<ApprovalStatus, number> = { pending: 0, approved: 1, refused: 2, expired: 2, done: 2, failed: 2 }

/** Of two readings of the same one, that which was made later: it never goes back. */
export const laterOf = (one: Approval, other: Approval): Approval =>
  STEPS[other.status] > STEPS[one.status] ? other : one

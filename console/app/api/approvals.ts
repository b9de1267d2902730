import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call, type List } from './client.ts'
import type { Closed } from './generated.ts'

/** Something an agent wants to do and a person decides about. */
export type Approval = Closed<Sdk.Approval>

export const APPROVALS = '/api/proxy/approvals'
const WAITING_MAX = 100
const LOOK_AGAIN_MS = 30_000

/** All that wait. What runs out is no event, so they are looked at again while there are any. */
export const waitingQuery = queryOptions({
  queryKey: ['waiting-approvals'],
  queryFn: ({ signal }) =>
    call('GET /api/proxy/approvals', { query: { status: 'pending', limit: WAITING_MAX }, signal }),
  refetchInterval: ({ state }) => (state.data?.data.length ? LOOK_AGAIN_MS : false),
})

/** The count that is shown, with a plus sign when there are more than one page. */
export const waitingText = ({ data, has_more }: List<Approval>): string => `${data.length}${has_more ? '+' : ''}`

const RUNNING_LOOK_MS = 700
const OVERDUE_LOOK_MS = 15_000

/**
 * Between the decision and its result there is a moment, which is waited for. No event reports an expiry, and the clock here may
 * be wrong: the server is asked, and until it says so the approval is pending.
 */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    queryFn: ({ signal }) => call('GET /api/proxy/approvals/{id}', { params: { id }, signal }),
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
  call(`POST /api/proxy/approvals/{id}/${verdict}`, { params: { id }, body: note === '' ? {} : { note } })

const STEPS: Record<Approval['status'], number> = {
  pending: 0,
  approved: 1,
  refused: 2,
  expired: 2,
  done: 2,
  failed: 2,
}

/** Of two readings of the same one, that which was made later: it never goes back. */
export const laterOf = (one: Approval, other: Approval): Approval =>
  STEPS[other.status] > STEPS[one.status] ? other : one

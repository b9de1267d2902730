import { z } from 'zod'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { scopeMissing } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import { agentEnded, agentPaused, approvalNotFound, approvalNotPending, approvalOutdated } from '../agents.errors.ts'
import {
  APPROVAL_WAIT_SECONDS,
  Approval,
  ApprovalDecision,
  type ApprovalView,
  approvalExample,
} from './approvals.schemas.ts'
import { approvalStates } from './approvals.states.ts'
import { type ApprovalsContext, getApproval, listApprovals, presentApproval } from './approvals.ts'
import { decide } from './decisions.ts'

const TAG = 'Approvals'
const params = z.object({ id: idSchema('apr') })
const paramsExample = { id: approvalExample.id }

const listQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  status: z.enum(approvalStates.all).optional().meta({ description: 'Filter by status.' }),
  agent: idSchema('agt').optional().meta({ description: 'Filter by agent.' }),
})

const waitQuery = z.strictObject({
  wait: z.int().min(0).max(APPROVAL_WAIT_SECONDS).default(0).meta({
    description:
      'Wait up to this many seconds until it is done, failed, refused or expired. Without it, the response is sent at once.',
  }),
})

const decided = {
  status: 'approved' as const,
  decided_at: '2026-11-16T09:31:00.000Z',
  decided_by: { type: 'key' as const, id: 'key_01k9x3m5q8e0t9v7a2b4c6d8fg', name: null },
}

const WHO_SAYS = 'The key also needs the scope of the requested operation. Agents cannot decide.'

const LOOK_EVERY_MS = 500

/** Looks again until it has ended, or the time is up. */
async function awaitEnd(look: () => Promise<ApprovalView>, seconds: number): Promise<ApprovalView> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    const approval = await look()
    const left = until - performance.now()
    if (approvalStates.final.includes(approval.status) || left <= 0) return approval
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, left)))
  }
}

export const approvalRoutes = (context: ApprovalsContext) => {
  const present = (row: Parameters<typeof presentApproval>[0]) => presentApproval(row, context.clock.now())
  return [
    defineList({
      id: 'listApprovals',
      path: '/approvals',
      tag: TAG,
      summary: 'List approvals',
      description: 'Requests of agents that need the approval of a person, newest first. An agent sees only its own.',
      access: key('approvals:read'),
      agentTool: true,
      query: listQuery,
      item: Approval,
      example: { query: { status: 'pending' }, items: [approvalExample] },
      list: 'approvals',
      sort: '-id',
      read: ({ caller, filters: { status = null, agent = null }, limit, position }) =>
        listApprovals(context, caller, {
          status,
          agentId: agent,
          before: position === null ? null : String(position[0]),
          limit,
        }),
      place: placeById,
      present: (rows) => rows.map(present),
    }),
    defineRoute({
      id: 'getApproval',
      method: 'GET',
      path: '/approvals/{id}',
      tag: TAG,
      summary: 'Get an approval',
      description:
        'Returns the decision and, once the request has run, its result. With `wait`, the response is sent as soon as the approval is finished.',
      access: key('approvals:read'),
      agentTool: true,
      params,
      query: waitQuery,
      reply: { status: 200, body: Approval },
      errors: [approvalNotFound],
      example: { params: paramsExample, reply: approvalExample },
      handle: ({ caller, params: { id }, query: { wait } }) =>
        awaitEnd(async () => present(await getApproval(context.database, caller, id)), wait),
    }),
    defineRoute({
      id: 'approveRequest',
      method: 'POST',
      path: '/approvals/{id}/approve',
      tag: TAG,
      summary: 'Approve a request of an agent',
      description: `The request runs at once, exactly as shown, and only once. ${WHO_SAYS}`,
      access: key('approvals:decide'),
      idempotency: 'transaction',
      params,
      body: ApprovalDecision,
      isBodyOptional: true,
      reply: { status: 200, body: Approval },
      errors: [approvalNotFound, approvalNotPending, approvalOutdated, agentPaused, agentEnded, scopeMissing],
      example: { params: paramsExample, body: {}, reply: { ...approvalExample, ...decided } },
      handle: async ({ tx, caller, requestId, params: { id }, body }) =>
        present(await decide(context, tx, { id, isApproved: true, note: body.note ?? null, caller, requestId })),
    }),
    defineRoute({
      id: 'refuseRequest',
      method: 'POST',
      path: '/approvals/{id}/refuse',
      tag: TAG,
      summary: 'Refuse a request of an agent',
      description: `The request does not run, and the agent sees the refusal. ${WHO_SAYS}`,
      access: key('approvals:decide'),
      idempotency: 'transaction',
      params,
      body: ApprovalDecision,
      isBodyOptional: true,
      reply: { status: 200, body: Approval },
      errors: [approvalNotFound, approvalNotPending, scopeMissing],
      example: {
        params: paramsExample,
        body: { note: 'We are closed on that day.' },
        reply: { ...approvalExample, ...decided, status: 'refused', note: 'We are closed on that day.' },
      },
      handle: async ({ tx, caller, requestId, params: { id }, body }) =>
        present(await decide(context, tx, { id, isApproved: false, note: body.note ?? null, caller, requestId })),
    }),
  ]
}

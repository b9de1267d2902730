import { defineEvent } from '../../events/events.ts'
import { Approval, approvalExample } from './approvals.schemas.ts'

export const approvalRequested = defineEvent({
  name: 'approval.requested',
  description: 'An agent sent a request that needs the approval of a person.',
  data: Approval,
  example: approvalExample,
})

export const approvalDecided = defineEvent({
  name: 'approval.decided',
  description: 'A person, or a key on their behalf, approved or refused the request of an agent.',
  data: Approval,
  example: {
    ...approvalExample,
    status: 'approved',
    decided_at: '2026-11-16T09:31:00.000Z',
    decided_by: { type: 'user', id: 'usr_01k9x3m5q8e0t9v7a2b4c6d8fg', name: 'sari@example.com' },
  },
})

import { z } from 'zod'
import { idSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { agentOperationNames } from '../rules/rules.ts'
import { approvalStates } from './approvals.states.ts'

/** Below the time after which programs and proxies give a request up. */
export const APPROVAL_WAIT_SECONDS = 25

const shownText = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })
const anything = z.record(z.string().max(200), z.unknown())

const ApprovalRequest = z
  .object({
    params: z.record(z.string().max(50), shownText(300)).meta({ description: 'The path parameters.' }),
    query: z.record(z.string().max(50), shownText(1000)),
    body: anything.nullable(),
  })
  .meta({ id: 'ApprovalRequest', description: 'The request that runs when it is approved.' })

export const Approval = z
  .object({
    object: z.literal('approval'),
    id: idSchema('apr'),
    status: z.enum(approvalStates.all).meta({
      description:
        '`approved`: about to run. `done`: ran successfully. `failed`: ran with an error. `expired`: not decided in time.',
    }),
    agent: z.object({ id: idSchema('agt'), name: shownText(200) }).meta({ id: 'ApprovalAgent' }),
    operation: z.enum(agentOperationNames).meta({ description: 'The operation id.' }),
    request: ApprovalRequest,
    amount: z.int().nullable().meta({
      format: 'int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Amount in rupiah, if the request has one.',
    }),
    chat_id: idSchema('chat').nullable().meta({ description: 'The chat of the request.' }),
    order_id: idSchema('ord').nullable().meta({ description: 'The order of the request.' }),
    reason: z.enum(['rule', 'amount', 'open_amount', 'anchor']).meta({
      description:
        'Why it needs an approval: a rule of the operation, its amount, a missing amount, or because the agent has read another conversation.',
    }),
    created_at: timeSchema,
    expires_at: timeSchema,
    decided_at: timeSchema.nullable(),
    decided_by: z
      .object({ type: z.enum(['user', 'key']), id: shownText(64), name: shownText(254).nullable() })
      .meta({ id: 'ApprovalDecider' })
      .nullable(),
    note: shownText(500).nullable().meta({ description: 'The note of the person who decided.' }),
    result: z
      .object({ status: z.int().min(100).max(599), body: anything.nullable() })
      .meta({ id: 'ApprovalResult', description: 'The response of the request when it ran.' })
      .nullable(),
  })
  .meta({ id: 'Approval', description: 'A request of an agent that needs the approval of a person.' })

export type ApprovalView = z.input<typeof Approval>

export const ApprovalDecision = z
  .strictObject({ note: visibleText(500).optional().meta({ description: 'Shown to the agent and stored.' }) })
  .meta({ id: 'ApprovalDecision' })

export const approvalExample: ApprovalView = {
  object: 'approval',
  id: 'apr_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'pending',
  agent: { id: 'agt_01k9x3m5q8e0t9v7a2b4c6d8fg', name: 'Front desk' },
  operation: 'sendMessage',
  request: { params: {}, query: {}, body: { to: '+6281234567890', body: 'Kami buka sampai pukul 21.' } },
  amount: null,
  chat_id: 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg',
  order_id: null,
  reason: 'rule',
  created_at: '2026-11-16T09:30:00.000Z',
  expires_at: '2026-11-16T09:45:00.000Z',
  decided_at: null,
  decided_by: null,
  note: null,
  result: null,
}

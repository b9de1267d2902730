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
    params: z.record(z.string().max(50), shownText(300)).meta({ description: 'The values of the path.' }),
    query: z.record(z.string().max(50), shownText(1000)),
    body: anything.nullable(),
  })
  .meta({ id: 'ApprovalRequest', description: 'What runs once it is approved, and nothing else.' })

export const Approval = z
  .object({
    object: z.literal('approval'),
    id: idSchema('apr'),
    status: z.enum(approvalStates.all).meta({
      description:
        '`approved` is about to run. `done` and `failed` ran: with success, and with any other answer. `expired`: nobody decided in time.',
    }),
    agent: z.object({ id: idSchema('agt'), name: shownText(200) }).meta({ id: 'ApprovalAgent' }),
    operation: z.enum(agentOperationNames).meta({ description: 'The operation id.' }),
    request: ApprovalRequest,
    amount: z.int().nullable().meta({
      format: 'int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Rupiah, where it names any.',
    }),
    chat_id: idSchema('chat').nullable().meta({ description: 'The chat that it would reach.' }),
    order_id: idSchema('ord').nullable().meta({ description: 'The order that it is about.' }),
    reason: z.enum(['rule', 'amount', 'open_amount', 'anchor']).meta({
      description:
        'Why a person is asked: always for this operation, because of the amount, because there is none yet, or because the agent has read another conversation.',
    }),
    created_at: timeSchema,
    expires_at: timeSchema,
    decided_at: timeSchema.nullable(),
    decided_by: z
      .object({ type: z.enum(['user', 'key']), id: shownText(64), name: shownText(254).nullable() })
      .meta({ id: 'ApprovalDecider' })
      .nullable(),
    note: shownText(500).nullable().meta({ description: 'What was said with the decision.' }),
    result: z
      .object({ status: z.int().min(100).max(599), body: anything.nullable() })
      .meta({ id: 'ApprovalResult', description: 'What the request answered when it ran.' })
      .nullable(),
  })
  .meta({ id: 'Approval', description: 'Something an agent wants to do, for which a person is asked first.' })

export type ApprovalView = z.input<typeof Approval>

export const ApprovalDecision = z
  .strictObject({ note: visibleText(500).optional().meta({ description: 'For the agent, and for the record.' }) })
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

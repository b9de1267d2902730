import { z } from 'zod'
import { agentScopes } from '../../kernel/scopes.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, momentSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { agentOperationNames, decisions, factsOf } from '../rules/rules.ts'

/** An agent as the console sees it, and the input that creates or changes one. */
const amount = z.int().min(1).max(1_000_000_000_000)
const count = z.int().min(1).max(100_000)

const Rule = z.object({
  operation: z.enum(agentOperationNames),
  decision: z.enum(decisions),
  ask_above: amount.nullable(),
})

const Limits = z.object({
  messages_per_minute: count.nullable(),
  recipients_per_day: count.nullable(),
  order_amount: amount.nullable(),
  order_amount_per_day: amount.nullable(),
})

const Reach = z.object({
  numbers: z.array(idSchema('num')).max(100),
  labels: z.array(textSchema(50, 1)).max(100),
  days: z.int().min(1).max(3650).nullable(),
  hides_phones: z.boolean(),
})

/** The connected program, and the person who granted access. The program chooses its name. */
const Connection = z.object({
  client_name: textSchema(200),
  client_host: textSchema(300),
  connected_by: textSchema(200),
  connected_at: timeSchema,
})

export const Agent = z
  .object({
    object: z.literal('agent'),
    id: idSchema('agt'),
    name: textSchema(200),
    purpose: textSchema(1000).nullable(),
    state: z.enum(['active', 'paused', 'expired', 'ended']),
    owner: z.object({ id: textSchema(64), name: textSchema(200), email: textSchema(254) }).nullable(),
    /** Null when its program connected through OAuth: then there is no token that a person could recognise. */
    key_prefix: textSchema(40).nullable(),
    connection: Connection.nullable(),
    scopes: z.array(z.enum(agentScopes)).max(agentScopes.length),
    reach: Reach,
    limits: Limits,
    rules: z.array(Rule).max(agentOperationNames.length),
    is_anchored: z.boolean(),
    expires_at: timeSchema.nullable(),
    created_at: timeSchema,
    created_by: textSchema(254),
    last_used_at: timeSchema.nullable(),
    paused_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: 'AgentDetails', description: 'An AI agent.' })
export type AgentView = z.input<typeof Agent>

/** What an agent can read about itself: enough to know beforehand what it can do, and nothing about people. */
export const OwnAgent = z
  .object({
    object: z.literal('agent'),
    id: idSchema('agt'),
    name: textSchema(200),
    purpose: textSchema(1000).nullable(),
    scopes: z.array(z.enum(agentScopes)).max(agentScopes.length),
    rules: z
      .array(
        Rule.meta({
          id: 'AgentRule',
          description:
            'Whether an operation runs at once (`allow`), needs an approval (`ask`) or is refused (`deny`). With `ask_above`, higher amounts in rupiah need an approval.',
        }),
      )
      .max(agentOperationNames.length)
      .meta({ description: 'One rule for each operation within its scopes that changes something.' }),
    limits: Limits.meta({
      id: 'AgentLimits',
      description: 'Limits for what it does without approval; null for no limit. Approved requests do not count.',
    }),
    reach: Reach.meta({
      id: 'AgentReach',
      description: 'What the agent can access. Empty lists and null mean everything.',
    }),
    is_anchored: z.boolean().meta({
      description: 'Whether messages to other customers than the one whose chat it has read need an approval.',
    }),
    expires_at: timeSchema.nullable(),
  })
  .meta({ id: 'OwnAgent', description: 'The AI agent of this token.' })
export type OwnAgentView = z.input<typeof OwnAgent>

const RuleInput = z
  .strictObject({
    operation: z.enum(agentOperationNames),
    decision: z.enum(decisions),
    ask_above: amount.nullable().optional(),
  })
  .refine(({ ask_above, decision }) => ask_above == null || decision === 'allow', {
    path: ['ask_above'],
    message: 'Only a rule that allows can have an amount above which a person is asked.',
    params: BEYOND_SCHEMA,
  })
  .refine(({ ask_above, operation }) => ask_above == null || factsOf(operation).hasAmount === true, {
    path: ['ask_above'],
    message: 'Only orders and refunds have an amount.',
    params: BEYOND_SCHEMA,
  })

const details = {
  name: visibleText(200),
  purpose: textSchema(1000).nullable(),
  scopes: z.array(z.enum(agentScopes)).max(agentScopes.length).min(1, 'Choose at least one scope.'),
  expires_at: momentSchema.nullable(),
  reach: z.strictObject(Reach.partial().shape),
  limits: z.strictObject(Limits.partial().shape),
  rules: z
    .array(RuleInput)
    .max(agentOperationNames.length)
    .refine((rules) => new Set(rules.map(({ operation }) => operation)).size === rules.length, {
      message: 'Each operation may appear once.',
      params: BEYOND_SCHEMA,
    }),
  is_anchored: z.boolean(),
}

export const AgentChange = z
  .strictObject(details)
  .partial()
  .meta({ id: 'AgentChange', description: 'Changes of an AI agent. What is absent stays.' })
export type AgentChangeInput = z.output<typeof AgentChange>

export const NewAgent = AgentChange.required({ name: true, scopes: true }).meta({
  id: 'NewAgent',
  description: 'An AI agent to create.',
})
export type NewAgentInput = z.output<typeof NewAgent>

export const ownAgentExample: OwnAgentView = {
  object: 'agent',
  id: 'agt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  name: 'Front desk',
  purpose: 'Answers questions about opening hours and stock.',
  scopes: ['chats:read', 'messages:send'],
  rules: [
    { operation: 'sendMessage', decision: 'ask', ask_above: null },
    { operation: 'cancelMessage', decision: 'ask', ask_above: null },
  ],
  limits: { messages_per_minute: 10, recipients_per_day: 100, order_amount: null, order_amount_per_day: null },
  reach: { numbers: [], labels: [], days: 30, hides_phones: true },
  is_anchored: true,
  expires_at: '2027-02-14T09:30:00.000Z',
}

export const agentExample: AgentView = {
  ...ownAgentExample,
  state: 'active',
  owner: { id: 'usr_01k9x3m5q8e0t9v7a2b4c6d8fg', name: 'Sari Dewi', email: 'sari@example.com' },
  key_prefix: 'nxk_live_Ab3d',
  connection: null,
  created_at: '2026-11-16T09:30:00.000Z',
  created_by: 'sari@example.com',
  last_used_at: null,
  paused_at: null,
  ended_at: null,
}

import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

/** An AI program with a token of its own, and what it may do with it. */
export type Decision = 'allow' | 'ask' | 'deny'
export type Rule = { operation: Operation; decision: Decision; ask_above: number | null }
export type Reach = { numbers: string[]; labels: string[]; days: number | null; hides_phones: boolean }
export type Limits = {
  messages_per_minute: number | null
  recipients_per_day: number | null
  order_amount: number | null
  order_amount_per_day: number | null
}
export type Agent = {
  id: string
  name: string
  purpose: string | null
  state: 'active' | 'paused' | 'expired' | 'ended'
  owner: { id: string; name: string; email: string } | null
  /** Null where its program connected by itself. */
  key_prefix: string | null
  connection: { client_name: string; client_host: string; connected_by: string; connected_at: string } | null
  scopes: string[]
  /** An empty list is no bound. */
  reach: Reach
  limits: Limits
  rules: Rule[]
  is_anchored: boolean
  expires_at: string | null
  created_at: string
  created_by: string
  last_used_at: string | null
  paused_at: string | null
  ended_at: string | null
}
export type CreatedAgent = { agent: Agent; token: string }
export type AgentInput = {
  name: string
  purpose: string | null
  scopes: string[]
  expires_at: string | null
  reach: Reach
  limits: Limits
  rules: Rule[]
  is_anchored: boolean
}

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => consoleApi.get<{ data: Agent[] }>('/agents', {}, signal),
})
export const createAgent = (input: AgentInput) => consoleApi.post<CreatedAgent>('/agents', input)
export const changeAgent = (id: string, change: Partial<AgentInput>) => consoleApi.patch<Agent>(`/agents/${id}`, change)
export const pauseAgent = (id: string) => consoleApi.post<Agent>(`/agents/${id}/pause`)
export const resumeAgent = (id: string) => consoleApi.post<Agent>(`/agents/${id}/resume`)
export const endAgent = (id: string) => consoleApi.post<Agent>(`/agents/${id}/end`)
export const rotateAgentToken = (id: string) => consoleApi.post<CreatedAgent>(`/agents/${id}/rotate-token`)
export const pauseAllAgents = () => consoleApi.post<{ paused: number }>('/agents/pause-all')

export const agentScopes = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:read',
] as const
export type AgentScope = (typeof agentScopes)[number]

const answering: AgentScope[] = ['chats:read', 'chats:write', 'messages:send']
export const agentPresets = {
  answer: answering,
  order: [...answering, 'orders:read', 'orders:write'],
  read: agentScopes.filter((scope) => scope.endsWith(':read')),
} satisfies Record<string, AgentScope[]>
export type AgentPreset = keyof typeof agentPresets

/** Everything an agent can change, and the scope that each needs, of the agent and of whoever decides about it. */
export const scopeOf = {
  sendMessage: 'messages:send',
  cancelMessage: 'messages:send',
  markChatRead: 'chats:write',
  updateChat: 'chats:write',
  createOrder: 'orders:write',
  createOrderPayment: 'orders:write',
  processOrder: 'orders:write',
  completeOrder: 'orders:write',
  cancelOrder: 'orders:write',
  createOrderRefund: 'orders:write',
} as const satisfies Record<string, AgentScope>
export type Operation = keyof typeof scopeOf

const operations = Object.keys(scopeOf) as Operation[]
export const operationsWithin = (scopes: readonly string[]): Operation[] =>
  operations.filter((operation) => scopes.includes(scopeOf[operation]))

/** Those whose rule may hang on an amount. */
export type PricedOperation = 'createOrder' | 'createOrderRefund'
export const isPriced = (operation: Operation): operation is PricedOperation =>
  operation === 'createOrder' || operation === 'createOrderRefund'

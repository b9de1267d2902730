import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import {
  type AgentDetails as Agent,
  type AgentChange,
  agentOperations,
  agentScopes,
  type NewAgent,
  type Routes,
} from './generated.ts'

/** An AI program with a token of its own, and what it may do with it. */
export type { AgentDetails as Agent, CreatedAgent } from './generated.ts'
export type Rule = Agent['rules'][number]
export type Decision = Rule['decision']
export type Limits = Agent['limits']
export type Operation = Rule['operation']
export type AgentInput = Pick<Agent, keyof NewAgent>

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => call('GET /api/console/agents', { signal }),
})
export const createAgent = (body: NewAgent) => call('POST /api/console/agents', { body })
export const changeAgent = (id: string, body: AgentChange) =>
  call('PATCH /api/console/agents/{id}', { params: { id }, body })
export const pauseAgent = (id: string) => call('POST /api/console/agents/{id}/pause', { params: { id } })
export const resumeAgent = (id: string) => call('POST /api/console/agents/{id}/resume', { params: { id } })
export const endAgent = (id: string) => call('POST /api/console/agents/{id}/end', { params: { id } })
export const rotateAgentToken = (id: string) => call('POST /api/console/agents/{id}/rotate-token', { params: { id } })
export const pauseAllAgents = () => call('POST /api/console/agents/pause-all')

export { agentScopes }
export type AgentScope = (typeof agentScopes)[number]

const answering: AgentScope[] = ['chats:read', 'chats:write', 'messages:send']
export const agentPresets = {
  answer: answering,
  order: [...answering, 'orders:read', 'orders:write', 'products:read'],
  read: agentScopes.filter((scope) => scope.endsWith(':read')),
} satisfies Record<string, AgentScope[]>
export type AgentPreset = keyof typeof agentPresets

const operations = Object.keys(agentOperations) as Operation[]
/** Everything an agent with these scopes can change. */
export const operationsWithin = (scopes: readonly string[]): Operation[] =>
  operations.filter((operation) => scopes.includes(scopeOf(operation)))

/** What the operation needs, of the agent and of the person who decides about it. */
export const scopeOf = (operation: Operation): AgentScope => agentOperations[operation].scope

/** What the server decides where an agent has no rule for it. */
export const defaultDecisionOf = (operation: Operation): Decision => agentOperations[operation].decision

type Priced<Name extends Operation> = Name extends Operation
  ? (typeof agentOperations)[Name]['hasAmount'] extends true
    ? Name
    : never
  : never
/** Whether its rule may depend on an amount. */
export const isPriced = (operation: Operation): operation is Priced<Operation> => agentOperations[operation].hasAmount

/** A program that wants to connect by itself, and what a person says to it. */
export type { ConnectingProgram, ConnectionRequest } from './generated.ts'

/** Asked once for each organization: what is shown is what is agreed to. */
export const connectionRequestQuery = (request: string, organizationId: string | undefined) =>
  queryOptions({
    queryKey: ['connection-request', request, organizationId],
    enabled: organizationId !== undefined,
    queryFn: ({ signal }) => call('GET /api/console/connection-request', { query: { request }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const connectionAddressQuery = queryOptions({
  queryKey: ['connection-address'],
  queryFn: ({ signal }) => call('GET /api/console/connection-address', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const agreeToConnection = (body: Routes['POST /api/console/connections']['body']) =>
  call('POST /api/console/connections', { body })
export const refuseConnection = (request: string) => call('POST /api/console/connections/refuse', { body: { request } })

import { z } from 'zod'
import { agentEnded, agentNotFound } from '../../agents/agents.errors.ts'
import { Agent, AgentChange, agentExample, NewAgent } from '../../agents/records/agents.schemas.ts'
import {
  type AgentsContext,
  createAgent,
  endAgent,
  getAgent,
  holdAgent,
  listAgents,
  pauseAgent,
  pauseEveryAgent,
  resumeAgent,
  rotateAgentToken,
  updateAgent,
} from '../../agents/records/records.ts'
import { defineChange, defineRoute, type RequestContext, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema } from '../../platform/http/schemas.ts'
import { type PersonCaller, session } from './sign-in/session-caller.ts'

/** Agents, for people who may manage them. A token is only in the answer that created it. */
const shared = { tag: 'Agents', description: 'Of the console.', access: session('agents:manage') } as const
const params = z.object({ id: idSchema('agt') })
const paramsExample = { id: agentExample.id }
const CreatedAgent = z.object({ agent: Agent, token: textSchema(60) }).meta({ id: 'CreatedAgent' })
const token = 'nxk_live_…'

type Call = Pick<RequestContext<PersonCaller>, 'caller' | 'requestId'>

const byPerson = ({ caller, requestId }: Call) => ({
  by: caller.person.email,
  initiator: { type: caller.type, id: caller.id, requestId },
})

export const agentRoutes = (context: AgentsContext): Route[] => [...recordRoutes(context), ...lifeRoutes(context)]

const recordRoutes = (context: AgentsContext): Route[] => [
  defineRoute({
    ...shared,
    id: 'listAgents',
    method: 'GET',
    path: '/agents',
    summary: 'List agents',
    reply: { status: 200, body: z.object({ data: z.array(Agent) }) },
    example: { reply: { data: [agentExample] } },
    handle: async ({ caller }) => ({ data: await listAgents(context, caller.orgId) }),
  }),
  defineRoute({
    ...shared,
    id: 'createAgent',
    method: 'POST',
    path: '/agents',
    summary: 'Create an agent',
    body: NewAgent,
    reply: { status: 201, body: CreatedAgent },
    showsSecret: true,
    example: {
      body: { name: 'Front desk', scopes: ['chats:read', 'messages:send'] },
      reply: { agent: agentExample, token },
    },
    idempotency: 'transaction',
    handle({ tx, body: input, ...call }) {
      const { id, name, email } = call.caller.person
      return createAgent(context, tx, call.caller.orgId, { input, owner: { id, name, email }, ...byPerson(call) })
    },
  }),
  defineRoute({
    ...shared,
    id: 'getAgent',
    method: 'GET',
    path: '/agents/{id}',
    summary: 'Get an agent',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound],
    example: { params: paramsExample, reply: agentExample },
    handle: ({ caller, params: { id }, queries }) => getAgent(context, queries, caller.orgId, id),
  }),
  defineChange({
    ...shared,
    id: 'updateAgent',
    method: 'PATCH',
    path: '/agents/{id}',
    summary: 'Edit an agent',
    params,
    body: AgentChange,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded],
    example: { params: paramsExample, body: { name: 'Front desk' }, reply: agentExample },
    lock: (tx, { caller, params: { id } }) => holdAgent(tx, caller.orgId, id),
    handle: ({ tx, caller, params: { id }, body: input }) => updateAgent(context, tx, caller.orgId, { id, input }),
  }),
]

const lifeRoutes = (context: AgentsContext): Route[] => [
  defineRoute({
    ...shared,
    id: 'pauseAllAgents',
    method: 'POST',
    path: '/agents/pause-all',
    summary: 'Pause all agents',
    reply: { status: 200, body: z.object({ paused: z.int() }) },
    idempotency: 'transaction',
    example: { reply: { paused: 2 } },
    handle: async ({ tx, caller }) => ({ paused: await pauseEveryAgent(context, tx, caller.orgId) }),
  }),
  defineRoute({
    ...shared,
    id: 'pauseAgent',
    method: 'POST',
    path: '/agents/{id}/pause',
    summary: 'Pause an agent',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: { ...agentExample, state: 'paused' } },
    handle: ({ tx, caller, params: { id } }) => pauseAgent(context, tx, caller.orgId, id),
  }),
  defineRoute({
    ...shared,
    id: 'resumeAgent',
    method: 'POST',
    path: '/agents/{id}/resume',
    summary: 'Resume an agent',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: agentExample },
    handle: ({ tx, caller, params: { id } }) => resumeAgent(context, tx, caller.orgId, id),
  }),
  defineRoute({
    ...shared,
    id: 'endAgent',
    method: 'POST',
    path: '/agents/{id}/end',
    summary: 'Revoke an agent',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: { ...agentExample, state: 'ended' } },
    handle: ({ tx, params: { id }, ...call }) => endAgent(context, tx, call.caller.orgId, { id, ...byPerson(call) }),
  }),
  defineRoute({
    ...shared,
    id: 'rotateAgentToken',
    method: 'POST',
    path: '/agents/{id}/rotate-token',
    summary: 'Rotate the token of an agent',
    params,
    reply: { status: 201, body: CreatedAgent },
    errors: [agentNotFound, agentEnded],
    showsSecret: true,
    idempotency: 'transaction',
    example: { params: paramsExample, reply: { agent: agentExample, token } },
    handle: ({ tx, params: { id }, ...call }) =>
      rotateAgentToken(context, tx, call.caller.orgId, { id, ...byPerson(call) }),
  }),
]

import { z } from 'zod'
import { scopeNotGrantable } from '../../accounts/accounts.errors.ts'
import { assertGrantable } from '../../accounts/keys/keys.ts'
import { agentConnected, agentEnded, agentNotFound } from '../../agents/agents.errors.ts'
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
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema } from '../../platform/http/schemas.ts'
import { byCaller, pageOf, pageQuery } from './shared.ts'

/** AI agents by API. An agent can call none of these. The token is only in the answer that created it. */
export type AgentRouteParts = { agents: AgentsContext }

const params = z.object({ id: idSchema('agt') })
const paramsExample = { id: agentExample.id }
const AgentWithToken = Agent.extend({
  token: textSchema(60).meta({ description: 'The token. It is only in this response.' }),
}).meta({ id: 'AgentWithToken', description: 'An agent with its token.' })
const withToken = { ...agentExample, token: 'nxk_live_…' }
const shared = { tag: 'Agents' } as const
const managed = { ...shared, access: key('agents:write') } as const

export const agentRoutes = ({ agents: context }: AgentRouteParts): Route[] => [
  ...recordRoutes(context),
  ...lifeRoutes(context),
]

const recordRoutes = (context: AgentsContext): Route[] => [
  defineList({
    ...shared,
    id: 'listAgents',
    path: '/agents',
    summary: 'List agents',
    description: 'All AI agents of the organization, newest first, with their rules, reach and limits.',
    access: key('agents:read'),
    query: pageQuery,
    item: Agent,
    example: { items: [agentExample] },
    list: 'agents',
    sort: '-id',
    read: async ({ caller, ...page }) => pageOf(await listAgents(context, caller.orgId), page),
    place: placeById,
    present: (rows) => rows,
  }),
  defineRoute({
    ...managed,
    id: 'createAgent',
    method: 'POST',
    path: '/agents',
    summary: 'Create an agent',
    description:
      'Creates an AI agent and returns its token, once. `rules` decide which operations run at once, need an approval or are refused. A key cannot create an agent with a scope that it does not have.',
    body: NewAgent,
    reply: { status: 201, body: AgentWithToken },
    location: ({ id }) => `/agents/${id}`,
    errors: [scopeNotGrantable],
    showsSecret: true,
    idempotency: 'transaction',
    example: { body: { name: 'Front desk', scopes: ['chats:read', 'messages:send'] }, reply: withToken },
    async handle({ tx, body: input, ...call }) {
      assertGrantable(call.caller, input.scopes)
      const { agent, token } = await createAgent(context, tx, call.caller.orgId, {
        input,
        owner: null,
        ...byCaller(call),
      })
      return { ...agent, token }
    },
  }),
  defineRoute({
    ...shared,
    id: 'getAgent',
    method: 'GET',
    path: '/agents/{id}',
    summary: 'Get an agent',
    description: 'Returns one AI agent. `GET /agent` returns the agent of a token.',
    access: key('agents:read'),
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound],
    example: { params: paramsExample, reply: agentExample },
    handle: ({ caller, params: { id }, queries }) => getAgent(context, queries, caller.orgId, id),
  }),
  defineChange({
    ...managed,
    id: 'updateAgent',
    method: 'PATCH',
    path: '/agents/{id}',
    summary: 'Edit an agent',
    description:
      'Changes the fields you send. `rules` changes the named operations. The next request of the agent sees it.',
    params,
    body: AgentChange,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded, scopeNotGrantable],
    example: { params: paramsExample, body: { name: 'Front desk' }, reply: agentExample },
    lock: (tx, { caller, params: { id } }) => holdAgent(tx, caller.orgId, id),
    async handle({ tx, caller, params: { id }, body: input }) {
      assertGrantable(caller, input.scopes ?? [])
      return updateAgent(context, tx, caller.orgId, { id, input })
    },
  }),
]

const lifeRoutes = (context: AgentsContext): Route[] => [
  defineRoute({
    ...managed,
    id: 'pauseAllAgents',
    method: 'POST',
    path: '/agents/pause-all',
    summary: 'Pause all agents',
    description: 'Pauses every active agent. Their next request is 403 `agent_paused`.',
    reply: {
      status: 200,
      body: z.object({ paused: z.int().min(0).max(1_000_000) }).meta({ id: 'PausedAgents' }),
    },
    idempotency: 'transaction',
    example: { reply: { paused: 2 } },
    handle: async ({ tx, caller }) => ({ paused: await pauseEveryAgent(context, tx, caller.orgId) }),
  }),
  defineRoute({
    ...managed,
    id: 'pauseAgent',
    method: 'POST',
    path: '/agents/{id}/pause',
    summary: 'Pause an agent',
    description: 'The next request of the agent is 403 `agent_paused`.',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: { ...agentExample, state: 'paused' } },
    handle: ({ tx, caller, params: { id } }) => pauseAgent(context, tx, caller.orgId, id),
  }),
  defineRoute({
    ...managed,
    id: 'resumeAgent',
    method: 'POST',
    path: '/agents/{id}/resume',
    summary: 'Resume an agent',
    description: 'Lets a paused agent work again.',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound, agentEnded],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: agentExample },
    handle: ({ tx, caller, params: { id } }) => resumeAgent(context, tx, caller.orgId, id),
  }),
  defineRoute({
    ...managed,
    id: 'endAgent',
    method: 'POST',
    path: '/agents/{id}/revoke',
    summary: 'Revoke an agent',
    description: 'Ends the agent: its token stops working everywhere within a second. This is final.',
    params,
    reply: { status: 200, body: Agent },
    errors: [agentNotFound],
    idempotency: 'transaction',
    example: { params: paramsExample, reply: { ...agentExample, state: 'ended' } },
    handle: ({ tx, params: { id }, ...call }) => endAgent(context, tx, call.caller.orgId, { id, ...byCaller(call) }),
  }),
  defineRoute({
    ...managed,
    id: 'rotateAgentToken',
    method: 'POST',
    path: '/agents/{id}/rotate-token',
    summary: 'Rotate the token of an agent',
    description: 'Replaces the token of the agent at once and returns the new one, once.',
    params,
    reply: { status: 201, body: AgentWithToken },
    errors: [agentNotFound, agentEnded, agentConnected, scopeNotGrantable],
    showsSecret: true,
    idempotency: 'transaction',
    example: { params: paramsExample, reply: withToken },
    async handle({ tx, params: { id }, ...call }) {
      const { orgId } = call.caller
      assertGrantable(call.caller, (await getAgent(context, tx, orgId, id)).scopes)
      const { agent, token } = await rotateAgentToken(context, tx, orgId, { id, ...byCaller(call) })
      return { ...agent, token }
    },
  }),
]

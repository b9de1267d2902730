import { anyKey, defineRoute } from '../../platform/http/define-route.ts'
import { agentNotFound } from '../agents.errors.ts'
import { OwnAgent, ownAgentExample } from './agents.schemas.ts'
import { findAgentRow, presentOwn } from './records.ts'

/** An agent that can read its bounds need not discover them by errors. */
export const ownAgentRoutes = () => [
  defineRoute({
    id: 'getOwnAgent',
    method: 'GET',
    path: '/agent',
    tag: 'Identity',
    summary: 'Get the permissions of this agent',
    description:
      'With the token of an agent, returns what it may do without approval, what needs an approval, what is refused, and its reach and limits. With any other key, returns 404.',
    access: anyKey,
    agentTool: true,
    reply: { status: 200, body: OwnAgent },
    errors: [agentNotFound],
    example: { reply: ownAgentExample },
    async handle({ caller, queries }) {
      const row = caller.type === 'agent' ? await findAgentRow(queries, caller.orgId, caller.id) : null
      if (row === null)
        throw agentNotFound({ says: 'This API key does not belong to an agent. Use the token of an agent.' })
      return presentOwn(row)
    },
  }),
]

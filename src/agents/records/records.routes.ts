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
    summary: 'What may this agent do',
    description:
      'For the token of an agent: what it does by itself, what a person is asked about first, what is refused, and how far and how much. Any other key is answered with 404.',
    access: anyKey,
    agentTool: true,
    reply: { status: 200, body: OwnAgent },
    errors: [agentNotFound],
    example: { reply: ownAgentExample },
    async handle({ caller, queries }) {
      const row = caller.type === 'agent' ? await findAgentRow(queries, caller.orgId, caller.id) : null
      if (row === null) throw agentNotFound({ says: 'This key belongs to no agent. Ask with the token of one.' })
      return presentOwn(row)
    },
  }),
]

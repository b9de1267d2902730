import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { connectionRequestStale } from '../agents.errors.ts'
import type { AgentView, NewAgentInput } from '../records/agents.schemas.ts'
import {
  type AgentInitiator,
  type AgentOwner,
  type AgentsContext,
  agentLifeEnd,
  claimConnection,
  createAgent,
  findAgentRow,
  findLivingConnection,
  getAgent,
  lockAgent,
  updateAgent,
} from '../records/records.ts'

/**
 * A program that connected through OAuth is an agent. The agent is created when a person first grants access and
 * renewed with every further grant, with the scopes chosen then. Its other settings, such as rules, reach and limits,
 * stay.
 */
export type ConnectingProgram = { clientId: string; name: string; host: string }

type Whose = { personId: string; clientId: string }

/** Which agent it will be: the one it is already, else a new one. */
export const plannedAgent = async (queries: Queries, orgId: OrgId, whose: Whose): Promise<Id<'agt'>> =>
  (await findLivingConnection(queries, orgId, whose))?.agent_id ?? newId('agt')

/** The name of the agent that the program already is; null when there is no such agent. */
export async function connectedAgentName(queries: Queries, orgId: OrgId, whose: Whose): Promise<string | null> {
  const connection = await findLivingConnection(queries, orgId, whose)
  return connection === null ? null : ((await findAgentRow(queries, orgId, connection.agent_id))?.name ?? null)
}

export type NewConnection = AgentInitiator & {
  agentId: Id<'agt'>
  program: ConnectingProgram
  person: AgentOwner
  scopes: NewAgentInput['scopes']
}

export async function connectAgent(
  context: AgentsContext,
  tx: Tx,
  orgId: OrgId,
  { agentId, program, person, scopes, by, initiator }: NewConnection,
): Promise<AgentView> {
  const before = await lockAgent(tx, orgId, agentId)
  if (before !== null && before.ended_at !== null) throw connectionRequestStale()
  const claimed = await claimConnection(tx, orgId, {
    agent_id: agentId,
    person_id: person.id,
    client_id: program.clientId,
    client_name: program.name,
    client_host: program.host,
    person_name: person.name,
    connected_at: new Date(context.clock.now()),
  })
  // Another tab was faster; the pending code names an agent that will not exist.
  if (claimed.agent_id !== agentId) throw connectionRequestStale()
  if (before === null)
    // The token of its key is never shown: a connection authenticates with OAuth tokens.
    await createAgent(context, tx, orgId, {
      id: agentId,
      input: { name: program.name, scopes },
      owner: person,
      by,
      initiator,
    })
  else {
    const end = agentLifeEnd(context.clock.now())
    const isLater = before.expires_at !== null && before.expires_at < end
    await updateAgent(context, tx, orgId, {
      id: agentId,
      input: { scopes, ...(isLater && { expires_at: end.toISOString() }) },
    })
  }
  return getAgent(context, tx, orgId, agentId)
}

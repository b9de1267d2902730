import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { Rules } from '../rules/rules.ts'

export type AgentRow = {
  org_id: OrgId
  id: Id<'agt'>
  name: string
  purpose: string | null
  owner_id: string | null
  owner_name: string | null
  owner_email: string | null
  scopes: Scope[]
  reach_numbers: string[]
  reach_labels: string[]
  reach_days: number | null
  hides_phones: boolean
  messages_per_minute: number | null
  recipients_per_day: number | null
  order_amount: number | null
  order_amount_per_day: number | null
  rules: Rules
  is_anchored: boolean
  created_by: string
  created_at: Date
  expires_at: Date | null
  paused_at: Date | null
  ended_at: Date | null
}

/** The settings of an agent that can be changed. */
export type AgentSettings = Omit<
  AgentRow,
  'org_id' | 'id' | 'owner_id' | 'owner_name' | 'owner_email' | 'created_by' | 'created_at' | 'paused_at' | 'ended_at'
>

const columns = ({ part }: Queries) => part`
  org_id, id, name, purpose, owner_id, owner_name, owner_email, scopes, reach_numbers, reach_labels, reach_days,
  hides_phones, messages_per_minute, recipients_per_day, order_amount, order_amount_per_day, rules, is_anchored,
  created_by, created_at, expires_at, paused_at, ended_at`

export const insertAgent = (tx: Tx, orgId: OrgId, row: Omit<AgentRow, 'org_id'>) => tx.run`
  insert into agents (org_id, id, name, purpose, owner_id, owner_name, owner_email, scopes, reach_numbers, reach_labels,
    reach_days, hides_phones, messages_per_minute, recipients_per_day, order_amount, order_amount_per_day, rules,
    is_anchored, created_by, created_at, expires_at, paused_at, ended_at)
  values (${orgId}, ${row.id}, ${row.name}, ${row.purpose}, ${row.owner_id}, ${row.owner_name}, ${row.owner_email},
    ${row.scopes}, ${row.reach_numbers}, ${row.reach_labels}, ${row.reach_days}, ${row.hides_phones},
    ${row.messages_per_minute}, ${row.recipients_per_day}, ${row.order_amount}, ${row.order_amount_per_day},
    ${JSON.stringify(row.rules)}::text::jsonb, ${row.is_anchored}, ${row.created_by}, ${row.created_at},
    ${row.expires_at}, ${row.paused_at}, ${row.ended_at})`

export const findAgent = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<AgentRow>`
  select ${columns(queries)} from agents where org_id = ${orgId} and id = ${id}`

export const lockAgent = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<AgentRow>`
  select ${columns(tx)} from agents where org_id = ${orgId} and id = ${id} for update`

export const listAgents = (queries: Queries, orgId: OrgId) => queries.many<AgentRow>`
  select ${columns(queries)} from agents where org_id = ${orgId} order by id desc`

export const updateAgentSettings = (tx: Tx, orgId: OrgId, row: AgentSettings & { id: Id<'agt'> }) =>
  tx.one<AgentRow>`
    update agents set name = ${row.name}, purpose = ${row.purpose}, scopes = ${row.scopes},
      reach_numbers = ${row.reach_numbers}, reach_labels = ${row.reach_labels}, reach_days = ${row.reach_days},
      hides_phones = ${row.hides_phones}, messages_per_minute = ${row.messages_per_minute},
      recipients_per_day = ${row.recipients_per_day}, order_amount = ${row.order_amount},
      order_amount_per_day = ${row.order_amount_per_day}, rules = ${JSON.stringify(row.rules)}::text::jsonb,
      is_anchored = ${row.is_anchored}, expires_at = ${row.expires_at}
    where org_id = ${orgId} and id = ${row.id}
    returning ${columns(tx)}`

/** Pausing what is paused leaves since when it is. */
export const pauseAgentRow = (tx: Tx, orgId: OrgId, { id, at }: { id: string; at: Date }) => tx.one<AgentRow>`
  update agents set paused_at = coalesce(paused_at, ${at}) where org_id = ${orgId} and id = ${id} returning ${columns(tx)}`

export const resumeAgentRow = (tx: Tx, orgId: OrgId, id: string) => tx.one<AgentRow>`
  update agents set paused_at = null where org_id = ${orgId} and id = ${id} returning ${columns(tx)}`

export const endAgentRow = (tx: Tx, orgId: OrgId, { id, at }: { id: string; at: Date }) => tx.one<AgentRow>`
  update agents set ended_at = ${at} where org_id = ${orgId} and id = ${id} returning ${columns(tx)}`

/** Locks the agents in the order of their ids, as all other code does. Expired agents are stopped already. */
export const pauseAllAgents = (tx: Tx, orgId: OrgId, at: Date) => tx.many<{ id: Id<'agt'> }>`
  update agents set paused_at = ${at} where org_id = ${orgId} and id in (
    select id from agents
    where org_id = ${orgId} and paused_at is null and ended_at is null and (expires_at is null or expires_at > ${at})
    order by id for update)
  returning id`

/** The gate keeps what an agent has done and read. It goes with the agent. */
export async function deleteTraces(tx: Tx, orgId: OrgId, agentId: string): Promise<void> {
  await tx.run`delete from agent_acts where org_id = ${orgId} and agent_id = ${agentId}`
  await tx.run`delete from agent_sessions where org_id = ${orgId} and agent_id = ${agentId}`
}

export type ConnectionRow = {
  org_id: OrgId
  agent_id: Id<'agt'>
  person_id: string
  client_id: string
  client_name: string
  client_host: string
  person_name: string
  connected_at: Date
}

const connectionColumns = ({ part }: Queries) => part`
  org_id, agent_id, person_id, client_id, client_name, client_host, person_name, connected_at`

export const findLivingConnection = (
  queries: Queries,
  orgId: OrgId,
  { personId, clientId }: { personId: string; clientId: string },
) => queries.maybeOne<ConnectionRow>`
  select ${connectionColumns(queries)} from agent_connections
  where org_id = ${orgId} and person_id = ${personId} and client_id = ${clientId} and ended_at is null`

/** Two simultaneous connections of the same program both get the row that was there first. */
export const claimConnection = (tx: Tx, orgId: OrgId, row: Omit<ConnectionRow, 'org_id'>) => tx.one<ConnectionRow>`
  insert into agent_connections (org_id, agent_id, person_id, client_id, client_name, client_host, person_name, connected_at)
  values (${orgId}, ${row.agent_id}, ${row.person_id}, ${row.client_id}, ${row.client_name}, ${row.client_host},
    ${row.person_name}, ${row.connected_at})
  on conflict (org_id, person_id, client_id) where ended_at is null do update
    set client_name = excluded.client_name, client_host = excluded.client_host, person_name = excluded.person_name,
      connected_at = excluded.connected_at
  returning ${connectionColumns(tx)}`

export const listConnections = (queries: Queries, orgId: OrgId, agentIds: readonly string[]) =>
  queries.many<ConnectionRow>`
    select ${connectionColumns(queries)} from agent_connections where org_id = ${orgId} and agent_id = any(${agentIds})`

export const endConnection = (tx: Tx, orgId: OrgId, { agentId, at }: { agentId: string; at: Date }) => tx.run`
  update agent_connections set ended_at = ${at} where org_id = ${orgId} and agent_id = ${agentId} and ended_at is null`

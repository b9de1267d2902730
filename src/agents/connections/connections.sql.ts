import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

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

const columns = ({ part }: Queries) => part`
  org_id, agent_id, person_id, client_id, client_name, client_host, person_name, connected_at`

export const findLivingConnection = (
  queries: Queries,
  orgId: OrgId,
  { personId, clientId }: { personId: string; clientId: string },
) => queries.maybeOne<ConnectionRow>`
  select ${columns(queries)} from agent_connections
  where org_id = ${orgId} and person_id = ${personId} and client_id = ${clientId} and ended_at is null`

/** Two simultaneous connections of the same program both get the row that was there first. */
export const claimConnection = (tx: Tx, orgId: OrgId, row: Omit<ConnectionRow, 'org_id'>) => tx.one<ConnectionRow>`
  insert into agent_connections (org_id, agent_id, person_id, client_id, client_name, client_host, person_name, connected_at)
  values (${orgId}, ${row.agent_id}, ${row.person_id}, ${row.client_id}, ${row.client_name}, ${row.client_host},
    ${row.person_name}, ${row.connected_at})
  on conflict (org_id, person_id, client_id) where ended_at is null do update
    set client_name = excluded.client_name, client_host = excluded.client_host, person_name = excluded.person_name,
      connected_at = excluded.connected_at
  returning ${columns(tx)}`

export const listConnections = (queries: Queries, orgId: OrgId, agentIds: readonly string[]) =>
  queries.many<ConnectionRow>`
    select ${columns(queries)} from agent_connections where org_id = ${orgId} and agent_id = any(${agentIds})`

export const endConnection = (tx: Tx, orgId: OrgId, { agentId, at }: { agentId: string; at: Date }) => tx.run`
  update agent_connections set ended_at = ${at} where org_id = ${orgId} and agent_id = ${agentId} and ended_at is null`

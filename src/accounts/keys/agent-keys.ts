import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { bumpAccountRevision, listKeysOfAgents, revokeKeysOfAgent, updateKeysOfAgent } from './api-keys.sql.ts'
import { type AccountsContext, type ApiKey, announceChange, type KeyInitiator } from './api-keys.ts'

/** The keys of agents. `createApiKeyIn` creates them; they change and end only together with their agent. */

/** The current or last key of each agent. A key that was not used yet reports the last use of its predecessors. */
export async function currentKeysOfAgents(
  queries: Queries,
  orgId: OrgId,
  agentIds: readonly Id<'agt'>[],
): Promise<Map<Id<'agt'>, ApiKey>> {
  const keys = agentIds.length === 0 ? [] : await listKeysOfAgents(queries, orgId, agentIds)
  const current = new Map<Id<'agt'>, ApiKey>()
  for (const key of keys.toReversed()) {
    const last_used_at = key.last_used_at ?? current.get(key.agent_id)?.last_used_at ?? null
    current.set(key.agent_id, { ...key, last_used_at })
  }
  return current
}

/** The keys stop working at once in this process, and within a second in all others. */
export async function revokeAgentKeys(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  { agentId, by, initiator }: { agentId: Id<'agt'>; by: string; initiator: KeyInitiator | null },
): Promise<void> {
  const revoked = await revokeKeysOfAgent(tx, orgId, { agentId, at: new Date(context.clock.now()) })
  for (const key of revoked) await announceChange(context, tx, orgId, { type: 'revoked', key, by, initiator })
}

/** Writes the agent's name, scopes and expiry to its keys. */
export async function updateAgentKeys(
  tx: Tx,
  orgId: OrgId,
  change: { agentId: Id<'agt'>; name: string; scopes: readonly Scope[]; expiresAt: Date | null },
): Promise<void> {
  await updateKeysOfAgent(tx, orgId, change)
  await bumpAccountRevision(tx, orgId)
}

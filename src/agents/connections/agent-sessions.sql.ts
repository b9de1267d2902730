import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type SessionKey = { agentId: string; session: string }

/**
 * Returns what the session has read and renews it in the same statement. Null when it has read nothing or has expired.
 */
export const touchSession = (
  queries: Queries,
  orgId: OrgId,
  { agentId, session }: SessionKey,
  { now, since }: { now: Date; since: Date },
) => queries.maybeOne<{ chat_ids: string[] }>`
  update agent_sessions set seen_at = ${now}
  where org_id = ${orgId} and agent_id = ${agentId} and session = ${session} and seen_at > ${since}
  returning chat_ids`

/** Two are kept, which are as good as many. What a session read before it fell silent is forgotten. */
export const addToSession = (
  queries: Queries,
  orgId: OrgId,
  { agentId, session }: SessionKey,
  { chatIds, now, since }: { chatIds: readonly string[]; now: Date; since: Date },
) => queries.run`
  insert into agent_sessions as known (org_id, agent_id, session, chat_ids, seen_at)
  values (${orgId}, ${agentId}, ${session}, ${chatIds.slice(0, 2)}, ${now})
  on conflict (org_id, agent_id, session) do update set seen_at = excluded.seen_at,
    chat_ids = case when known.seen_at <= ${since} then excluded.chat_ids
      else array(select distinct read.id from unnest(known.chat_ids || excluded.chat_ids) as read (id) limit 2) end`

/** Up to a bound. */
export const countSessions = async (queries: Queries, orgId: OrgId, agentId: string, max: number) =>
  (
    await queries.one<{ count: number }>`
      select count(*)::integer as count from (
        select 1 from agent_sessions where org_id = ${orgId} and agent_id = ${agentId} limit ${max}) as begun`
  ).count

export const deleteSilentSessions = (queries: Queries, orgId: OrgId, agentId: string, before: Date) => queries.run`
  delete from agent_sessions where org_id = ${orgId} and agent_id = ${agentId} and seen_at < ${before}`

export const deleteSessions = (tx: Tx, orgId: OrgId, agentId: string) => tx.run`
  delete from agent_sessions where org_id = ${orgId} and agent_id = ${agentId}`

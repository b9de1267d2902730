import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type Act = { requestId: Id<'req'>; at: Date; isMessage: boolean; recipient: string | null; amount: number }

export const insertAct = (tx: Tx, orgId: OrgId, agentId: string, act: Act) => tx.run`
  insert into agent_acts (org_id, agent_id, request_id, at, is_message, recipient, amount)
  values (${orgId}, ${agentId}, ${act.requestId}, ${act.at}, ${act.isMessage}, ${act.recipient}, ${act.amount})`

/** Renames a recipient that was counted under a name and is a contact by now. */
export const renameRecipient = (
  tx: Tx,
  orgId: OrgId,
  agentId: string,
  { id, names }: { id: string; names: readonly string[] },
) => tx.run`
  update agent_acts set recipient = ${id}
  where org_id = ${orgId} and agent_id = ${agentId} and recipient = any(${[...names]})`

export const deleteAct = (queries: Queries, orgId: OrgId, agentId: string, requestId: string) => queries.run`
  delete from agent_acts where org_id = ${orgId} and agent_id = ${agentId} and request_id = ${requestId}`

export const deleteActsBefore = (tx: Tx, orgId: OrgId, agentId: string, at: Date) => tx.run`
  delete from agent_acts where org_id = ${orgId} and agent_id = ${agentId} and at < ${at}`

export type ActSums = {
  messages_lately: number
  first_message_at: Date | null
  recipients: number
  is_recipient_known: boolean
  first_recipient_at: Date | null
  amount: number
  first_amount_at: Date | null
}

/** Over what is left, which is the last day. */
export const sumActs = (
  tx: Tx,
  orgId: OrgId,
  agentId: string,
  { lately, recipient }: { lately: Date; recipient: string | null },
) => tx.one<ActSums>`
  select count(*) filter (where is_message and at > ${lately})::integer as messages_lately,
    min(at) filter (where is_message and at > ${lately}) as first_message_at,
    count(distinct recipient) filter (where is_message)::integer as recipients,
    coalesce(bool_or(is_message and recipient = ${recipient}), false) as is_recipient_known,
    min(at) filter (where is_message) as first_recipient_at,
    coalesce(sum(amount), 0)::bigint as amount,
    min(at) filter (where amount > 0) as first_amount_at
  from agent_acts where org_id = ${orgId} and agent_id = ${agentId}`

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
  values (${orgId}, ${agentId}, ${session}, ${[...new Set(chatIds)].slice(0, 2)}, ${now})
  on conflict (org_id, agent_id, session) do update set seen_at = excluded.seen_at,
    chat_ids = case when known.seen_at <= ${since} then excluded.chat_ids
      when cardinality(known.chat_ids) >= 2 then known.chat_ids
      else (known.chat_ids || array_remove(excluded.chat_ids, known.chat_ids[1]))[1:2] end`

/** Up to a bound. */
export const countSessions = async (queries: Queries, orgId: OrgId, agentId: string, max: number) =>
  (
    await queries.one<{ count: number }>`
      select count(*)::integer as count from (
        select 1 from agent_sessions where org_id = ${orgId} and agent_id = ${agentId} limit ${max}) as begun`
  ).count

export const deleteSilentSessions = (queries: Queries, orgId: OrgId, agentId: string, before: Date) => queries.run`
  delete from agent_sessions where org_id = ${orgId} and agent_id = ${agentId} and seen_at < ${before}`

import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

export type EventHead = { id: Id<'evt'>; sequence: number | null; type: string; subject: string; is_test: boolean }

export type EventBody = EventHead & { org_id: OrgId; traceparent: string | null; body: string; erased_at: Date | null }

/** For a batch over several organizations. Ids are unique everywhere; the organization still has to match. */
export const listEventBodies = (queries: Queries, orgIds: OrgId[], ids: string[]) => queries.many<EventBody>`
  select org_id, id, type, subject, sequence, is_test, traceparent, body, erased_at from events
  where org_id = any(${orgIds}) and id = any(${ids})`

/** Oldest first. */
export const listEventHeadsById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<EventHead>`
  select id, sequence, type, subject, is_test from events
  where org_id = ${orgId} and id = any(${ids}) order by sequence`

/** A piece of the log: after the first id, before the second. */
export type IdWindow = { afterId: string; beforeId: string; limit: number }

/** Oldest first, without those whose payload was erased. */
export const listEventHeads = (queries: Queries, orgId: OrgId, window: IdWindow) => queries.many<EventHead>`
  select id, sequence, type, subject, is_test from events
  where org_id = ${orgId} and id > ${window.afterId} and id < ${window.beforeId} and erased_at is null
  order by id limit ${window.limit}`

export const insertCounter = (tx: Tx, orgId: OrgId) => tx.run`
  insert into event_counters (org_id, last_sequence) values (${orgId}, 0) on conflict (org_id) do nothing`

export const lockCounter = (tx: Tx, orgId: OrgId) => tx.one<{ last_sequence: number }>`
  select last_sequence from event_counters where org_id = ${orgId} for update`

export const findCounter = (queries: Queries, orgId: OrgId) => queries.maybeOne<{ last_sequence: number }>`
  select last_sequence from event_counters where org_id = ${orgId}`

export type FollowerProgress = { position: number; last: number }

export const findFollower = (queries: Queries, orgId: OrgId) => queries.maybeOne<FollowerProgress>`
  select followed_until as position, last_sequence as last from event_counters where org_id = ${orgId}`

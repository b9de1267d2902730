import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

export type ErasableEvent = { id: Id<'evt'>; sequence: number | null; body: string; erased_at: Date | null }

/** Oldest first. The bounds say nothing new, but from them PostgreSQL knows which days it need not look at. */
export const listErasable = (queries: Queries, orgId: OrgId, ids: readonly string[]) => {
  const sorted = ids.toSorted()
  return queries.many<ErasableEvent>`
    select id, sequence, body, erased_at from events
    where org_id = ${orgId} and id = any(${sorted}) and id >= ${sorted[0] ?? ''} and id <= ${sorted.at(-1) ?? ''}
    order by sequence`
}

export type ErasedEvent = { id: Id<'evt'>; body: string }

export const emptyEvents = (tx: Tx, orgId: OrgId, events: readonly ErasedEvent[], now: Date) => {
  const ids = events.map(({ id }) => id).sort()
  return tx.run`
    update events set body = emptied.body, erased_at = ${now}
    from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ body }) => body)}::text[]) as emptied(id, body)
    where events.org_id = ${orgId} and events.id = emptied.id
      and events.id >= ${ids[0] ?? ''} and events.id <= ${ids.at(-1) ?? ''} and events.erased_at is null`
}

export type NamedFilter = { subjects: readonly string[]; after: number; limit: number }

/**
 * A piece of the log, oldest first, and which of it is about one of the subjects or names it. No index leads there, nor should
 * one: every event would pay for what is asked for a few times a year.
 */
export const listNaming = (queries: Queries, orgId: OrgId, { subjects, after, limit }: NamedFilter) =>
  queries.many<{ id: Id<'evt'>; sequence: number; is_named: boolean }>`
    select id, sequence, erased_at is null and (subject = any(${[...subjects]})
      or exists (select from unnest(${subjects.map((id) => `"${id}"`)}::text[]) as named(id) where strpos(body, named.id) > 0)
    ) as is_named
    from events where org_id = ${orgId} and sequence > ${after}
    order by sequence limit ${limit}`

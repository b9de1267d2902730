import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { momentList, textList } from '../platform/database/plain-lists.ts'

/** Body bytes are serialised once, here. The sequence is not known yet; the database writes it between head and tail. */
export type PreparedEvent = {
  id: Id<'evt'>
  type: string
  subject: string
  requestId: string | null
  traceparent: string | null
  head: string
  tail: string
  createdAt: Date
}

export type EventRow = {
  org_id: OrgId
  id: Id<'evt'>
  /** Null on test events. */
  sequence: number | null
  type: string
  subject: string
  is_test: boolean
  request_id: Id<'req'> | null
  body: string
  created_at: Date
  /** Since when the body holds the envelope alone. */
  erased_at: Date | null
}

export type NumberedEvent = EventRow & { sequence: number }

/**
 * Counter and events in one statement: the counter row is locked for no longer than this statement and the commit.
 * A group commit that writes many organizations uses the same two parts over arrays with `org_id` in them.
 */
export const insertEvents = (queries: Queries, orgId: OrgId, events: readonly PreparedEvent[]) => {
  const listed = (read: (event: PreparedEvent) => string) => textList(queries, events.map(read))
  const moments = events.map((event) => event.createdAt)
  return queries.run`
    with counter as (
      insert into event_counters (org_id, last_sequence) values (${orgId}, ${events.length})
      on conflict (org_id) do update set last_sequence = event_counters.last_sequence + ${events.length}
      returning last_sequence - ${events.length} as already)
    insert into events (org_id, id, sequence, type, subject, request_id, traceparent, body, created_at)
    select ${orgId}, event.id, counter.already + event.position, event.type, event.subject, event.request_id,
      event.traceparent, event.head || (counter.already + event.position)::text || event.tail,
      to_timestamp(event.created_ms::float8 / 1000)
    from counter, unnest(
      ${listed((event) => event.id)},
      ${listed((event) => event.type)},
      ${events.map((event) => event.subject)}::text[],
      ${events.map((event) => event.requestId)}::text[],
      ${events.map((event) => event.traceparent)}::text[],
      ${listed((event) => event.head)},
      ${listed((event) => event.tail)},
      ${momentList(queries, moments)}
    ) with ordinality as event (id, type, subject, request_id, traceparent, head, tail, created_ms, position)`
}

/** Without a number, and therefore without the counter: the numbers of real events have no gaps. */
export const insertTestEvent = (queries: Queries, orgId: OrgId, event: PreparedEvent) => queries.run`
  insert into events (org_id, id, type, subject, is_test, request_id, traceparent, body, created_at)
  values (${orgId}, ${event.id}, ${event.type}, ${event.subject}, true, ${event.requestId}, ${event.traceparent},
    ${`${event.head}null${event.tail}`}, ${event.createdAt})`

const columns = (queries: Queries) =>
  queries.part`org_id, id, sequence, type, subject, is_test, request_id, body, created_at, erased_at`

export const findEvent = (queries: Queries, orgId: OrgId, id: string) =>
  queries.maybeOne<EventRow>`select ${columns(queries)} from events where org_id = ${orgId} and id = ${id}`

type Filter = { types?: readonly string[]; subject?: string; limit: number }

const filtered = (queries: Queries, { types, subject }: Filter) => queries.part`
  ${types === undefined ? queries.part`` : queries.part`and type = any(${[...types]})`}
  ${subject === undefined ? queries.part`` : queries.part`and subject = ${subject}`}`

/** Forward, for a follower. Test events that version 0.1 recorded have numbers, and are among them. */
export const listNumberedAfter = (queries: Queries, orgId: OrgId, { after, limit }: { after: number; limit: number }) =>
  queries.many<NumberedEvent>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and sequence > ${after}
    order by sequence limit ${limit}`

/** Forward, for a reader that closes its gaps. */
export const listEventsAfter = (queries: Queries, orgId: OrgId, filter: Filter & { after: number }) =>
  queries.many<NumberedEvent>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and sequence > ${filter.after} and not is_test ${filtered(queries, filter)}
    order by sequence limit ${filter.limit}`

/** The sequence that comes next after one: of an event that is still kept, else the one that will be given out next. */
export const findNextSequence = (queries: Queries, orgId: OrgId, after: number) =>
  queries.one<{ next: number | null }>`
    select coalesce(
      (select sequence from events where org_id = ${orgId} and sequence > ${after} order by sequence limit 1),
      (select last_sequence + 1 from event_counters where org_id = ${orgId})) as next`

/** Newest first, for a reader that looks at what just happened. */
export const listEventsBefore = (queries: Queries, orgId: OrgId, filter: Filter & { before?: number }) =>
  queries.many<NumberedEvent>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and sequence < ${filter.before ?? Number.MAX_SAFE_INTEGER} and not is_test
      ${filtered(queries, filter)}
    order by sequence desc limit ${filter.limit}`

/** Newest first. */
export const listTestEvents = (queries: Queries, orgId: OrgId, filter: Filter & { beforeId?: string }) =>
  queries.many<EventRow>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and is_test
      ${filter.beforeId === undefined ? queries.part`` : queries.part`and id < ${filter.beforeId}`}
      ${filtered(queries, filter)}
    order by id desc limit ${filter.limit}`

export type FollowerPosition = { org_id: OrgId; last_sequence: number; counter: number }

/** Organizations in which something happened that the follower has not seen, by their ids: a page of them after one. */
export const listBehind = (queries: Queries, follower: string, { after, limit }: { after: string; limit: number }) =>
  queries.many<FollowerPosition>`
    select counter.org_id, coalesce(follower.last_sequence, 0) as last_sequence, counter.last_sequence as counter
    from event_counters counter
    left join event_followers follower on follower.org_id = counter.org_id and follower.follower = ${follower}
    where counter.org_id > ${after} and counter.last_sequence > coalesce(follower.last_sequence, 0)
    order by counter.org_id limit ${limit}`

/** Of several workers one gets the row, the others turn to another organization. A new row is made on the way. */
export const lockFollower = async (tx: Tx, orgId: OrgId, follower: string): Promise<number | null> => {
  const row = await tx.maybeOne<{ last_sequence: number }>`
    select last_sequence from event_followers where org_id = ${orgId} and follower = ${follower} for update skip locked`
  return row?.last_sequence ?? null
}

export const insertFollower = (tx: Tx, orgId: OrgId, { follower, sequence }: { follower: string; sequence: number }) =>
  tx.run`
    insert into event_followers (org_id, follower, last_sequence) values (${orgId}, ${follower}, ${sequence})
    on conflict do nothing`

export const moveFollower = (tx: Tx, orgId: OrgId, { follower, sequence }: { follower: string; sequence: number }) =>
  tx.run`
    update event_followers set last_sequence = ${sequence}
    where org_id = ${orgId} and follower = ${follower} and last_sequence < ${sequence}`

export type RequestFilter = { requestId: string; fromId: string; beforeId: string; limit: number }

/** Among the events of the time in which it ran: no index leads from a request to its events. */
export const listEventsOfRequest = (
  queries: Queries,
  orgId: OrgId,
  { requestId, fromId, beforeId, limit }: RequestFilter,
) =>
  queries.many<EventRow>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and id >= ${fromId} and id < ${beforeId} and request_id = ${requestId}
    order by sequence limit ${limit}`

export type SubjectsFilter = { type: string; fromId: string; beforeId: string; limit: number }

/** Whom an event of a type was about within a stretch of time, with the event that told. */
export const listSubjects = (queries: Queries, orgId: OrgId, { type, fromId, beforeId, limit }: SubjectsFilter) =>
  queries.many<{ id: Id<'evt'>; subject: string }>`
    select id, subject from events
    where org_id = ${orgId} and type = ${type} and id >= ${fromId} and id < ${beforeId} and not is_test
    order by sequence limit ${limit}`

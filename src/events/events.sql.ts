import { firstIdAt, type Id, type OrgId } from '../kernel/ids.ts'
import type { Ending, Queries, Tx } from '../platform/database/database.ts'
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

/** What the follower of this process wants written with the events: see recording.ts. */
export type FollowPlan = {
  /** The version of the subscriptions that the plan is based on. */
  version: number
  /** Null when no follower writes anything. */
  write: ((queries: Queries) => FollowParts) | null
  /** The statement was answered; the transaction may still fail. */
  onWritten(recorded: RecordedEvents, ending: Ending): void
  /** The statement failed. */
  onFailed(): void
}

export type FollowParts = {
  /** A further condition for following, looked at while the counter is locked. */
  gate: unknown
  /** More parts of the `with` of the statement, after `counter (already, is_followed)` and `recorded (id, sequence)`. */
  parts: unknown
  /** The result of the parts, as an expression. */
  result: unknown
}

/** What the statement that records events is given besides them. */
export type Recording = { events: readonly PreparedEvent[]; plan: FollowPlan | null; isChange: boolean }

export type RecordedEvents = {
  /** The sequence of the last event before these. */
  already: number
  is_followed: boolean
  /** As the counter row has it. */
  version: number
  /** The result of the parts of the plan. */
  result: unknown
}

/** No version of anything: the events are left to the follower. */
const UNKNOWN_VERSION = -1

/**
 * Counter and events, and what follows from them where that is known, in one statement: the counter row is locked for no
 * longer than this statement and the commit.
 */
export const insertEvents = (queries: Queries, orgId: OrgId, { events, plan, isChange }: Recording) => {
  const follow = plan?.write?.(queries) ?? null
  const listed = (read: (event: PreparedEvent) => string) => textList(queries, events.map(read))
  const moments = events.map((event) => event.createdAt)
  const count = events.length
  const version = plan?.version ?? UNKNOWN_VERSION
  const gate = follow === null ? queries.part`` : queries.part`and ${follow.gate}`
  const since = new Date(Math.min(...moments.map((moment) => moment.getTime())))
  return queries.one<RecordedEvents>`
    with counter as (
      insert into event_counters as c (org_id, last_sequence, followed_until, subscriptions_version)
      values (${orgId}, ${count}, ${version === 0 ? count : 0}, ${isChange ? 1 : 0})
      on conflict (org_id) do update
      set last_sequence = c.last_sequence + ${count},
          followed_until = case
            when c.followed_until = c.last_sequence and c.subscriptions_version = ${version} ${gate}
            then c.last_sequence + ${count} else c.followed_until end,
          subscriptions_version = c.subscriptions_version + ${isChange ? 1 : 0}
      returning last_sequence - ${count} as already, followed_until = last_sequence as is_followed, subscriptions_version),
    behind as (
      insert into event_backlog (org_id, since) select ${orgId}, ${since} from counter where not is_followed
      on conflict (org_id) do nothing),
    recorded as (
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
      ) with ordinality as event (id, type, subject, request_id, traceparent, head, tail, created_ms, position)
      returning id, sequence)
    ${follow === null ? queries.part`` : queries.part`, ${follow.parts}`}
    select already, is_followed, subscriptions_version as version, ${follow?.result ?? queries.part`null`} as result
    from counter`
}

/** Subscriptions change in a transaction that records nothing. */
export const bumpSubscriptions = (queries: Queries, orgId: OrgId) => queries.run`
  insert into event_counters as c (org_id, last_sequence, subscriptions_version) values (${orgId}, 0, 1)
  on conflict (org_id) do update set subscriptions_version = c.subscriptions_version + 1`

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

/** How much older than its neighbours an event's id may be: transactions last, and clocks differ. */
const IDS_APART_MS = 3_600_000

/** Forward, for the follower. Test events that version 0.1 recorded have numbers, and are among them. */
export const listNumberedAfter = (queries: Queries, orgId: OrgId, { after, since, limit }: BacklogPage) =>
  queries.many<NumberedEvent>`
    select ${columns(queries)} from events
    where org_id = ${orgId} and sequence > ${after} and id >= ${firstIdAt('evt', new Date(since.getTime() - IDS_APART_MS))}
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

/** Organizations with events that are not followed, by their ids: a page of them after one. */
export const listBehind = (queries: Queries, { after, limit }: { after: string; limit: number }) =>
  queries.many<{ org_id: OrgId }>`
    select org_id from event_backlog where org_id > ${after} order by org_id limit ${limit}`

export type Backlog = { since: Date; followed_until: number; last_sequence: number }
export type BacklogPage = { after: number; since: Date; limit: number }

/** Of several workers one gets the organization, the others turn to another one. */
export const lockBacklog = (tx: Tx, orgId: OrgId) => tx.maybeOne<Backlog>`
  select coalesce(nullif(backlog.since, '-infinity'), to_timestamp(0)) as since, counter.followed_until,
    counter.last_sequence
  from event_backlog backlog join event_counters counter on counter.org_id = backlog.org_id
  where backlog.org_id = ${orgId} for update of backlog skip locked`

/** Followed so far. Where that is all there is, the organization is listed no longer. The caller has locked the backlog. */
export const moveFollowed = (tx: Tx, orgId: OrgId, { sequence, since }: { sequence: number; since: Date }) => tx.run`
  with counter as (
    update event_counters set followed_until = ${sequence} where org_id = ${orgId} and followed_until < ${sequence}
    returning followed_until = last_sequence as is_level),
  done as (delete from event_backlog where org_id = ${orgId} and (select is_level from counter))
  update event_backlog set since = ${since} where org_id = ${orgId} and not (select is_level from counter)`

/** Nothing is left of it: followed by hand, or older than what is kept. */
export const endBacklog = (tx: Tx, orgId: OrgId, sequence: number) => tx.run`
  with counter as (
    update event_counters set followed_until = greatest(followed_until, ${sequence}) where org_id = ${orgId}
    returning followed_until = last_sequence as is_level)
  delete from event_backlog where org_id = ${orgId} and (select is_level from counter)`

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

/** Subjects of events of a type within a time range, with the event. */
export const listSubjects = (queries: Queries, orgId: OrgId, { type, fromId, beforeId, limit }: SubjectsFilter) =>
  queries.many<{ id: Id<'evt'>; subject: string }>`
    select id, subject from events
    where org_id = ${orgId} and type = ${type} and id >= ${fromId} and id < ${beforeId} and not is_test
    order by sequence limit ${limit}`

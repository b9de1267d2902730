import type { Id, OrgId } from '../kernel/ids.ts'
import type { Ending, Queries, Tx } from '../platform/database/database.ts'
import { fromHome, homeOrg } from '../platform/database/organization-filter.ts'
import { momentList, textList } from '../platform/database/plain-lists.ts'

/** Whole days; what is pending keeps its events longer (`eventsTable`). */
export const EVENT_RETENTION_DAYS = 30

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
  traceparent?: string | null
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

type FollowParts = {
  /** A further condition for following, looked at while the counter is locked. */
  gate: unknown
  /** More parts of the `with` of the statement, after `counter (already, is_followed)` and `recorded (id, sequence)`. */
  parts: unknown
  /** The result of the parts, as an expression. */
  result: unknown
}

/** What the statement that records events is given besides them. */
type Recording = { events: readonly PreparedEvent[]; plan: FollowPlan | null; isChange: boolean }

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

type Counting = { count: number; version: number; isChange: boolean; gate: unknown | null }

/**
 * `counter (already, is_followed, subscriptions_version)`. Citus looks at no other row in an insert, so in a cluster the gate is
 * looked at first, on the coordinator where its lock is, and the counter is updated: it exists, because the gate belongs to
 * subscriptions that were counted in it.
 */
function countEvents(queries: Queries, orgId: OrgId, { count, version, isChange, gate }: Counting) {
  const { part } = queries
  const changes = isChange ? 1 : 0
  const move = (condition: unknown) => part`
    last_sequence = c.last_sequence + ${count}::int,
    followed_until = case
      when c.followed_until = c.last_sequence and c.subscriptions_version = ${version}::int ${condition}
      then c.last_sequence + ${count}::int else c.followed_until end,
    subscriptions_version = c.subscriptions_version + ${changes}::int`
  const counted = part`
    returning c.last_sequence - ${count}::int as already, c.followed_until = c.last_sequence as is_followed, c.subscriptions_version`
  if (gate !== null && queries.isSharded()) {
    const moveIfOpen = move(part`and gate.is_open`)
    return part`
      gate as materialized (select ${gate} as is_open),
      counter as (update event_counters c set ${moveIfOpen} from gate where c.org_id = ${orgId} ${counted})`
  }
  const moveGated = move(gate === null ? part`` : part`and ${gate}`)
  return part`
    counter as (
      insert into event_counters as c (org_id, last_sequence, followed_until, subscriptions_version)
      values (${orgId}, ${count}, ${version === 0 ? count : 0}, ${changes})
      on conflict (org_id) do update set ${moveGated} ${counted})`
}

/**
 * Counter and events, and what follows from them where that is known, in one statement: the counter row is locked for no
 * longer than this statement and the commit.
 */
export const insertEvents = (queries: Queries, orgId: OrgId, { events, plan, isChange }: Recording) => {
  const follow = plan?.write?.(queries) ?? null
  const listed = (read: (event: PreparedEvent) => string) => textList(queries, events.map(read))
  const moments = events.map((event) => event.createdAt)
  const since = new Date(Math.min(...moments.map((moment) => moment.getTime())))
  return queries.one<RecordedEvents>`
    with ${countEvents(queries, orgId, {
      count: events.length,
      version: plan?.version ?? UNKNOWN_VERSION,
      isChange,
      gate: follow?.gate ?? null,
    })},
    behind as (
      insert into event_backlog (org_id, since) select ${homeOrg(queries, orgId)}, ${since} from ${fromHome(queries, orgId)} counter where not is_followed
      on conflict (org_id) do nothing),
    recorded as (
      insert into events as added (org_id, id, sequence, type, subject, request_id, traceparent, body, created_at)
      select ${homeOrg(queries, orgId)}, event.id, counter.already + event.position, event.type, event.subject, event.request_id,
        event.traceparent, event.head || (counter.already + event.position)::text || event.tail,
        to_timestamp(event.created_ms::float8 / 1000)
      from ${fromHome(queries, orgId)} counter, unnest(
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

/** The next event gets the first sequence of the next epoch. A follower that had read everything still has. */
export const advanceEpoch = (queries: Queries, orgId: OrgId, epochSequences: number) => queries.run`
  update event_counters c
  set last_sequence = advanced.sequence,
      followed_until = case when c.followed_until = c.last_sequence then advanced.sequence else c.followed_until end
  from (select org_id, (last_sequence / ${epochSequences}::bigint + 1) * ${epochSequences}::bigint as sequence
    from event_counters where org_id = ${orgId} and last_sequence > 0) advanced
  where c.org_id = ${orgId}`

/** Without a number, and therefore without the counter: the numbers of real events have no gaps. */
export const insertTestEvent = (queries: Queries, orgId: OrgId, event: PreparedEvent) => queries.run`
  insert into events (org_id, id, type, subject, is_test, request_id, traceparent, body, created_at)
  values (${orgId}, ${event.id}, ${event.type}, ${event.subject}, true, ${event.requestId}, ${event.traceparent},
    ${`${event.head}null${event.tail}`}, ${event.createdAt})`

export const eventColumns = (queries: Queries) =>
  queries.part`org_id, id, sequence, type, subject, is_test, request_id, traceparent, body, created_at, erased_at`

export const findEvent = (queries: Queries, orgId: OrgId, id: string) =>
  queries.maybeOne<EventRow>`select ${eventColumns(queries)} from events where org_id = ${orgId} and id = ${id}`

type Filter = { types?: readonly string[]; subject?: string; limit: number }

const filtered = (queries: Queries, { types, subject }: Filter) => queries.part`
  ${types === undefined ? queries.part`` : queries.part`and type = any(${[...types]})`}
  ${subject === undefined ? queries.part`` : queries.part`and subject = ${subject}`}`

/** Forward, for a reader that closes its gaps. */
export const listEventsAfter = (queries: Queries, orgId: OrgId, filter: Filter & { after: number }) =>
  queries.many<NumberedEvent>`
    select ${eventColumns(queries)} from events
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
    select ${eventColumns(queries)} from events
    where org_id = ${orgId} and sequence < ${filter.before ?? Number.MAX_SAFE_INTEGER} and not is_test
      ${filtered(queries, filter)}
    order by sequence desc limit ${filter.limit}`

/** Newest first. */
export const listTestRows = (queries: Queries, orgId: OrgId, filter: Filter & { beforeId?: string }) =>
  queries.many<EventRow>`
    select ${eventColumns(queries)} from events
    where org_id = ${orgId} and is_test
      ${filter.beforeId === undefined ? queries.part`` : queries.part`and id < ${filter.beforeId}`}
      ${filtered(queries, filter)}
    order by id desc limit ${filter.limit}`

type RequestFilter = { requestId: string; fromId: string; beforeId: string; limit: number }

/** Among the events of the time in which it ran: no index leads from a request to its events. */
export const listRowsOfRequest = (
  queries: Queries,
  orgId: OrgId,
  { requestId, fromId, beforeId, limit }: RequestFilter,
) =>
  queries.many<EventRow>`
    select ${eventColumns(queries)} from events
    where org_id = ${orgId} and id >= ${fromId} and id < ${beforeId} and request_id = ${requestId}
    order by sequence limit ${limit}`

type SubjectsFilter = { type: string; fromId: string; beforeId: string; limit: number }

/** Subjects of events of a type within a time range, with the event. */
export const listSubjects = (queries: Queries, orgId: OrgId, { type, fromId, beforeId, limit }: SubjectsFilter) =>
  queries.many<{ id: Id<'evt'>; subject: string }>`
    select id, subject from events
    where org_id = ${orgId} and type = ${type} and id >= ${fromId} and id < ${beforeId} and not is_test
    order by sequence limit ${limit}`

export type EventHead = { id: Id<'evt'>; sequence: number | null; type: string; subject: string; is_test: boolean }

export type EventBody = EventHead & { org_id: OrgId; traceparent: string | null; body: string; erased_at: Date | null }

export const listEventBodies = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<EventBody>`
  select org_id, id, type, subject, sequence, is_test, traceparent, body, erased_at from events
  where org_id = ${orgId} and id = any(${ids})`

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

export type ErasableEvent = { id: Id<'evt'>; sequence: number | null; body: string; erased_at: Date | null }

/** Oldest first. The bounds say nothing new, but from them PostgreSQL knows which days it need not look at. */
export const listErasable = (queries: Queries, orgId: OrgId, ids: readonly string[]) => {
  const sorted = ids.toSorted()
  return queries.many<ErasableEvent>`
    select id, sequence, body, erased_at from events
    where org_id = ${orgId} and id = any(${sorted}) and id >= ${sorted[0] ?? ''} and id <= ${sorted.at(-1) ?? ''}
    order by sequence`
}

type ErasedEvent = { id: Id<'evt'>; body: string }

export const emptyEvents = (tx: Tx, orgId: OrgId, events: readonly ErasedEvent[], now: Date) => {
  const ids = events.map(({ id }) => id).sort()
  return tx.run`
    update events set body = emptied.body, erased_at = ${now}
    from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ body }) => body)}::text[]) as emptied(id, body)
    where events.org_id = ${orgId} and events.id = emptied.id
      and events.id >= ${ids[0] ?? ''} and events.id <= ${ids.at(-1) ?? ''} and events.erased_at is null`
}

type NamedFilter = { subjects: readonly string[]; after: number; limit: number }

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

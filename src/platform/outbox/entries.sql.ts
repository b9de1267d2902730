import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import { fromHome, homeOrg } from '../database/organization-filter.ts'
import { entriesOfLane, type Lane, ofLane } from './lanes.sql.ts'

/** Statements on entries, for those who put them there. */
export type EntryState = 'waiting' | 'behind' | 'leased' | 'held'

export type EntryInsert = {
  id: string
  laneId: string
  job: string
  class: number
  orderKey: string | null
  position: number
  dueAt: Date | null
  attempt: number
  /** As JSON text. */
  payload: string
  traceparent: string | null
}

/**
 * The trace of entries as a last column of an insert and of its `unnest`: only where an entry has one, so that nothing is sent or
 * written while tracing is off.
 */
export const traceColumn = (queries: Queries, entries: readonly { traceparent: string | null }[]) => {
  const traces = entries.map(({ traceparent }) => traceparent)
  const isTraced = traces.some((traceparent) => traceparent !== null)
  return {
    name: isTraced ? queries.part`, traceparent` : queries.part``,
    list: isTraced ? queries.part`, ${traces}::text[]` : queries.part``,
  }
}

/**
 * One insert, nothing else read or locked. A statement of a hot path does the same as one of its parts; see
 * docs/outbox.md.
 */
export const insertEntries = (tx: Queries, orgId: OrgId, entries: EntryInsert[]) => {
  const trace = traceColumn(tx, entries)
  return tx.run`
  insert into outbox_entries (org_id, id, lane_id, job, class, order_key, position, due_at, attempt, payload${trace.name})
  select ${homeOrg(tx, orgId)}, id, lane_id, job, class, order_key, position, coalesce(due_at, now()), attempt, payload::jsonb${trace.name}
  from ${fromHome(tx, orgId)} unnest(
    ${entries.map((entry) => entry.id)}::text[], ${entries.map((entry) => entry.laneId)}::text[],
    ${entries.map((entry) => entry.job)}::text[], ${entries.map((entry) => entry.class)}::smallint[],
    ${entries.map((entry) => entry.orderKey)}::text[], ${entries.map((entry) => entry.position)}::bigint[], ${entries.map((entry) => entry.dueAt)}::timestamptz[],
    ${entries.map((entry) => entry.attempt)}::int[], ${entries.map((entry) => entry.payload)}::text[]${trace.list}
  ) as entry(id, lane_id, job, class, order_key, position, due_at, attempt, payload${trace.name})
  where not exists (select from outbox_later later where later.org_id = ${orgId} and later.id = entry.id)
  on conflict (org_id, id) do nothing`
}

/** The number of a lease that an entry is born with. */
export const BORN_LEASE = 1

/**
 * How long an entry may have waited that is overtaken by one that is born leased. Without this a lane at a steady rate would
 * never get back from claims to hand-over: there is always one that waits for the claim that is under way. What waits for
 * longer is a backlog, and goes first.
 */
export const OVERTAKEN_MS_MAX = 100

const overtakable = (queries: Queries) => queries.part`now() - ${OVERTAKEN_MS_MAX}::int * interval '1 ms'`

/** Whose lease entries are born with. */
export type Offer = { processId: string; leaseMs: number }

/** Until a pool of the organization has this many in flight. */
export type Lending = { now: Date; inFlightMax: number }

/** Of a lane at most one borrows; any other that is not offered is to wait. */
export type RecordedInsert = EntryInsert & { sourceId: string; isOffered: boolean; isBorrowing: boolean }

/**
 * Whether an entry is born leased, as a lateral `born (is_granted, is_leased)`: where the grant of this process is still there
 * and nothing that is due waits in the lane, because what waits goes first; or where `isLent` says so. The look at what waits may be a moment old, which costs a
 * little fairness and nothing else. With a key, nothing of the same key may be there; the caller has locked what the key
 * stands for in an earlier statement, so that look is exact.
 *
 * `offset 0` keeps it from being worked out anew for every column, and `order by … limit 1` from being answered by a walk
 * through the table, which `exists` is where many entries of the lane are expected.
 */
export const bornOn = (
  queries: Queries,
  {
    orgId,
    laneId,
    orderKey,
    isOffered,
    isLent,
    processId,
  }: { orgId: unknown; laneId: unknown; orderKey?: unknown; isOffered: unknown; isLent?: unknown; processId: string },
) => queries.part`(
  select held.is_granted, held.is_granted or ${isLent ?? queries.part`false`} as is_leased from (select ${isOffered}
    and (select true from outbox_grants g where g.org_id = ${orgId} and g.lane_id = ${laneId} and g.process_id = ${processId}) is not null
    and coalesce((
      select w.due_at from outbox_entries w
      where w.org_id = ${orgId} and w.lane_id = ${laneId} and w.class = 0 and w.state = 'waiting'
      order by w.due_at, w.id limit 1) > ${overtakable(queries)}, true)
    ${
      orderKey === undefined
        ? queries.part``
        : queries.part`and (
            select k.id from outbox_entries k where k.org_id = ${orgId} and k.lane_id = ${laneId} and k.order_key = ${orderKey}
            order by k.position, k.id limit 1) is null`
    } as is_granted offset 0) held offset 0) born`

/** Whether nothing that is due waits in any of these lanes, as an expression. */
export const areClear = (queries: Queries, orgId: OrgId, laneIds: readonly string[]) => queries.part`not exists (
  select from unnest(${[...laneIds]}::text[]) as lane (id) cross join lateral (
    select w.due_at from outbox_entries w
    where w.org_id = ${orgId} and w.lane_id = lane.id and w.class = 0 and w.state = 'waiting'
    order by w.due_at, w.id limit 1) first
  where first.due_at <= ${overtakable(queries)})`

/** The columns of a lease, for entries with `born.is_leased`. */
export const leaseColumns = (queries: Queries) =>
  queries.part`state, attempt, lease_number, lease_until, leased_by, is_granted`

export const bornLease = (
  queries: Queries,
  { processId, leaseMs }: { processId: string; leaseMs: number },
) => queries.part`
  case when born.is_leased then 'leased' else 'waiting' end, case when born.is_leased then ${BORN_LEASE}::int else 0 end,
  case when born.is_leased then ${BORN_LEASE}::int else 0 end,
  case when born.is_leased then now() + ${leaseMs}::int * interval '1 ms' end,
  case when born.is_leased then ${processId} end, born.is_granted`

/**
 * Takes one slot in each of these lanes, if it is well, has room and nothing waits in it, for an entry that the same statement
 * records: what a claim of one would do. Yields `lent (lane_id)`, nothing unless `counter (is_followed)` says so. A lane that
 * is locked is left out: its entry waits for a claim.
 */
export const lendSlots = (
  queries: Queries,
  orgId: OrgId,
  { laneIds, now, inFlightMax }: Lending & { laneIds: readonly string[] },
) => queries.part`
  update outbox_lanes l set in_flight = l.in_flight + 1, served_at = ${now}
  where l.org_id = ${orgId} and l.id = any(array(
    select lane.id from outbox_lanes lane
    where lane.org_id = ${orgId} and lane.id = any(${[...laneIds]}::text[]) and (select is_followed from counter)
      and lane.state = 'open' and lane.breaker = 'closed' and lane.health ->> 'failingSinceMs' is null
      and lane.rate_per_second is null and lane.key_gap_ms = 0 and coalesce(lane.blocked_until <= ${now}, true)
      and lane.in_flight + lane.granted < lane.slots
      and (select coalesce(sum(busy.in_flight + busy.granted), 0) from outbox_lanes busy
        where busy.org_id = ${orgId} and busy.pool = lane.pool and busy.in_flight + busy.granted > 0) < ${inFlightMax}
      and coalesce((
        select w.due_at from outbox_entries w
        where w.org_id = ${orgId} and w.lane_id = lane.id and w.class = 0 and w.state = 'waiting'
        order by w.due_at, w.id limit 1) > ${overtakable(queries)}, true)
    for update skip locked))
  returning l.id as lane_id`

export const noneLent = (queries: Queries) => queries.part`select null::text as lane_id where false`

export const insertRecorded = (
  queries: Queries,
  orgId: OrgId,
  { entries, offer }: { entries: readonly RecordedInsert[]; offer: Offer },
) => {
  const trace = traceColumn(queries, entries)
  return queries.part`
  insert into outbox_entries as added (org_id, id, lane_id, job, order_key, position, payload, ${leaseColumns(queries)}${trace.name})
  select ${homeOrg(queries, orgId)}, entry.id, entry.lane_id, entry.job, entry.order_key, recorded.sequence, entry.payload::jsonb,
    ${bornLease(queries, offer)}${trace.name}
  from ${fromHome(queries, orgId)} counter, recorded, unnest(
    ${entries.map((entry) => entry.id)}::text[], ${entries.map((entry) => entry.laneId)}::text[],
    ${entries.map((entry) => entry.job)}::text[], ${entries.map((entry) => entry.orderKey)}::text[],
    ${entries.map((entry) => entry.payload)}::text[], ${entries.map((entry) => entry.sourceId)}::text[],
    ${entries.map((entry) => entry.isOffered)}::bool[], ${entries.map((entry) => entry.isBorrowing)}::bool[]${trace.list}
  ) as entry (id, lane_id, job, order_key, payload, source_id, is_offered, is_borrowing${trace.name})
  cross join lateral ${bornOn(queries, {
    orgId,
    laneId: queries.part`entry.lane_id`,
    isOffered: queries.part`entry.is_offered`,
    isLent: queries.part`(entry.is_borrowing and entry.lane_id in (select lane_id from lent))`,
    processId: offer.processId,
  })}
  where counter.is_followed and entry.source_id = recorded.id
  returning id, state`
}

export type EntryRow = {
  id: string
  lane_id: string
  org_id: OrgId
  job: string
  class: number
  state: EntryState
  order_key: string | null
  position: number
  due_at: Date
  enqueued_at: Date
  attempt: number
  lease_number: number
  lease_until: Date | null
  leased_by: string | null
  on_release: 'cancel' | 'hold' | null
  reason: string | null
  payload: unknown
}

const entryColumns = (db: Queries) => db.part`
  id, lane_id, org_id, job, class, state, order_key, position, due_at, enqueued_at, attempt, lease_number,
  lease_until, leased_by, on_release, reason, payload`

export const findEntry = (db: Queries, orgId: OrgId, id: string) => db.maybeOne<EntryRow>`
  select ${entryColumns(db)} from outbox_entries where org_id = ${orgId} and id = ${id}`

export const listEntryRows = (db: Queries, orgId: OrgId, ids: string[]) => db.many<EntryRow>`
  select ${entryColumns(db)} from outbox_entries where org_id = ${orgId} and id = any(${ids}::text[])`

export const listLaneRows = (db: Queries, lane: Lane, limit: number) => db.many<EntryRow>`
  select ${entryColumns(db)} from outbox_entries where ${entriesOfLane(db, lane)}
  order by due_at, id limit ${limit}`

export const listLeasedRows = (db: Queries, lane: Lane) => db.many<EntryRow>`
  select ${entryColumns(db)} from outbox_entries where ${ofLane(db, lane)} and state = 'leased'`

/** In the order they will leave. */
export const listKeyRows = (db: Queries, lane: Lane, { orderKey, limit }: { orderKey: string; limit: number }) =>
  db.many<EntryRow>`
    select ${entryColumns(db)} from outbox_entries
    where ${ofLane(db, lane)} and order_key = ${orderKey}
    order by position, id limit ${limit}`

export type KeyedRow = { id: string; lane_id: string; order_key: string | null }

export const listInFlight = (tx: Queries, lane: Lane, ids: string[]) => tx.many<{ id: string }>`
  select id from outbox_entries where id = any(${ids}::text[]) and ${ofLane(tx, lane)} and state = 'leased'`

export const listLeasedAmong = (db: Queries, orgId: OrgId, ids: string[]) => db.many<{ id: string }>`
  select id from outbox_entries where org_id = ${orgId} and id = any(${ids}::text[]) and state = 'leased'`

export const deleteIdle = (tx: Queries, lane: Lane, ids: string[]) => tx.many<KeyedRow>`
  delete from outbox_entries where ${ofLane(tx, lane)} and id = any(${ids}::text[]) and state <> 'leased'
  returning id, lane_id, order_key`

export const holdIdle = (tx: Queries, lane: Lane, ids: string[]) => tx.many<KeyedRow>`
  update outbox_entries set state = 'held'
  where ${ofLane(tx, lane)} and id = any(${ids}::text[]) and state in ('waiting', 'behind', 'held')
  returning id, lane_id, order_key`

/** The outcome of an entry in flight whose run has ended and that would run again. A cancellation stays one. */
export const markOnRelease = (
  tx: Queries,
  lane: Lane,
  { ids, onRelease }: { ids: string[]; onRelease: 'cancel' | 'hold' },
) => tx.many<{ id: string }>`
  update outbox_entries set on_release = case when on_release = 'cancel' then on_release else ${onRelease} end
  where ${ofLane(tx, lane)} and id = any(${ids}::text[]) and state = 'leased'
  returning id`

export const unmarkHold = (tx: Queries, lane: Lane, ids: string[] | null) => tx.many<{ id: string }>`
  update outbox_entries set on_release = null
  where ${ofLane(tx, lane)} and state = 'leased' and on_release = 'hold'
    and (${ids === null} or id = any(${ids ?? []}::text[]))
  returning id`

export const releaseHeld = (tx: Queries, lane: Lane, { ids, now }: { ids: string[] | null; now: Date }) =>
  tx.many<KeyedRow>`
    update outbox_entries set state = 'waiting', due_at = greatest(due_at, ${now})
    where ${ofLane(tx, lane)} and state = 'held' and (${ids === null} or id = any(${ids ?? []}::text[]))
    returning id, lane_id, order_key`

export type Rescheduling = { ids: string[]; dueAt: Date | null; class: number | null; isAttemptsReset: boolean }

export const rescheduleIdle = (tx: Queries, lane: Lane, change: Rescheduling) => tx.many<KeyedRow>`
  update outbox_entries
  set due_at = coalesce(${change.dueAt}, due_at),
      class = coalesce(${change.class}::smallint, class),
      attempt = case when ${change.isAttemptsReset} then 0 else attempt end
  where ${ofLane(tx, lane)} and id = any(${change.ids}::text[]) and state <> 'leased'
  returning id, lane_id, order_key`

/** Those that wait for a later moment, the earliest first. By class, as the index has them: else all that wait are read. */
export const hastenWaiting = (tx: Queries, lane: Lane, { limit, now }: { limit: number; now: Date }) =>
  tx.many<{ id: string }>`
    update outbox_entries set due_at = ${now}
    where org_id = ${lane.orgId} and id = any(array(
      select later.id from (values (0), (1), (2)) as classes (class)
      cross join lateral (
        select entry.id, entry.due_at from outbox_entries entry
        where entry.org_id = ${lane.orgId} and entry.lane_id = ${lane.id} and entry.class = classes.class and entry.state = 'waiting' and entry.due_at > ${now}
        order by entry.due_at, entry.id limit ${limit}) later
      order by later.due_at, later.id limit ${limit}))
    returning id`

/**
 * Says nothing that the join beside it does not say, but to the planner: joined alone, in a plan from a time when the table
 * was empty, all entries of the organization may be read to find these few.
 */
export const isOneOf = (queries: Queries, ids: readonly string[]) => queries.part`e.id = any(${[...ids]}::text[])`

/** Leased ones too: a key in flight must count as the new key. Those that have it already need not be written. */
export const rekeyEach = (tx: Queries, lane: Lane, keys: readonly { id: string; orderKey: string | null }[]) => tx.run`
  update outbox_entries e
  set order_key = given.order_key, state = case when e.state = 'behind' then 'waiting' else e.state end
  from unnest(${keys.map((key) => key.id)}::text[], ${keys.map((key) => key.orderKey)}::text[]) as given(id, order_key)
  where e.org_id = ${lane.orgId} and e.lane_id = ${lane.id} and e.id = given.id and ${isOneOf(
    tx,
    keys.map((key) => key.id),
  )}
    and (e.order_key is distinct from given.order_key or e.state = 'behind')`

export const rekeyLeased = (tx: Queries, lane: Lane, orderKey: string) => tx.run`
  update outbox_entries set order_key = ${orderKey}
  where ${ofLane(tx, lane)} and state = 'leased' and order_key is distinct from ${orderKey}`

export const findFirstOfKey = (db: Queries, lane: Lane, orderKey: string) => db.maybeOne<{ id: string }>`
  select id from outbox_entries where ${ofLane(db, lane)} and order_key = ${orderKey}
  order by (state = 'leased') desc, position, id limit 1`

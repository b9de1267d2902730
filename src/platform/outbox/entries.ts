import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../database/database.ts'
import { unparkKeys } from './ack.sql.ts'
import {
  BORN_LEASE,
  deleteIdle,
  type EntryInsert,
  type EntryRow,
  type EntryState,
  findEntry,
  findFirstOfKey,
  hastenWaiting,
  holdIdle,
  insertEntries,
  insertRecorded,
  type KeyedRow,
  type Lending,
  lendSlots,
  listEntryRows,
  listInFlight,
  listKeyRows,
  listLaneRows,
  listLeasedAmong,
  listLeasedRows,
  markOnRelease,
  noneLent,
  type Offer,
  rekeyEach,
  rekeyLeased,
  releaseHeld,
  rescheduleIdle,
  unmarkHold,
} from './entries.sql.ts'
import { traceEnqueued } from './entry-traces.ts'
import { type ClaimedEntry, classAt, classNumber, type EntryClass } from './job.ts'
import { findLane, type Lane, type LaneRow, lockLanes } from './lanes.sql.ts'
import { findLater, insertLater, type LaterRow, recallIds, recallSome } from './later.sql.ts'
import { keysOf } from './maintenance.sql.ts'
import { LATER_PACE } from './maintenance-tasks.ts'

/**
 * Putting work into the outbox, and changing one's mind about it. Everything but `enqueue` locks the lane, so what it
 * answers is settled: an id in `inFlight` was being run at that moment, any other was not and now never will be.
 */
export type NewEntry = {
  /** The capability's own id of the work. One that is still in the outbox is left as it is. */
  id: string
  laneId: string
  orgId: OrgId
  job: string
  class?: EntryClass
  /** Entries of one key leave one at a time, in order of position and then id. A constant key orders the whole lane. */
  orderKey?: string
  position?: number
  /** The database's own time when absent. */
  dueAt?: Date
  /** Attempts that were made before it came here: the first one here has the next number of the schedule. */
  attempt?: number
  /** Small: 8 KiB at most. */
  payload?: unknown
  /** The trace it belongs to, where that is not the one of the work that enqueues it. */
  traceparent?: string | null
}

/**
 * In the caller's transaction, and sent at once. Answers with how many are new. Wake the outbox for the organization after
 * the commit.
 */
export async function enqueue(tx: Queries, entries: NewEntry[]): Promise<number> {
  const byOrg = Map.groupBy(entries, (entry) => entry.orgId)
  const added = await Promise.all([...byOrg].map(([orgId, ofOrg]) => insertEntries(tx, orgId, ofOrg.map(insertOf))))
  return added.reduce((sum, count) => sum + count, 0)
}

/**
 * The same for work whose time is far away, mostly: what is not due for a while is stored aside at once (maintenance-tasks.ts). Without
 * keys; what has one is stored with the others.
 */
export async function enqueueAhead(tx: Queries, entries: NewEntry[], now: Date): Promise<void> {
  const isFar = ({ dueAt, orderKey }: NewEntry) =>
    orderKey === undefined && dueAt !== undefined && dueAt.getTime() - now.getTime() > LATER_PACE.asideAfterMs
  const far = Map.groupBy(entries.filter(isFar), (entry) => entry.orgId)
  await Promise.all([
    enqueue(
      tx,
      entries.filter((entry) => !isFar(entry)),
    ),
    ...[...far].map(([orgId, ofOrg]) => insertLater(tx, orgId, ofOrg.map(insertOf))),
  ])
}

const insertOf = (entry: Omit<NewEntry, 'orgId'>): EntryInsert => tracedInsertOf(entry, traceEnqueued(entry))

const tracedInsertOf = (entry: Omit<NewEntry, 'orgId'>, traceparent: string | null): EntryInsert => ({
  id: entry.id,
  laneId: entry.laneId,
  job: entry.job,
  class: classNumber(entry.class ?? 'fresh'),
  orderKey: entry.orderKey ?? null,
  position: entry.position ?? 0,
  dueAt: entry.dueAt ?? null,
  attempt: entry.attempt ?? 0,
  payload: JSON.stringify(entry.payload ?? {}),
  traceparent,
})

/**
 * One about a row that the same statement records. Where a slot is reserved for it (grants.ts), it is offered to this process;
 * where not, the first of a lane may borrow one.
 */
export type RecordedEntry = Omit<NewEntry, 'orgId'> & { sourceId: string; isOffered: boolean; isBorrowing: boolean }

/**
 * The same as parts of a statement, `lent` and `entries`: for each entry that has its source among `recorded (id, sequence)`,
 * provided that `counter (is_followed)` says so. Its position is the sequence. `entries (id, state)`: those that are `leased`
 * are this process's to run after the commit.
 */
export const recordedEntries = (
  queries: Queries,
  orgId: OrgId,
  { entries, offer, lending }: { entries: readonly RecordedEntry[]; offer: Offer; lending: Lending },
) => {
  const laneIds = entries.flatMap(({ laneId, isBorrowing }) => (isBorrowing ? [laneId] : []))
  const rows = entries.map(({ sourceId, isOffered, isBorrowing, ...entry }) => ({
    // The caller has traced it already: a run that is handed over begins with what is passed to `bornEntry`.
    ...tracedInsertOf(entry, entry.traceparent ?? null),
    ...{ sourceId, isOffered, isBorrowing },
  }))
  const lent = laneIds.length === 0 ? noneLent(queries) : lendSlots(queries, orgId, { laneIds, ...lending })
  return queries.part`lent as (${lent}), entries as (${insertRecorded(queries, orgId, { entries: rows, offer })})`
}

/** One that was born leased, as its run gets it. */
export const bornEntry = (
  entry: NewEntry,
  { leaseMs, now, isLent = false }: { leaseMs: number; now: Date; isLent?: boolean },
): ClaimedEntry => ({
  id: entry.id,
  laneId: entry.laneId,
  orgId: entry.orgId,
  job: entry.job,
  class: 'fresh',
  orderKey: entry.orderKey ?? null,
  payload: entry.payload ?? {},
  attempt: 1,
  leaseNumber: BORN_LEASE,
  isProbe: false,
  enqueuedAt: now,
  dueAt: now,
  claimedAt: now,
  leaseMs,
  throttledMs: 0,
  isGranted: !isLent,
  isLent,
  traceparent: entry.traceparent ?? null,
})

/** For statements of hot paths that write entries as one of their parts. */
export { areClear, bornLease, bornOn, leaseColumns, type Offer } from './entries.sql.ts'
export { traceEnqueued } from './entry-traces.ts'

export type EntryChange = { changed: string[]; inFlight: string[] }

/**
 * Takes entries out. One in flight may still succeed; it will not be tried again. The caller records the cancellation in the
 * same transaction.
 */
export async function cancelEntries(tx: Tx, lane: Lane, ids: string[]): Promise<EntryChange> {
  await lockWith(tx, lane, ids)
  const [changed, inFlight] = await Promise.all([
    deleteIdle(tx, lane, ids),
    markOnRelease(tx, lane, { ids, onRelease: 'cancel' }),
  ])
  return settleChange(tx, lane, { changed, inFlight })
}

/** Keeps entries where they are until released. A held entry still blocks the later ones of its key. */
export async function holdEntries(tx: Tx, lane: Lane, ids: string[]): Promise<EntryChange> {
  await lockWith(tx, lane, ids)
  const [changed, inFlight] = await Promise.all([
    holdIdle(tx, lane, ids),
    markOnRelease(tx, lane, { ids, onRelease: 'hold' }),
  ])
  return settleChange(tx, lane, { changed, inFlight })
}

/** Lets held entries go, all of the lane's when no ids are given; and cancels the request to hold what is in flight. */
export async function releaseEntries(tx: Tx, lane: Lane, ids: string[] | null, now: Date): Promise<EntryChange> {
  await lockLanes(tx, lane.orgId, [lane.id])
  const [changed, inFlight] = await Promise.all([releaseHeld(tx, lane, { ids, now }), unmarkHold(tx, lane, ids)])
  return settleChange(tx, lane, { changed, inFlight })
}

export type EntryReschedule = { dueAt?: Date; class?: EntryClass; isAttemptsReset?: boolean }

/** Due at another time (now, to try at once), or in another class. What is in flight is left alone. */
export async function rescheduleEntries(
  tx: Tx,
  lane: Lane,
  { ids, ...change }: EntryReschedule & { ids: string[] },
): Promise<EntryChange> {
  await lockWith(tx, lane, ids)
  const entryClass = change.class === undefined ? null : classNumber(change.class)
  const isAttemptsReset = change.isAttemptsReset ?? false
  const [changed, inFlight] = await Promise.all([
    rescheduleIdle(tx, lane, { ids, dueAt: change.dueAt ?? null, class: entryClass, isAttemptsReset }),
    listInFlight(tx, lane, ids),
  ])
  return settleChange(tx, lane, { changed, inFlight })
}

/** Makes due now what waits for a later moment, the earliest first, up to a limit. Answers with their ids. */
export async function hastenEntries(
  tx: Tx,
  lane: Lane,
  { limit, now }: { limit: number; now: Date },
): Promise<string[]> {
  await lockLanes(tx, lane.orgId, [lane.id])
  await recallSome(tx, lane, limit)
  const hastened = await hastenWaiting(tx, lane, { limit, now })
  return hastened.map((row) => row.id)
}

export type EntryKey = { id: string; orderKey: string | null }

/**
 * Gives entries another key, or none: for a lane whose owner changes the order it keeps. A lane may hold any number, so the
 * owner comes with a page of them at a time, and pauses the lane until all have their new key. Those that are not in this
 * lane are left alone.
 */
export async function rekeyEntries(tx: Tx, lane: Lane, keys: readonly EntryKey[]): Promise<void> {
  await lockWith(
    tx,
    lane,
    keys.map(({ id }) => id),
  )
  await rekeyEach(tx, lane, keys)
}

/** All that is being run at this moment counts under one key. */
export async function rekeyInFlight(tx: Tx, lane: Lane, orderKey: string): Promise<void> {
  await lockLanes(tx, lane.orgId, [lane.id])
  await rekeyLeased(tx, lane, orderKey)
}

/** Those that were put aside come back first. */
async function lockWith(tx: Tx, lane: Lane, ids: readonly string[]): Promise<void> {
  await lockLanes(tx, lane.orgId, [lane.id])
  await recallIds(tx, lane, ids)
}

async function settleChange(
  tx: Tx,
  { orgId }: Lane,
  { changed, inFlight }: { changed: KeyedRow[]; inFlight: { id: string }[] },
): Promise<EntryChange> {
  await unparkKeys(tx, orgId, keysOf(changed))
  return { changed: changed.map((row) => row.id), inFlight: inFlight.map((row) => row.id) }
}

export type Entry = {
  id: string
  laneId: string
  orgId: OrgId
  job: string
  class: EntryClass
  state: EntryState
  orderKey: string | null
  position: number
  dueAt: Date
  enqueuedAt: Date
  attempt: number
  leaseNumber: number
  leaseUntil: Date | null
  leasedBy: string | null
  reason: string | null
  payload: unknown
}

/** Which of these there are, as they stay until the commit: the lanes, which must be theirs, are locked. */
export async function lockEntries(
  tx: Tx,
  orgId: OrgId,
  { laneIds, ids }: { laneIds: string[]; ids: string[] },
): Promise<Entry[]> {
  await lockLanes(tx, orgId, laneIds)
  for (const id of laneIds) await recallIds(tx, { orgId, id }, ids)
  return (await listEntryRows(tx, orgId, ids)).map(entryOf)
}

export async function listLaneEntries(db: Queries, lane: Lane, limit: number): Promise<Entry[]> {
  return (await listLaneRows(db, lane, limit)).map(entryOf)
}

/** What is being run at this moment: never more than the lane has slots. */
export async function listLeasedEntries(db: Queries, lane: Lane): Promise<Entry[]> {
  return (await listLeasedRows(db, lane)).map(entryOf)
}

/** Which of these are being run at this moment, as of one look. */
export async function inFlightAmong(db: Queries, orgId: OrgId, ids: string[]): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : (await listLeasedAmong(db, orgId, ids)).map((row) => row.id))
}

/** In the order they will leave. */
export async function listKeyEntries(
  db: Queries,
  lane: Lane,
  { orderKey, limit }: { orderKey: string; limit: number },
): Promise<Entry[]> {
  return (await listKeyRows(db, lane, { orderKey, limit })).map(entryOf)
}

export type WaitReason =
  | 'in_flight'
  | 'held'
  | 'lane_missing'
  | 'lane_paused'
  | 'lane_closed'
  | 'breaker_open'
  | 'lane_blocked'
  | 'throttled'
  | 'behind_other'
  | 'not_due'
  | 'lane_full'
  | 'ready'

export type EntryExplanation = {
  entry: Entry
  /** Why it is not running right now: the outermost reason, the one to look at first. */
  reason: WaitReason
  /** When that reason ends, where the outbox knows. */
  until: Date | null
  detail: string | null
  behindEntryId: string | null
}

export async function explainEntry(
  db: Queries,
  { orgId, id }: { orgId: OrgId; id: string },
  now: Date,
): Promise<EntryExplanation | null> {
  const row = (await findEntry(db, orgId, id)) ?? asideOf(orgId, await findLater(db, orgId, id))
  if (!row) return null
  const at = { orgId, id: row.lane_id }
  const lane = await findLane(db, at)
  const first = row.order_key === null ? null : await findFirstOfKey(db, at, row.order_key)
  const behindEntryId = first && first.id !== row.id ? first.id : null
  return { entry: entryOf(row), behindEntryId, ...reasonFor(row, lane, { now, behindEntryId }) }
}

const asideOf = (orgId: OrgId, row: LaterRow | null): EntryRow | null =>
  row && { ...row, org_id: orgId, state: 'waiting', lease_until: null, leased_by: null, on_release: null }

function reasonFor(
  row: EntryRow,
  lane: LaneRow | null,
  { now, behindEntryId }: { now: Date; behindEntryId: string | null },
): { reason: WaitReason; until: Date | null; detail: string | null } {
  type Detail = string | null
  const because = (reason: WaitReason, until: Date | null = null, detail: Detail = null) => ({ reason, until, detail })
  if (row.state === 'leased') return because('in_flight', row.lease_until)
  if (row.state === 'held') return because('held')
  if (!lane) return because('lane_missing')
  if (lane.state !== 'open')
    return because(lane.state === 'paused' ? 'lane_paused' : 'lane_closed', null, lane.state_reason)
  if (lane.blocked_until && lane.blocked_until > now)
    return because(blockReason(lane), lane.blocked_until, lane.blocked_reason)
  if (behindEntryId && lane.ordering === 'by_key') return because('behind_other')
  if (row.due_at > now) return because('not_due', row.due_at, row.reason)
  if (lane.in_flight + lane.granted >= lane.slots)
    return because(lane.breaker === 'closed' ? 'lane_full' : 'breaker_open')
  return because('ready')
}

function blockReason(lane: LaneRow): WaitReason {
  if (lane.blocked_reason === 'throttled') return 'throttled'
  return lane.blocked_reason === 'breaker_open' ? 'breaker_open' : 'lane_blocked'
}

const entryOf = (row: EntryRow): Entry => ({
  id: row.id,
  laneId: row.lane_id,
  orgId: row.org_id,
  job: row.job,
  class: classAt(row.class),
  state: row.state,
  orderKey: row.order_key,
  position: row.position,
  dueAt: row.due_at,
  enqueuedAt: row.enqueued_at,
  attempt: row.attempt,
  leaseNumber: row.lease_number,
  leaseUntil: row.lease_until,
  leasedBy: row.leased_by,
  reason: row.reason,
  payload: row.payload,
})

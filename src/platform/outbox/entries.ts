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
  listEntryRows,
  listInFlight,
  listKeyRows,
  listLaneRows,
  listLeasedAmong,
  listLeasedRows,
  markOnRelease,
  type Offer,
  rekeyEach,
  rekeyLeased,
  releaseHeld,
  rescheduleIdle,
  unmarkHold,
} from './entries.sql.ts'
import { type ClaimedEntry, classNumber, type EntryClass, entryClasses } from './job.ts'
import { findLane, type LaneRow } from './lanes.sql.ts'
import { lockLanes } from './outbox.sql.ts'
import { keysOf, refreshLanes } from './upkeep.sql.ts'

/**
 * Putting work into the outbox, and changing one's mind about it. Everything but `enqueue` locks the lane, so what it
 * answers is settled: an id in `inFlight` was being run at that moment, any other was not and now never will be.
 */
export type NewEntry = {
  /** The capability's own id of the work. One that is still in the outbox is left as it is. */
  id: string
  laneId: string
  orgId: string
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
}

/** In the caller's transaction. Answers with how many are new. Ring the outbox with the lanes after the commit. */
export async function enqueue(tx: Queries, entries: NewEntry[]): Promise<number> {
  if (entries.length === 0) return 0
  return insertEntries(tx, entries.map(insertOf))
}

const insertOf = (entry: NewEntry): EntryInsert => ({
  id: entry.id,
  laneId: entry.laneId,
  orgId: entry.orgId,
  job: entry.job,
  class: classNumber(entry.class ?? 'fresh'),
  orderKey: entry.orderKey ?? null,
  position: entry.position ?? 0,
  dueAt: entry.dueAt ?? null,
  attempt: entry.attempt ?? 0,
  payload: JSON.stringify(entry.payload ?? {}),
})

/** One about a row that the same statement records. Where a slot is reserved for it, it is offered to this process. */
export type RecordedEntry = NewEntry & { sourceId: string; isOffered: boolean }

/**
 * The same as a part of a statement: for each entry that has its source among `recorded (id, sequence)`, provided that
 * `counter (is_followed)` says so. Its position is the sequence. Yields (id, state): those that are `leased` are this
 * process's to run after the commit.
 */
export const recordedEntries = (queries: Queries, entries: readonly RecordedEntry[], offer: Offer) =>
  insertRecorded(
    queries,
    entries.map((entry) => ({ ...insertOf(entry), sourceId: entry.sourceId, isOffered: entry.isOffered })),
    offer,
  )

/** One that was born leased, as its run gets it. */
export const bornEntry = (entry: NewEntry, { leaseMs, now }: { leaseMs: number; now: Date }): ClaimedEntry => ({
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
  isGranted: true,
})

/** For a statement of a hot path that writes entries as one of its parts. */
export { areClear, bornLease, bornOn, leaseColumns, type Offer } from './entries.sql.ts'

export type EntryChange = { changed: string[]; inFlight: string[] }

/**
 * Takes entries out. One in flight may still succeed; it will not be tried again. Whoever cancels writes that down in the
 * same transaction.
 */
export async function cancelEntries(tx: Tx, laneId: string, ids: string[], now: Date): Promise<EntryChange> {
  await lockLanes(tx, [laneId])
  const [changed, inFlight] = await Promise.all([
    deleteIdle(tx, laneId, ids),
    markOnRelease(tx, laneId, { ids, onRelease: 'cancel' }),
  ])
  return settleChange(tx, laneId, { changed, inFlight, now })
}

/** Keeps entries where they are until released. A held entry still blocks the later ones of its key. */
export async function holdEntries(tx: Tx, laneId: string, ids: string[], now: Date): Promise<EntryChange> {
  await lockLanes(tx, [laneId])
  const [changed, inFlight] = await Promise.all([
    holdIdle(tx, laneId, ids),
    markOnRelease(tx, laneId, { ids, onRelease: 'hold' }),
  ])
  return settleChange(tx, laneId, { changed, inFlight, now })
}

/** Lets held entries go, all of the lane's when no ids are given; and takes back the wish to hold what is in flight. */
export async function releaseEntries(tx: Tx, laneId: string, ids: string[] | null, now: Date): Promise<EntryChange> {
  await lockLanes(tx, [laneId])
  const [changed, inFlight] = await Promise.all([releaseHeld(tx, laneId, { ids, now }), unmarkHold(tx, laneId, ids)])
  return settleChange(tx, laneId, { changed, inFlight, now })
}

export type EntryReschedule = { dueAt?: Date; class?: EntryClass; isAttemptsReset?: boolean }

/** Due at another time (now, to try at once), or in another class. What is in flight is left alone. */
export async function rescheduleEntries(
  tx: Tx,
  laneId: string,
  { ids, now, ...change }: EntryReschedule & { ids: string[]; now: Date },
): Promise<EntryChange> {
  await lockLanes(tx, [laneId])
  const entryClass = change.class === undefined ? null : classNumber(change.class)
  const isAttemptsReset = change.isAttemptsReset ?? false
  const [changed, inFlight] = await Promise.all([
    rescheduleIdle(tx, laneId, { ids, dueAt: change.dueAt ?? null, class: entryClass, isAttemptsReset }),
    listInFlight(tx, laneId, ids),
  ])
  return settleChange(tx, laneId, { changed, inFlight, now })
}

/** Makes due now what waits for a later moment, the earliest first, up to a limit. Answers with their ids. */
export async function hastenEntries(
  tx: Tx,
  laneId: string,
  { limit, now }: { limit: number; now: Date },
): Promise<string[]> {
  await lockLanes(tx, [laneId])
  const hastened = await hastenWaiting(tx, laneId, { limit, now })
  await refreshLanes(tx, [laneId], now)
  return hastened.map((row) => row.id)
}

export type EntryKey = { id: string; orderKey: string | null }

/**
 * Gives entries another key, or none: for a lane whose owner changes the order it keeps. A lane may hold any number, so the
 * owner comes with a page of them at a time, and pauses the lane until all have their new key. Those that are not in this
 * lane are left alone.
 */
export async function rekeyEntries(
  tx: Tx,
  laneId: string,
  { keys, now }: { keys: readonly EntryKey[]; now: Date },
): Promise<void> {
  await lockLanes(tx, [laneId])
  await rekeyEach(tx, laneId, keys)
  await refreshLanes(tx, [laneId], now)
}

/** All that is being run at this moment counts under one key. */
export async function rekeyInFlight(tx: Tx, laneId: string, orderKey: string): Promise<void> {
  await lockLanes(tx, [laneId])
  await rekeyLeased(tx, laneId, orderKey)
}

async function settleChange(
  tx: Tx,
  laneId: string,
  { changed, inFlight, now }: { changed: KeyedRow[]; inFlight: { id: string }[]; now: Date },
): Promise<EntryChange> {
  await Promise.all([unparkKeys(tx, keysOf(changed)), refreshLanes(tx, [laneId], now)])
  return { changed: changed.map((row) => row.id), inFlight: inFlight.map((row) => row.id) }
}

export type Entry = {
  id: string
  laneId: string
  orgId: string
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
export async function lockEntries(tx: Tx, laneIds: string[], ids: string[]): Promise<Entry[]> {
  await lockLanes(tx, laneIds)
  return (await listEntryRows(tx, ids)).map(entryOf)
}

export async function listLaneEntries(db: Queries, laneId: string, limit: number): Promise<Entry[]> {
  return (await listLaneRows(db, laneId, limit)).map(entryOf)
}

/** What is being run at this moment: never more than the lane has slots. */
export async function listLeasedEntries(db: Queries, laneId: string): Promise<Entry[]> {
  return (await listLeasedRows(db, laneId)).map(entryOf)
}

/** Which of these are being run at this moment, as far as one look tells. */
export async function inFlightAmong(db: Queries, ids: string[]): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : (await listLeasedAmong(db, ids)).map((row) => row.id))
}

/** In the order they will leave. */
export async function listKeyEntries(
  db: Queries,
  laneId: string,
  { orderKey, limit }: { orderKey: string; limit: number },
): Promise<Entry[]> {
  return (await listKeyRows(db, laneId, { orderKey, limit })).map(entryOf)
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

export async function explainEntry(db: Queries, id: string, now: Date): Promise<EntryExplanation | null> {
  const row = await findEntry(db, id)
  if (!row) return null
  const lane = await findLane(db, row.lane_id)
  const first = row.order_key === null ? null : await findFirstOfKey(db, row.lane_id, row.order_key)
  const behindEntryId = first && first.id !== row.id ? first.id : null
  return { entry: entryOf(row), behindEntryId, ...reasonFor(row, lane, { now, behindEntryId }) }
}

function reasonFor(
  row: EntryRow,
  lane: LaneRow | null,
  { now, behindEntryId }: { now: Date; behindEntryId: string | null },
): { reason: WaitReason; until: Date | null; detail: string | null } {
  const because = (reason: WaitReason, until: Date | null = null, detail: string | null = null) => ({
    reason,
    until,
    detail,
  })
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
  class: entryClasses[row.class] as EntryClass,
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

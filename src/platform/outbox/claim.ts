import type { OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Database, Tx } from '../database/database.ts'
import { limitLockWaits } from '../database/queries.ts'
import {
  beginClaim,
  type LaneRoom,
  type LaneServed,
  type LeasedRow,
  leaseEntries,
  lockTurn,
  moveServedLanes,
  type PutOffRow,
  TURNS,
  type TurnLaneRow,
  type TurnRow,
} from './claim.sql.ts'
import { decideRooms, nextTokenAt, type RoomLimits, tokensOf } from './claim-policy.ts'
import { revokeGrants } from './grants.sql.ts'
import { type ClaimedEntry, classAt, entryClasses, type Job } from './job.ts'
import { refreshLanes } from './maintenance.sql.ts'
import { fullDestinations, fullPools, type RunPlace } from './pools.ts'

/**
 * One claim, of one organization: lock the lanes whose turn it is, see who may go (claim-policy.ts), and lease that much. One
 * transaction in three round trips, nothing outside the database, at most `entriesMax` entries.
 */
export type ClaimRequest = RoomLimits & {
  orgId: OrgId
  jobs: ReadonlyMap<string, Job>
  processId: string
  lanesMax: number
}

export type Claim = {
  entries: ClaimedEntry[]
  /** Where the entries of each lane count. */
  places: ReadonlyMap<string, RunPlace>
  /** Whether to claim again at once: it moved something, and it was cut, full, or left something that is due. */
  isMoreLikely: boolean
  /** Something that is due waits for room in a pool or at a destination. */
  isHeldBack: boolean
  /** Another process is claiming for the organization, or a lane is locked: to be claimed again soon. */
  isContended: boolean
  /** Lanes where all that was looked at had to wait for an earlier entry of its key. */
  cloggedLaneIds: string[]
  /** When more of the organization is due. */
  nextAt: Date | null
}

/** An entry of a job this process does not know (a newer version enqueued it) is put back, so any lease will do. */
const UNKNOWN_JOB_LEASE_MS = 30_000

/** Lanes that are locked are left out; whatever else is in the way of a claim must not hold it up for long. */
const LOCK_MS = 500

const NOTHING: Claim = {
  entries: [],
  places: new Map(),
  isMoreLikely: false,
  isHeldBack: false,
  isContended: false,
  cloggedLaneIds: [],
  nextAt: null,
}

export function claimEntries(database: Database, request: ClaimRequest): Promise<Claim> {
  const { orgId, now } = request
  return database.transaction(async (tx) => {
    const isSharded = tx.isSharded()
    const [lock, turn] = await Promise.all([
      beginClaim(tx, orgId, { lockMs: LOCK_MS, isSharded }),
      lockTurn(tx, {
        ...request,
        fullPools: fullPools(request.room),
        fullDestinations: fullDestinations(request.room),
      }),
      isSharded && limitLockWaits(tx, LOCK_MS),
    ])
    if (!lock.is_locked) return { ...NOTHING, isContended: true }
    const lanes = turn.filter((row): row is TurnRow & TurnLaneRow => row.id !== null)
    const { wanted, is_held_back: isHeldBack, next_at: nextAt } = firstOf(turn)
    const isContended = lanes.length < wanted
    if (lanes.length === 0) return { ...NOTHING, isHeldBack, isContended, nextAt }
    const rooms = decideRooms(lanes, request)
    const rows = await lease(tx, rooms, request)
    const taken = Map.groupBy(
      rows.filter((row) => row.state === 'leased'),
      (row) => row.lane_id,
    )
    const served = lanes.map((lane) => servedLane(lane, taken.get(lane.id) ?? [], now))
    const moved = await moveServedLanes(tx, orgId, { lanes: served, now })
    await endGrantsOfBusy(tx, request, { lanes, moved })
    const cloggedLaneIds = findClogged(rows, taken)
    const isCut = rows.length >= request.entriesMax || wanted >= request.lanesMax || isFilled(lanes, taken, rooms)
    const isLeft = cloggedLaneIds.length > 0 || moved.some((lane) => lane.has_more)
    return {
      entries: claimedEntries(lanes, taken, request),
      places: new Map(lanes.map(({ id, pool, destination }) => [id, { pool, destination }])),
      isMoreLikely: rows.length > 0 && (isCut || isLeft),
      isHeldBack: isHeldBack || moved.some((lane) => lane.has_more),
      isContended,
      cloggedLaneIds,
      nextAt: earliest([nextAt, ...served.map(({ throttledUntil }) => throttledUntil)]),
    }
  })
}

const earliest = (times: (Date | null)[]): Date | null =>
  times.reduce((first, time) => (time !== null && (first === null || time < first) ? time : first), null)

/** Where more waits than a claim could take, slots that are kept for what comes next would stand idle. */
async function endGrantsOfBusy(
  tx: Tx,
  { orgId }: ClaimRequest,
  { lanes, moved }: { lanes: TurnLaneRow[]; moved: { id: string; has_more: boolean }[] },
): Promise<void> {
  const busy = new Set(moved.filter((lane) => lane.has_more).map(({ id }) => id))
  const laneIds = lanes.filter(({ id, granted }) => granted > 0 && busy.has(id)).map(({ id }) => id)
  if (laneIds.length === 0) return
  await revokeGrants(tx, orgId, { laneIds })
  await refreshLanes(tx, orgId, laneIds)
}

async function lease(tx: Tx, allRooms: LaneRoom[], request: ClaimRequest): Promise<(LeasedRow | PutOffRow)[]> {
  const jobs = [...request.jobs.values()]
  const rooms = allRooms.filter((room) => room.room > 0 && room.poolRoom > 0)
  if (rooms.length === 0) return []
  return leaseEntries(tx, {
    orgId: request.orgId,
    rooms,
    entriesMax: request.entriesMax,
    jobNames: jobs.map((job) => job.name),
    jobLeasesMs: jobs.map((job) => job.leaseMs),
    unknownLeaseMs: UNKNOWN_JOB_LEASE_MS,
    processId: request.processId,
    now: request.now,
  })
}

function servedLane(lane: TurnLaneRow, taken: LeasedRow[], now: Date): LaneServed {
  const bulkTaken = taken.filter((row) => entryClasses[row.class] === 'bulk').length
  const tokens = tokensOf(lane, now) - taken.length
  return {
    laneId: lane.id,
    taken: taken.length,
    bulkTaken,
    hasBulkRoom: lane.bulk_in_flight + bulkTaken < lane.bulk_concurrency_max,
    turn: (lane.turn + taken.length) % TURNS,
    tokens: Number.isFinite(tokens) ? tokens : null,
    throttledUntil: nextTokenAt(lane.rate_per_second, tokens, now),
  }
}

function claimedEntries(lanes: TurnLaneRow[], taken: Map<string, LeasedRow[]>, request: ClaimRequest): ClaimedEntry[] {
  return lanes.flatMap((lane) => (taken.get(lane.id) ?? []).map((row) => claimedEntry(row, lane, request)))
}

function claimedEntry(row: LeasedRow, lane: TurnLaneRow, { orgId, now, jobs }: ClaimRequest): ClaimedEntry {
  const throttledFrom = Math.max(row.due_at.getTime(), lane.throttled_at?.getTime() ?? now.getTime())
  return {
    id: row.id,
    laneId: row.lane_id,
    orgId,
    job: row.job,
    class: classAt(row.class),
    orderKey: row.order_key,
    payload: row.payload,
    attempt: row.attempt,
    leaseNumber: row.lease_number,
    isProbe: lane.breaker !== 'closed',
    enqueuedAt: row.enqueued_at,
    dueAt: row.due_at,
    claimedAt: now,
    leaseMs: jobs.get(row.job)?.leaseMs ?? UNKNOWN_JOB_LEASE_MS,
    throttledMs: Math.max(0, now.getTime() - throttledFrom),
    isGranted: false,
    isLent: false,
    traceparent: row.traceparent,
  }
}

/** Whether a pool got all that its organization may have. */
function isFilled(lanes: TurnLaneRow[], taken: Map<string, LeasedRow[]>, rooms: LaneRoom[]): boolean {
  return [...Map.groupBy(rooms, ({ pool }) => pool)].some(([pool, [first]]) => {
    const ofPool = lanes.filter((lane) => lane.pool === pool)
    return ofPool.reduce((sum, { id }) => sum + (taken.get(id)?.length ?? 0), 0) >= (first as LaneRoom).poolRoom
  })
}

function findClogged(rows: (LeasedRow | PutOffRow)[], taken: Map<string, LeasedRow[]>): string[] {
  const parked = rows.filter((row) => row.state === 'behind' && !taken.has(row.lane_id))
  return [...new Set(parked.map((row) => row.lane_id))]
}

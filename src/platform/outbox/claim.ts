import type { Database, Tx } from '../database/database.ts'
import { decideRooms, type RoomLimits, tokensOf } from './claim-policy.ts'
import { revokeGrants } from './grants.sql.ts'
import type { ClaimedEntry, EntryClass, Job } from './job.ts'
import { entryClasses } from './job.ts'
import { nextTokenAt } from './lane-rate.ts'
import {
  findNextWake,
  type LaneRoom,
  type LaneServed,
  type LeasedRow,
  leaseEntries,
  lockReadyLanes,
  moveServedLanes,
  type PutOffRow,
  type ReadyLaneRow,
  rouseLanes,
  settlePlans,
  TURNS,
  wakeDueLanes,
} from './outbox.sql.ts'
import { fullDestinations, fullPools, type RunPlace } from './process-room.ts'
import { reserveTenants } from './tenants.ts'
import { refreshLanes } from './upkeep.sql.ts'

/**
 * One claim: lock the lanes whose turn it is, see who may go (claim-policy.ts), lease that much, and put each lane where it
 * now belongs. One transaction, nothing outside the database, at most `entriesMax` entries.
 */
export type ClaimRequest = RoomLimits & {
  jobs: ReadonlyMap<string, Job>
  processId: string
  lanesMax: number
  /** Lanes that were said to have new work. */
  toldLaneIds: string[]
  /** Shares (organization and pool) that sit this claim out, as earlier claims said. */
  skipShares: string[]
}

export type Claim = {
  entries: ClaimedEntry[]
  /** Where the entries of each lane count. */
  places: ReadonlyMap<string, RunPlace>
  /**
   * Whether to claim again at once: it moved something, and it was cut, full, or left one of its lanes ready. Work that is
   * added later rings.
   */
  isMoreLikely: boolean
  /**
   * Shares whose cap cut this claim, or for whom another process is claiming right now. Their other ready lanes lead the
   * queue and would hide everyone else, so they sit out the following claims until one is not cut.
   */
  cutShares: string[]
  /** Lanes where all that was looked at had to wait for an earlier entry of its key. */
  cloggedLaneIds: string[]
  /** Of the lanes that were said to have new work, those that are locked elsewhere: to be claimed from again. */
  lockedLaneIds: string[]
  lanes: number
  /** Another process is claiming for a tenant we wanted. */
  isContended: boolean
  nextWakeAt: Date | null
}

/** An entry of a job this process does not know (a newer version enqueued it) is put back, so any lease will do. */
const UNKNOWN_JOB_LEASE_MS = 30_000

/** Lanes that are locked are left out; whatever else is in the way of a claim must not hold up everyone's. */
const LOCK_MS = 500

const NOTHING = {
  entries: [],
  places: new Map(),
  isMoreLikely: false,
  cutShares: [],
  cloggedLaneIds: [],
  lanes: 0,
  isContended: false,
}

export function claimEntries(database: Database, request: ClaimRequest): Promise<Claim> {
  return database.transaction(async (tx) => {
    const { lanes, lockedLaneIds } = await lockTurn(tx, request)
    if (lanes.length === 0) return { ...NOTHING, lockedLaneIds, nextWakeAt: (await findNextWake(tx)).wakes_at }
    const loads = await reserveTenants(tx, lanes, request.now)
    const reachable = lanes.filter((lane) => loads.has(lane.share))
    const rooms = decideRooms(reachable, loads, request)
    const rows = await lease(tx, rooms, request)
    const taken = Map.groupBy(
      rows.filter((row) => row.state === 'leased'),
      (row) => row.lane_id,
    )
    const served = reachable.map((lane) => servedLane(lane, taken.get(lane.id) ?? [], request.now))
    const [moved, wake] = await Promise.all([moveServedLanes(tx, served, request.now), findNextWake(tx)])
    await endGrantsOfBusy(tx, { lanes: reachable, moved, now: request.now })
    const cutShares = findCutShares(lanes, taken, rooms)
    const cloggedLaneIds = findClogged(rows, taken)
    const isCut = rows.length >= request.entriesMax || lanes.length >= request.lanesMax || cutShares.length > 0
    const isLeft = cloggedLaneIds.length > 0 || moved.some((lane) => lane.is_ready)
    return {
      entries: claimedEntries(lanes, taken, request),
      places: new Map(reachable.map(({ id, pool, destination }) => [id, { pool, destination }])),
      isMoreLikely: rows.length > 0 && (isCut || isLeft),
      cutShares,
      cloggedLaneIds,
      lockedLaneIds,
      lanes: lanes.length,
      isContended: reachable.length < lanes.length,
      nextWakeAt: wake.wakes_at,
    }
  })
}

/** Where more waits than a claim could take, slots that are kept for what comes next would stand idle. */
async function endGrantsOfBusy(
  tx: Tx,
  { lanes, moved, now }: { lanes: ReadyLaneRow[]; moved: { id: string; is_ready: boolean }[]; now: Date },
): Promise<void> {
  const busy = new Set(moved.filter((lane) => lane.is_ready).map(({ id }) => id))
  const laneIds = lanes.filter(({ id, granted }) => granted > 0 && busy.has(id)).map(({ id }) => id)
  if (laneIds.length === 0) return
  await revokeGrants(tx, laneIds)
  await refreshLanes(tx, laneIds, now)
}

async function lockTurn(
  tx: Tx,
  request: ClaimRequest,
): Promise<Pick<Claim, 'lockedLaneIds'> & { lanes: ReadyLaneRow[] }> {
  const { toldLaneIds, now } = request
  const [, locked, , lanes] = await Promise.all([
    settlePlans(tx, LOCK_MS),
    toldLaneIds.length > 0 ? rouseLanes(tx, toldLaneIds, now) : [],
    wakeDueLanes(tx, now),
    lockReadyLanes(tx, {
      ...request,
      fullPools: fullPools(request.room),
      fullDestinations: fullDestinations(request.room),
    }),
  ])
  return { lanes, lockedLaneIds: locked.map((row) => row.id) }
}

async function lease(tx: Tx, allRooms: LaneRoom[], request: ClaimRequest): Promise<(LeasedRow | PutOffRow)[]> {
  const jobs = [...request.jobs.values()]
  const rooms = allRooms.filter((room) => room.room > 0 && room.shareRoom > 0)
  if (rooms.length === 0) return []
  return leaseEntries(tx, {
    rooms,
    entriesMax: request.entriesMax,
    jobNames: jobs.map((job) => job.name),
    jobLeasesMs: jobs.map((job) => job.leaseMs),
    unknownLeaseMs: UNKNOWN_JOB_LEASE_MS,
    processId: request.processId,
    now: request.now,
  })
}

function servedLane(lane: ReadyLaneRow, taken: LeasedRow[], now: Date): LaneServed {
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

function claimedEntries(lanes: ReadyLaneRow[], taken: Map<string, LeasedRow[]>, request: ClaimRequest): ClaimedEntry[] {
  return lanes.flatMap((lane) => (taken.get(lane.id) ?? []).map((row) => claimedEntry(row, lane, request)))
}

function claimedEntry(row: LeasedRow, lane: ReadyLaneRow, { now, jobs }: ClaimRequest): ClaimedEntry {
  const throttledFrom = Math.max(row.due_at.getTime(), lane.throttled_at?.getTime() ?? now.getTime())
  return {
    id: row.id,
    laneId: row.lane_id,
    orgId: lane.org_id,
    job: row.job,
    class: entryClasses[row.class] as EntryClass,
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
  }
}

function findCutShares(lanes: ReadyLaneRow[], taken: Map<string, LeasedRow[]>, rooms: LaneRoom[]): string[] {
  const shareRooms = new Map(rooms.map(({ share, shareRoom }) => [share, shareRoom]))
  const takenByShare = new Map<string, number>()
  for (const { id, share } of lanes)
    takenByShare.set(share, (takenByShare.get(share) ?? 0) + (taken.get(id)?.length ?? 0))
  return [...takenByShare].filter(([share, count]) => count >= (shareRooms.get(share) ?? 0)).map(([share]) => share)
}

function findClogged(rows: (LeasedRow | PutOffRow)[], taken: Map<string, LeasedRow[]>): string[] {
  const parked = rows.filter((row) => row.state === 'behind' && !taken.has(row.lane_id))
  return [...new Set(parked.map((row) => row.lane_id))]
}

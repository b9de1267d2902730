import type { Database, Tx } from '../database/database.ts'
import type { ClaimedEntry, EntryClass, Job } from './job.ts'
import { entryClasses } from './job.ts'
import { countTokens, nextTokenAt } from './lane-rate.ts'
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
  sumTenantsInFlight,
  TURNS,
  tryLockTenants,
  wakeDueLanes,
} from './outbox.sql.ts'

/**
 * One claim: lock the lanes whose turn it is, see how much room lane and tenant leave, lease that much, and put each lane
 * where it now belongs. One transaction, nothing outside the database, at most `entriesMax` entries.
 */
export type ClaimRequest = {
  jobs: ReadonlyMap<string, Job>
  processId: string
  entriesMax: number
  lanesMax: number
  tenantInFlightMax: number
  /** Lanes that were said to have new work. */
  toldLaneIds: string[]
  /** Tenants that sit this claim out, as earlier claims told. */
  skipOrgs: string[]
  /** Lanes to look further into, as the last claim told. */
  cloggedLaneIds: ReadonlySet<string>
  now: Date
}

export type Claim = {
  entries: ClaimedEntry[]
  /** Whether it moved anything at all; a claim that did not should not be repeated at once. */
  isProductive: boolean
  /**
   * Tenants whose cap cut this claim, or for whom another process is claiming right now. Their other ready lanes lead the
   * queue and would hide everyone else, so they sit out the following claims until one is not cut.
   */
  cutOrgs: string[]
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

/** An ordered lane looks at twice what it has room for, and this much further where it found nothing to take. */
const LOOKAHEAD_CLOGGED = 256

/** Lanes that are locked are left out; whatever else is in the way of a claim must not hold up everyone's. */
const LOCK_MS = 500

const NOTHING = { entries: [], isProductive: false, cutOrgs: [], cloggedLaneIds: [], lanes: 0, isContended: false }

export function claimEntries(database: Database, request: ClaimRequest): Promise<Claim> {
  return database.transaction(async (tx) => {
    const { lanes, lockedLaneIds } = await lockTurn(tx, request)
    if (lanes.length === 0) return { ...NOTHING, lockedLaneIds, nextWakeAt: (await findNextWake(tx)).wakes_at }
    const tenantRooms = await reserveTenants(tx, lanes, request.tenantInFlightMax)
    const reachable = lanes.filter((lane) => tenantRooms.has(lane.org_id))
    const shareMax = Math.ceil((2 * request.entriesMax) / lanes.length)
    const rooms = reachable.map((lane) =>
      roomOf(lane, { orgRoom: tenantRooms.get(lane.org_id) as number, shareMax, request }),
    )
    const rows = await lease(tx, rooms, request)
    const taken = Map.groupBy(
      rows.filter((row) => row.state === 'leased'),
      (row) => row.lane_id,
    )
    const served = reachable.map((lane) => servedLane(lane, taken.get(lane.id) ?? [], request.now))
    const [, wake] = await Promise.all([moveServedLanes(tx, served, request.now), findNextWake(tx)])
    return {
      entries: claimedEntries(lanes, taken, request),
      isProductive: rows.length > 0,
      cutOrgs: findCutOrgs(lanes, taken, tenantRooms),
      cloggedLaneIds: findClogged(rows, taken),
      lockedLaneIds,
      lanes: lanes.length,
      isContended: reachable.length < lanes.length,
      nextWakeAt: wake.wakes_at,
    }
  })
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
    lockReadyLanes(tx, request),
  ])
  return { lanes, lockedLaneIds: locked.map((row) => row.id) }
}

/** The room each tenant has left. A tenant another process is claiming for right now is not in the answer. */
async function reserveTenants(tx: Tx, lanes: ReadyLaneRow[], inFlightMax: number): Promise<Map<string, number>> {
  const orgIds = [...new Set(lanes.map((lane) => lane.org_id))]
  const [locks, sums] = await Promise.all([tryLockTenants(tx, orgIds), sumTenantsInFlight(tx, orgIds)])
  const inFlight = new Map(sums.map((sum) => [sum.org_id, sum.in_flight]))
  const locked = locks.filter((lock) => lock.is_locked)
  return new Map(locked.map(({ org_id }) => [org_id, Math.max(0, inFlightMax - (inFlight.get(org_id) ?? 0))]))
}

type RoomLimits = { orgRoom: number; shareMax: number; request: ClaimRequest }

/** Never more than twice a lane's share of the claim is looked at: with many lanes ready, each gives a little. */
function roomOf(lane: ReadyLaneRow, { orgRoom, shareMax, request }: RoomLimits): LaneRoom {
  const room = Math.min(lane.slots - lane.in_flight, Math.floor(tokensOf(lane, request.now)), shareMax)
  const isOrdered = lane.ordering === 'by_key'
  const lookahead = request.cloggedLaneIds.has(lane.id) ? LOOKAHEAD_CLOGGED : room
  return {
    laneId: lane.id,
    orgId: lane.org_id,
    orgRoom,
    room,
    bulkRoom: Math.max(0, Math.min(room, lane.bulk_concurrency_max - lane.bulk_in_flight)),
    turn: lane.turn,
    isProbe: lane.breaker !== 'closed',
    isOrdered,
    lookahead: isOrdered ? lookahead : 0,
    keyGapMs: lane.key_gap_ms,
  }
}

const tokensOf = (lane: ReadyLaneRow, now: Date) =>
  countTokens({ ratePerSecond: lane.rate_per_second, tokens: lane.rate_tokens, measuredAt: lane.rate_at }, now)

async function lease(tx: Tx, allRooms: LaneRoom[], request: ClaimRequest): Promise<(LeasedRow | PutOffRow)[]> {
  const jobs = [...request.jobs.values()]
  const rooms = allRooms.filter((room) => room.room > 0 && room.orgRoom > 0)
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
  }
}

function findCutOrgs(
  lanes: ReadyLaneRow[],
  taken: Map<string, LeasedRow[]>,
  tenantRooms: Map<string, number>,
): string[] {
  const takenByOrg = new Map<string, number>()
  for (const { id, org_id } of lanes)
    takenByOrg.set(org_id, (takenByOrg.get(org_id) ?? 0) + (taken.get(id)?.length ?? 0))
  return [...takenByOrg].filter(([orgId, count]) => count >= (tenantRooms.get(orgId) ?? 0)).map(([orgId]) => orgId)
}

function findClogged(rows: (LeasedRow | PutOffRow)[], taken: Map<string, LeasedRow[]>): string[] {
  const parked = rows.filter((row) => row.state === 'behind' && !taken.has(row.lane_id))
  return [...new Set(parked.map((row) => row.lane_id))]
}

import type { Queries, Tx } from '../database/database.ts'
import { listLeasedRows } from './entries.sql.ts'
import { revokeGrants } from './grants.sql.ts'
import { blockUntil, firstConcurrency, type Pause, readMemory, slotsOf } from './lane-health.ts'
import {
  blockLane,
  cancelLeased,
  countPending,
  deleteEmptyLane,
  deletePending,
  findLane,
  hastenProbe,
  healLane,
  insertLane,
  type LaneRow,
  type LaneSettings,
  type LaneState,
  listFlowing,
  lockLane,
  moveLane,
  unblockLane,
  unparkLane,
  updateLaneSettings,
} from './lanes.sql.ts'
import type { Pool } from './pools.ts'
import { refreshLanes } from './upkeep.sql.ts'

/**
 * A lane is one other side: an endpoint, a business number, a payment account. Its owner makes it when it makes the
 * endpoint, and these functions are all the owner needs. Each takes the owner's transaction, and locks the lane's row, so
 * it is safe against a claim or an acknowledgement at the same moment. Call them before touching rows that the owner's
 * `record` also writes: an acknowledgement locks the lane first. After the commit, ring the outbox.
 *
 *   open ── pauseLane ──▶ paused ── resumeLane ──▶ open      entries stay; none is claimed; reopenLane leaves its health
 *   open, paused ── closeLane ──▶ closed                     the entries are cancelled, or held until resumeLane
 *   closed, without entries ── deleteLane ──▶ (gone)
 */
export type LaneId = string

const DEFAULTS: LaneSettings = {
  concurrencyMax: 8,
  bulkConcurrencyMax: 2,
  isAdaptive: true,
  hasBreaker: true,
  ordering: 'by_key',
  keyGapMs: 0,
  ratePerSecond: null,
  destination: null,
}

/** Without a pool its work counts as messages. */
export type LaneOptions = Partial<LaneSettings> & { id: LaneId; orgId: string; kind: string; pool?: Pool }

/** A lane that is there already keeps its settings. */
export async function ensureLane(tx: Queries, options: LaneOptions): Promise<void> {
  const lane = { pool: 'messages' as const, ...DEFAULTS, ...options }
  await insertLane(tx, { ...lane, concurrency: firstConcurrency(lane) })
}

export async function updateLane(tx: Tx, laneId: LaneId, change: Partial<LaneSettings>, now: Date): Promise<void> {
  const row = await mustLock(tx, laneId)
  const lane = { ...settingsOf(row), ...change }
  const wasAdaptive = row.is_adaptive && lane.isAdaptive
  const concurrency = wasAdaptive ? Math.min(row.concurrency, lane.concurrencyMax) : firstConcurrency(lane)
  const breaker = lane.hasBreaker ? row.breaker : 'closed'
  await revokeGrants(tx, [laneId])
  await updateLaneSettings(tx, laneId, { ...lane, concurrency, breaker, slots: slotsOf({ breaker, concurrency }), now })
  if (row.ordering !== lane.ordering) await unparkLane(tx, laneId)
  await refreshLanes(tx, [laneId], now)
}

/** For an owner who has to look before it changes anything: nobody else changes the lane until the commit. It may be gone. */
export async function holdLane(tx: Tx, laneId: LaneId): Promise<void> {
  await lockLane(tx, laneId)
}

/** Until a moment, or until somebody resumes it. What is in flight finishes; nothing else starts, nothing is lost. */
export async function pauseLane(
  tx: Tx,
  laneId: LaneId,
  { reason, until, now }: { reason: string; until?: Date; now: Date },
): Promise<void> {
  const row = await mustLock(tx, laneId)
  await revokeGrants(tx, [laneId])
  if (until) await block(tx, row, { until, reason })
  else await moveLane(tx, laneId, { state: 'paused', reason })
  await refreshLanes(tx, [laneId], now)
}

async function block(tx: Tx, row: LaneRow, pause: Pause): Promise<void> {
  const { breaker, concurrency, blocked_until: blockedUntil, blocked_reason: blockedReason } = row
  const before = { breaker, concurrency, blockedUntil, blockedReason, memory: readMemory(row.health) }
  const after = blockUntil(before, pause)
  await blockLane(tx, row.id, { until: after.blockedUntil, reason: after.blockedReason, memory: after.memory })
}

/** Opens a paused or closed lane, with a closed breaker and a small concurrency: whoever resumes says it is well again. */
export async function resumeLane(tx: Tx, laneId: LaneId, now: Date): Promise<void> {
  const row = await mustLock(tx, laneId)
  await moveLane(tx, laneId, { state: 'open', reason: null })
  await healLane(tx, laneId, firstConcurrency(settingsOf(row)))
  await refreshLanes(tx, [laneId], now)
}

/** Opens a paused lane as it was, breaker and all: for a pause that said nothing about the other side. */
export async function reopenLane(tx: Tx, laneId: LaneId, now: Date): Promise<void> {
  await mustLock(tx, laneId)
  await moveLane(tx, laneId, { state: 'open', reason: null })
  await refreshLanes(tx, [laneId], now)
}

/** Whatever it waits for is not waited for: a breaker that is open sends its probe now. */
export async function hurryLane(tx: Tx, laneId: LaneId, now: Date): Promise<void> {
  await mustLock(tx, laneId)
  await unblockLane(tx, laneId)
  await refreshLanes(tx, [laneId], now)
}

const AWAITED_PROBE_MS = 2_000

/**
 * Somebody waits for work of this lane, so an open breaker looks within seconds whether the other side is back, then again
 * after its shortest waits; and not more often, however many wait. True when it would have waited longer.
 */
export async function hurryProbe(db: Queries, laneId: LaneId, now: Date): Promise<boolean> {
  return (await hastenProbe(db, laneId, new Date(now.getTime() + AWAITED_PROBE_MS))) > 0
}

export { RETRY_AFTER } from './lane-health.ts'

/**
 * Until when the other side asked to be left alone; null where it did not, or somebody has lifted the pause. What a breaker
 * waits for beyond that is none of its asking.
 */
export async function leftAloneUntil(db: Queries, laneId: LaneId, now: Date): Promise<Date | null> {
  const row = await findLane(db, laneId)
  if (row === null || row.blocked_until === null || row.blocked_until <= now) return null
  const until = dateOrNull(readMemory(row.health).leftAloneUntilMs)
  return until !== null && until > now ? until : null
}

export type LaneClosing = { cancelled: number; inFlightIds: string[] }

/**
 * `cancel` ends everything that waits, and whatever is in flight will not be tried again; `hold` keeps it all for a later
 * resume. The owner writes its own rows in the same transaction.
 */
export async function closeLane(
  tx: Tx,
  laneId: LaneId,
  { pending, reason, now }: { pending: 'cancel' | 'hold'; reason: string; now: Date },
): Promise<LaneClosing> {
  await mustLock(tx, laneId)
  await revokeGrants(tx, [laneId])
  await moveLane(tx, laneId, { state: 'closed', reason })
  if (pending === 'hold') {
    await refreshLanes(tx, [laneId], now)
    return { cancelled: 0, inFlightIds: [] }
  }
  const [cancelled, inFlight] = [await deletePending(tx, laneId), await cancelLeased(tx, laneId)]
  await refreshLanes(tx, [laneId], now)
  return { cancelled, inFlightIds: inFlight.map((row) => row.id) }
}

/** False while it still has entries. */
export async function deleteLane(tx: Tx, laneId: LaneId): Promise<boolean> {
  await mustLock(tx, laneId)
  return (await deleteEmptyLane(tx, laneId)) === 1
}

/**
 * As long as a burst may take to leave through a busy process. With a second, what came late in a burst of fifty thousand was
 * written down one by one, at three times the cost, by the process that was behind already.
 */
const FLOWING_WAIT_MS = 5_000

/** Of these lanes, those where work is done as it comes: open, well, unblocked, and nothing fresh waits for long. */
export async function listFlowingLanes(db: Queries, laneIds: LaneId[], now: Date): Promise<Set<LaneId>> {
  const rows = await listFlowing(db, laneIds, { now, since: new Date(now.getTime() - FLOWING_WAIT_MS) })
  return new Set(rows.map((row) => row.id))
}

export const PENDING_COUNTED_MAX = 10_000

export type LaneStatus = {
  id: LaneId
  orgId: string
  kind: string
  state: LaneState
  stateReason: string | null
  settings: LaneSettings
  concurrency: number
  slots: number
  inFlight: number
  bulkInFlight: number
  breaker: LaneRow['breaker']
  blockedUntil: Date | null
  blockedReason: string | null
  failingSince: Date | null
  failuresSinceSuccess: number
  lastSuccessAt: Date | null
  /** Everything that is not in flight, counted up to PENDING_COUNTED_MAX. */
  pending: number
}

export async function laneStatus(db: Queries, laneId: LaneId, now: Date): Promise<LaneStatus | null> {
  const [row, pending, leased] = await Promise.all([
    findLane(db, laneId),
    countPending(db, laneId, PENDING_COUNTED_MAX),
    listLeasedRows(db, laneId),
  ])
  if (!row) return null
  const memory = readMemory(row.health)
  const isBlocked = row.blocked_until !== null && row.blocked_until > now
  return {
    id: row.id,
    orgId: row.org_id,
    kind: row.kind,
    state: row.state,
    stateReason: row.state_reason,
    settings: settingsOf(row),
    concurrency: row.concurrency,
    slots: row.slots,
    inFlight: leased.length,
    bulkInFlight: row.bulk_in_flight,
    breaker: row.breaker,
    blockedUntil: isBlocked ? row.blocked_until : null,
    blockedReason: isBlocked ? row.blocked_reason : null,
    failingSince: dateOrNull(memory.failingSinceMs),
    failuresSinceSuccess: memory.failuresSinceSuccess,
    lastSuccessAt: dateOrNull(memory.lastSuccessMs),
    pending,
  }
}

const dateOrNull = (ms: number | null) => (ms === null ? null : new Date(ms))

const settingsOf = (row: LaneRow): LaneSettings => ({
  concurrencyMax: row.concurrency_max,
  bulkConcurrencyMax: row.bulk_concurrency_max,
  isAdaptive: row.is_adaptive,
  hasBreaker: row.has_breaker,
  ordering: row.ordering,
  keyGapMs: row.key_gap_ms,
  ratePerSecond: row.rate_per_second,
  destination: row.destination,
})

async function mustLock(tx: Tx, laneId: LaneId): Promise<LaneRow> {
  const row = await lockLane(tx, laneId)
  if (!row) throw new Error(`no outbox lane ${laneId}`)
  return row
}

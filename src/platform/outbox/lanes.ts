import type { OrgId } from '../../kernel/ids.ts'
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
  type Lane,
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
import { countLater, deleteLater } from './later.sql.ts'
import { refreshLanes } from './maintenance.sql.ts'
import type { Pool } from './pools.ts'

/**
 * A lane is one destination: an endpoint, a business number, a payment account. Its owner creates it together with the
 * endpoint, and these functions are all the owner needs. Each takes the owner's transaction, and locks the lane's row, so
 * it is safe against a claim or an acknowledgement at the same moment. Call them before touching rows that the owner's
 * `record` also writes: an acknowledgement locks the lane first. After the commit, wake the outbox.
 *
 *   open ── pauseLane ──▶ paused ── resumeLane ──▶ open      entries stay; none is claimed; reopenLane leaves its health
 *   open, paused ── closeLane ──▶ closed                     the entries are cancelled, or held until resumeLane
 *   closed, without entries ── deleteLane ──▶ (gone)
 */
export type { Lane } from './lanes.sql.ts'

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
export type LaneOptions = Partial<LaneSettings> & { id: string; orgId: OrgId; kind: string; pool?: Pool }

/** A lane that is there already keeps its settings. */
export async function ensureLane(tx: Queries, options: LaneOptions): Promise<void> {
  const lane = { pool: 'messages' as const, ...DEFAULTS, ...options }
  await insertLane(tx, { ...lane, concurrency: firstConcurrency(lane) })
}

export async function updateLane(tx: Tx, lane: Lane, change: Partial<LaneSettings>, now: Date): Promise<void> {
  const row = await mustLock(tx, lane)
  const settings = { ...settingsOf(row), ...change }
  const wasAdaptive = row.is_adaptive && settings.isAdaptive
  const concurrency = wasAdaptive ? Math.min(row.concurrency, settings.concurrencyMax) : firstConcurrency(settings)
  const breaker = settings.hasBreaker ? row.breaker : 'closed'
  await revokeGrants(tx, lane.orgId, { laneIds: [lane.id] })
  const slots = slotsOf({ breaker, concurrency })
  await updateLaneSettings(tx, lane, { ...settings, concurrency, breaker, slots, now })
  if (row.ordering !== settings.ordering) await unparkLane(tx, lane)
  await refreshLanes(tx, lane.orgId, [lane.id])
}

/** For an owner who has to look before it changes anything: no other transaction changes the lane until the commit. It may be gone. */
export async function holdLane(tx: Tx, lane: Lane): Promise<void> {
  await lockLane(tx, lane)
}

/** Until a moment, or until it is resumed. What is in flight finishes; nothing else starts, nothing is lost. */
export async function pauseLane(
  tx: Tx,
  lane: Lane,
  { reason, until }: { reason: string; until?: Date },
): Promise<void> {
  const row = await mustLock(tx, lane)
  await revokeGrants(tx, lane.orgId, { laneIds: [lane.id] })
  if (until) await block(tx, row, { until, reason })
  else await moveLane(tx, lane, { state: 'paused', reason })
  await refreshLanes(tx, lane.orgId, [lane.id])
}

async function block(tx: Tx, row: LaneRow, pause: Pause): Promise<void> {
  const { breaker, concurrency, blocked_until: blockedUntil, blocked_reason: blockedReason } = row
  const before = { breaker, concurrency, blockedUntil, blockedReason, memory: readMemory(row.health) }
  const after = blockUntil(before, pause)
  await blockLane(
    tx,
    { orgId: row.org_id, id: row.id },
    { until: after.blockedUntil, reason: after.blockedReason, memory: after.memory },
  )
}

/** Opens a paused or closed lane, with a closed breaker and a small concurrency: the caller says it is well again. */
export async function resumeLane(tx: Tx, lane: Lane): Promise<void> {
  const row = await mustLock(tx, lane)
  await moveLane(tx, lane, { state: 'open', reason: null })
  await healLane(tx, lane, firstConcurrency(settingsOf(row)))
  await refreshLanes(tx, lane.orgId, [lane.id])
}

/** Opens a paused lane as it was, breaker and all: for a pause that said nothing about the other side. */
export async function reopenLane(tx: Tx, lane: Lane): Promise<void> {
  await mustLock(tx, lane)
  await moveLane(tx, lane, { state: 'open', reason: null })
  await refreshLanes(tx, lane.orgId, [lane.id])
}

/** Whatever it waits for is not waited for: a breaker that is open sends its probe now. */
export async function hurryLane(tx: Tx, lane: Lane): Promise<void> {
  await mustLock(tx, lane)
  await unblockLane(tx, lane)
  await refreshLanes(tx, lane.orgId, [lane.id])
}

const AWAITED_PROBE_MS = 2_000

/**
 * A request waits for work of this lane, so an open breaker looks within seconds whether the other side is back, then again
 * after its shortest waits; and not more often, however many wait. True when it would have waited longer.
 */
export async function hurryProbe(db: Queries, lane: Lane, now: Date): Promise<boolean> {
  return (await hastenProbe(db, lane, new Date(now.getTime() + AWAITED_PROBE_MS))) > 0
}

export { RETRY_AFTER } from './lane-health.ts'

/**
 * Until when the other side asked to be left alone; null where it did not, or the pause was lifted. The wait of an
 * open breaker does not count.
 */
export async function leftAloneUntil(db: Queries, lane: Lane, now: Date): Promise<Date | null> {
  const row = await findLane(db, lane)
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
  lane: Lane,
  { pending, reason }: { pending: 'cancel' | 'hold'; reason: string },
): Promise<LaneClosing> {
  await mustLock(tx, lane)
  await revokeGrants(tx, lane.orgId, { laneIds: [lane.id] })
  await moveLane(tx, lane, { state: 'closed', reason })
  if (pending === 'hold') {
    await refreshLanes(tx, lane.orgId, [lane.id])
    return { cancelled: 0, inFlightIds: [] }
  }
  const waiting = (await deletePending(tx, lane)) + (await deleteLater(tx, lane))
  const [cancelled, inFlight] = [waiting, await cancelLeased(tx, lane)]
  await refreshLanes(tx, lane.orgId, [lane.id])
  return { cancelled, inFlightIds: inFlight.map((row) => row.id) }
}

/** False while it still has entries. */
export async function deleteLane(tx: Tx, lane: Lane): Promise<boolean> {
  await mustLock(tx, lane)
  return (await deleteEmptyLane(tx, lane)) === 1
}

/**
 * As long as a burst may take to leave through a busy process. With a second, what came late in a burst of fifty thousand was
 * written down one by one, at three times the cost, by the process that was behind already.
 */
const FLOWING_WAIT_MS = 5_000

/** Of these lanes, those where work is done as it comes: open, well, unblocked, and nothing fresh waits for long. */
export async function listFlowingLanes(
  db: Queries,
  orgId: OrgId,
  { laneIds, now }: { laneIds: string[]; now: Date },
): Promise<Set<string>> {
  const rows = await listFlowing(db, orgId, { laneIds, now, since: new Date(now.getTime() - FLOWING_WAIT_MS) })
  return new Set(rows.map((row) => row.id))
}

export const PENDING_COUNTED_MAX = 10_000

export type LaneStatus = {
  id: string
  orgId: OrgId
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

export async function laneStatus(db: Queries, lane: Lane, now: Date): Promise<LaneStatus | null> {
  const [row, near, later, leased] = await Promise.all([
    findLane(db, lane),
    countPending(db, lane, PENDING_COUNTED_MAX),
    countLater(db, lane, PENDING_COUNTED_MAX),
    listLeasedRows(db, lane),
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
    pending: Math.min(PENDING_COUNTED_MAX, near + later),
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

async function mustLock(tx: Tx, lane: Lane): Promise<LaneRow> {
  const row = await lockLane(tx, lane)
  if (!row) throw new Error(`no outbox lane ${lane.id}`)
  return row
}

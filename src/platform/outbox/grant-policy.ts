import type { GrantLaneRow } from './grants.sql.ts'
import { readMemory } from './lane-health.ts'
import { halfOf } from './pools.ts'

/** Who may hold slots of a lane, and how many. Pure; grants.ts asks. */
export type GrantUse = {
  /** Slots of the grant that are in use at this moment. */
  used: number
  /** How long nothing was handed over. */
  idleMs: number
  /** How long the oldest run has been without an answer; 0 without one. */
  silentMs: number
}

const HELD_SHARE = 0.75
/** Below this a second token, of the claim, would be a burst. */
const RATE_MIN = 20
/** Longer than this between two events, and a lane is not worth holding. */
const IDLE_MS_MAX = 10_000
/** What does not answer for this long is the claim's to deal with: it knows what others wait for. */
const SILENT_MS_MAX = 1_000

/**
 * Three quarters of the lane's slots: the claim keeps the others for retries, other processes and what could not be handed over.
 * Only where nothing has to be asked at each start: an open lane that is well, in which nothing waits, and which was not paused and has no low rate. And only as
 * long as the grants of an organization leave half of its slots to claims. `inFlight` is what its pool has in all.
 */
export function slotsToHold(
  lane: GrantLaneRow,
  use: GrantUse,
  { inFlight, tenantInFlightMax, now }: { inFlight: number; tenantInFlightMax: number; now: Date },
): number {
  if (!isHoldable(lane, now) || lane.has_waiting || use.silentMs > SILENT_MS_MAX) return 0
  if (use.used === 0 && use.idleMs > IDLE_MS_MAX) return 0
  const own = lane.own_slots ?? 0
  const freeInLane = lane.slots - lane.in_flight - (lane.granted - own)
  const freeInPool = halfOf(tenantInFlightMax) - (inFlight - own)
  const wanted = Math.min(Math.floor(lane.slots * HELD_SHARE), freeInLane, freeInPool)
  return Math.max(0, wanted, Math.min(own, use.used))
}

/** The same share of the rate goes with the slots; null without a rate. */
export const rateToHold = (lane: GrantLaneRow): number | null =>
  lane.rate_per_second === null
    ? null
    : Math.max(0, (lane.rate_per_second - lane.granted_rate + (lane.own_rate ?? 0)) * HELD_SHARE)

/** Whether the lane can have grants as it is; if there is no room at the moment, there may be soon. */
export const isHoldable = (lane: GrantLaneRow, now: Date): boolean =>
  lane.state === 'open' &&
  lane.breaker === 'closed' &&
  (lane.rate_per_second === null || lane.rate_per_second >= RATE_MIN) &&
  lane.key_gap_ms === 0 &&
  (lane.blocked_until === null || lane.blocked_until <= now) &&
  readMemory(lane.health).failingSinceMs === null

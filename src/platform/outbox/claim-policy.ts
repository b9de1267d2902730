import { firstOf } from '../../kernel/lists.ts'
import type { LaneRoom, TurnLaneRow } from './claim.sql.ts'
import { halfOf, type Load, type ProcessRoom, roomLeft, SILENT_MS } from './pools.ts'

/**
 * Who may go: how many entries each lane of a claim may give. Pure; the claim (claim.ts) asks, and leases that much.
 *
 *   lane          its slots, its rate, and twice its share of the claim
 *   organization  the slots of its pool, half of which are kept from lanes that do not answer
 *   process       the slots of the pool, and those of the destination
 *
 * What is scarce is dealt out one by one, in the order of the lanes: least recently served first.
 */

export type RoomLimits = {
  entriesMax: number
  /** Of each pool of an organization. */
  tenantInFlightMax: number
  /** What this process may have more in flight. */
  room: ProcessRoom
  /** Lanes to look further into, as the last claim of the organization said. */
  cloggedLaneIds: ReadonlySet<string>
  now: Date
}

/** A lane with nothing in flight that answered well this recently is trusted with all its slots. */
const PROVEN_MS = 10_000

/** An ordered lane looks at twice what it has room for, and this much further where it found nothing to take. */
const LOOKAHEAD_CLOGGED = 256

export const tokensOf = (lane: TurnLaneRow, now: Date) =>
  countTokens({ ratePerSecond: lane.rate_per_second, tokens: lane.rate_tokens, measuredAt: lane.rate_at }, now)

type Wanting = { lane: TurnLaneRow; room: number }

/** Of lanes of one organization. */
export function decideRooms(lanes: TurnLaneRow[], request: RoomLimits): LaneRoom[] {
  const laneMax = Math.ceil((2 * request.entriesMax) / lanes.length)
  const wanting = lanes.map((lane) => ({
    lane,
    room: Math.min(lane.slots - lane.in_flight - lane.granted, Math.floor(tokensOf(lane, request.now)), laneMax),
  }))
  for (const [pool, ofPool] of Map.groupBy(wanting, ({ lane }) => lane.pool)) {
    keepHalfForAnswering(ofPool, firstOf(ofPool).lane, request)
    dealOut(ofPool, request.room.pools[pool])
  }
  for (const [destination, ofDestination] of Map.groupBy(wanting, ({ lane }) => lane.destination))
    if (destination !== null) dealOut(ofDestination, destinationRoom(ofDestination, request))
  return wanting.map(({ lane, room }) => laneRoom(lane, room, request))
}

/**
 * Of lanes that do not answer, each may have one run in flight; their further ones together fill the slots of the
 * organization to half. Before anything is known about a lane that is all it gets, if others are there.
 */
function keepHalfForAnswering(lanes: Wanting[], { active, silent }: Load, request: RoomLimits): void {
  const mute = lanes.filter(({ lane }) => !isAnswering(lane, request.now))
  const further = mute.map((each) => {
    const { lane, room } = each
    const first = lane.in_flight === 0 && room > 0 ? 1 : 0
    return { lane, room: room - first, first, each }
  })
  const inFlight = further.reduce((sum, { first }) => sum + first, active + silent)
  dealOut(further, Math.max(0, halfOf(request.tenantInFlightMax) - inFlight))
  for (const { each, room, first } of further) each.room = room + first
}

const isAnswering = ({ answered_at: answeredAt, in_flight: inFlight }: TurnLaneRow, now: Date) =>
  answeredAt !== null && now.getTime() - answeredAt.getTime() < (inFlight > 0 ? SILENT_MS : PROVEN_MS)

const destinationRoom = ([first]: Wanting[], { room }: RoomLimits): number => {
  const { destination, pool } = (first as Wanting).lane
  return room.destinations.get(destination as string) ?? room.destinationMax[pool]
}

/** Leaves each no more than its part of the capacity: one each in turn, in the order given. */
function dealOut(wanting: Wanting[], capacity: number): void {
  const wanted = wanting.reduce((sum, { room }) => sum + Math.max(0, room), 0)
  if (wanted <= capacity) return
  const dealt = wanting.map(() => 0)
  for (let left = capacity; left > 0; ) {
    let index = 0
    for (const { room } of wanting) {
      const share = dealt[index] ?? 0
      if (left > 0 && share < room) {
        dealt[index] = share + 1
        left -= 1
      }
      index += 1
    }
  }
  wanting.forEach((each, index) => {
    each.room = dealt[index] ?? 0
  })
}

function laneRoom(lane: TurnLaneRow, room: number, request: RoomLimits): LaneRoom {
  const isOrdered = lane.ordering === 'by_key'
  const lookahead = request.cloggedLaneIds.has(lane.id) ? LOOKAHEAD_CLOGGED : room
  return {
    laneId: lane.id,
    pool: lane.pool,
    poolRoom: roomLeft(lane, request.tenantInFlightMax),
    room,
    bulkRoom: Math.max(0, Math.min(room, lane.bulk_concurrency_max - lane.bulk_in_flight)),
    turn: lane.turn,
    isProbe: lane.breaker !== 'closed',
    isOrdered,
    lookahead: isOrdered ? lookahead : 0,
    keyGapMs: lane.key_gap_ms,
  }
}

/**
 * Pacing by a token bucket: it fills at the lane's rate, holds one second's worth (never less than one token), and every
 * claimed entry takes one. The bucket is a level and the moment it was measured, both in the lane's row.
 */
export type LaneRate = {
  ratePerSecond: number | null
  /** Null is a full bucket: a lane that has not been paced yet. */
  tokens: number | null
  measuredAt: Date | null
}

const burstOf = (ratePerSecond: number) => Math.max(1, ratePerSecond)

/** How many tokens there are at this moment; infinitely many without a rate. */
export function countTokens(rate: LaneRate, now: Date): number {
  if (rate.ratePerSecond === null) return Number.POSITIVE_INFINITY
  const burst = burstOf(rate.ratePerSecond)
  if (rate.tokens === null || rate.measuredAt === null) return burst
  const elapsedSeconds = Math.max(0, now.getTime() - rate.measuredAt.getTime()) / 1_000
  return Math.min(burst, rate.tokens + elapsedSeconds * rate.ratePerSecond)
}

/** When a whole token will be there, or null when there is one. */
export function nextTokenAt(ratePerSecond: number | null, tokens: number, now: Date): Date | null {
  if (ratePerSecond === null || tokens >= 1) return null
  return new Date(now.getTime() + Math.ceil(((1 - tokens) / ratePerSecond) * 1_000))
}

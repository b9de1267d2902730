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

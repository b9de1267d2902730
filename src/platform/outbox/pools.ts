/**
 * The kinds of work that keep out of each other's way: each pool has separate slots, per organization and per process, so
 * that what hangs in one delays nothing in another. `messages` is also for all that is not webhooks or payments.
 */
export const pools = ['webhooks', 'messages', 'payments'] as const
export type Pool = (typeof pools)[number]

/** Of the slots of a process. */
const SHARES: Record<Pool, number> = { webhooks: 0.5, messages: 0.3, payments: 0.2 }

/** Of the slots of its pool in a process, what one destination may have over all organizations. */
const DESTINATION_SHARE = 0.5

export const poolMax = (pool: Pool, inFlightMax: number) => Math.max(1, Math.floor(inFlightMax * SHARES[pool]))

export const destinationMax = (pool: Pool, inFlightMax: number) =>
  Math.max(1, Math.floor(poolMax(pool, inFlightMax) * DESTINATION_SHARE))

/**
 * What was in flight for this long without an answer is silent. Silent runs keep at most half of the slots they count
 * against, so that those that answer have the other half; the price is that more than the cap may be in flight, up to
 * `SILENT_CAPS` caps of silent runs.
 */
export const SILENT_MS = 1_000
export const SILENT_CAPS = 2

export type Load = { active: number; silent: number }

/** How much more may be in flight. */
export function roomLeft({ active, silent }: Load, inFlightMax: number): number {
  if (silent >= SILENT_CAPS * inFlightMax) return 0
  return Math.max(0, inFlightMax - active - Math.min(silent, halfOf(inFlightMax)))
}

export const halfOf = (inFlightMax: number) => Math.floor(inFlightMax / 2)

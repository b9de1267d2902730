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

const poolMax = (pool: Pool, inFlightMax: number) => Math.max(1, Math.floor(inFlightMax * SHARES[pool]))

const destinationMax = (pool: Pool, inFlightMax: number) =>
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

/** Where a run counts in its process. */
export type RunPlace = { pool: Pool; destination: string | null }

export type ProcessRoom = {
  pools: Readonly<Record<Pool, number>>
  /** Of destinations with something in flight; of any other it is the `destinationMax` of its pool. */
  destinations: ReadonlyMap<string, number>
  destinationMax: Readonly<Record<Pool, number>>
}

/** How much more this process may have in flight, from what it has. */
export function measureRoom(
  runs: Iterable<RunPlace & { startedMs: number }>,
  { inFlightMax, nowMs }: { inFlightMax: number; nowMs: number },
): ProcessRoom {
  const loads: Record<Pool, Load> = {
    webhooks: { active: 0, silent: 0 },
    messages: { active: 0, silent: 0 },
    payments: { active: 0, silent: 0 },
  }
  const destinations = new Map<string, number>()
  for (const { pool, destination, startedMs } of runs) {
    loads[pool][nowMs - startedMs < SILENT_MS ? 'active' : 'silent'] += 1
    if (destination === null) continue
    const before = destinations.get(destination) ?? destinationMax(pool, inFlightMax)
    destinations.set(destination, before - 1)
  }
  return {
    pools: byPool((pool) => roomLeft(loads[pool], poolMax(pool, inFlightMax))),
    destinations,
    destinationMax: byPool((pool) => destinationMax(pool, inFlightMax)),
  }
}

const byPool = (numberOf: (pool: Pool) => number): Record<Pool, number> => ({
  webhooks: numberOf('webhooks'),
  messages: numberOf('messages'),
  payments: numberOf('payments'),
})

export const fullPools = (room: ProcessRoom): Pool[] => pools.filter((pool) => room.pools[pool] <= 0)

export const fullDestinations = ({ destinations }: ProcessRoom): string[] =>
  [...destinations].filter(([, room]) => room <= 0).map(([destination]) => destination)

/** A pool with hardly any room left: claiming for every slot that frees costs more than waiting for some. */
export const isCrowded = (room: ProcessRoom, inFlightMax: number, share: number): boolean =>
  pools.some((pool) => room.pools[pool] <= poolMax(pool, inFlightMax) * share)

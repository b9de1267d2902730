import { destinationMax, type Load, type Pool, poolMax, pools, roomLeft, SILENT_MS } from './pools.ts'

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

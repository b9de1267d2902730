import type { Tx } from '../platform/database/database.ts'

/** Tells the outbox which lanes have new work, once the transaction that put it there has committed. */
export type LaneBell = {
  /** In the transaction that enqueues. A process that dies in between costs the time until the outbox looks by itself. */
  ringAfterCommit(tx: Tx, laneIds: Iterable<string>): void
  /** After the commit. */
  ring(laneIds: Iterable<string>): void
}

export function createLaneBell(wake: (laneIds: readonly string[]) => void): LaneBell {
  return {
    ringAfterCommit(tx, laneIds) {
      const lanes = [...laneIds]
      tx.afterCommit(() => wake(lanes))
    },
    ring: (laneIds) => wake([...laneIds]),
  }
}

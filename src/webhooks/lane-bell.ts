import type { Tx } from '../platform/database/database.ts'

/** Informs the outbox that an organization has new work, once the transaction that put it there has committed. */
export type LaneBell = {
  /** In the transaction that enqueues. A process that dies in between costs the time until the outbox looks by itself. */
  ringAfterCommit(tx: Tx, orgId: string): void
  /** After the commit. */
  ring(orgId: string): void
}

export function createLaneBell(wake: (orgIds: readonly string[]) => void): LaneBell {
  return {
    ringAfterCommit(tx, orgId) {
      tx.afterCommit(() => wake([orgId]))
    },
    ring: (orgId) => wake([orgId]),
  }
}

import type { Tx } from './queries.ts'

/**
 * From here on no statement of the transaction waits for a lock longer than that. A plain `set local`, and no call of
 * `set_config`: Citus passes only the former on to the node where the lock is.
 */
export const limitLockWaits = (tx: Tx, lockMs: number): Promise<void> =>
  tx.script(`set local lock_timeout = ${Math.round(lockMs)}`)

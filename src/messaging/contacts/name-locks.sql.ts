import type { Tx } from '../../platform/database/database.ts'

/**
 * Locks names instead of rows, for rows that may not exist yet: a new person, a message whose id is still to come. Names
 * are locked until the transaction ends, in sorted order, so that two transactions never deadlock.
 */
export const lockNames = (tx: Tx, names: readonly string[]) => tx.run`
  select pg_advisory_xact_lock(hashtextextended(name, 7)) from unnest(${[...new Set(names)].toSorted()}::text[]) as name`

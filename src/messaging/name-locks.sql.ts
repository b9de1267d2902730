import type { Tx } from '../platform/database/database.ts'

/**
 * Locks on names instead of rows, for what may not exist yet: a person nobody knows, a message whose id is on its way.
 * Held until the transaction ends; taken in sorted order, so that two who want several never wait in a ring.
 */
export const lockNames = (tx: Tx, names: readonly string[]) => tx.run`
  select pg_advisory_xact_lock(hashtextextended(name, 7)) from unnest(${[...new Set(names)].toSorted()}::text[]) as name`

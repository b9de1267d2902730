import type { Tx } from './database.ts'

/** False while another process sweeps the same. */
export const trySweepLock = async (tx: Tx, what: string): Promise<boolean> =>
  (
    await tx.one<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(${SWEEP_LOCK_SPACE}::int, hashtext(${what})) as is_locked`
  ).is_locked

const SWEEP_LOCK_SPACE = 7_312

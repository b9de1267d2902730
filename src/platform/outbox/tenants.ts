import type { Tx } from '../database/database.ts'
import { sumTenantsInFlight, type TenantLoad, tryLockTenants } from './outbox.sql.ts'

/**
 * What each share (organization and pool) of these lanes has in flight, with no other claim adding to it until the commit.
 * Those of an organization another process is claiming for right now are not in the answer.
 */
export async function reserveTenants(
  tx: Tx,
  lanes: readonly { org_id: string; share: string }[],
  now: Date,
): Promise<Map<string, TenantLoad>> {
  const orgIds = [...new Set(lanes.map((lane) => lane.org_id))]
  const [locks, sums] = await Promise.all([tryLockTenants(tx, orgIds), sumTenantsInFlight(tx, orgIds, now)])
  const known = new Map(sums.map((sum) => [sum.share, sum]))
  const locked = new Set(locks.filter((lock) => lock.is_locked).map((lock) => lock.org_id))
  const shares = new Set(lanes.filter((lane) => locked.has(lane.org_id)).map((lane) => lane.share))
  return new Map([...shares].map((share) => [share, known.get(share) ?? { share, active: 0, silent: 0 }]))
}

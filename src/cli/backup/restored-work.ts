import { beginFeedEpoch } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { pauseOpenLanes, pauseRestoredLanes } from '../../platform/outbox/restored-lanes.ts'

/**
 * Between the snapshot and now the original went on: it may have sent what is pending here, and recorded events that are not here. So
 * nothing is sent before an operator has looked, and no sequence of an event is used a second time.
 */
export async function markRestored(tx: Tx, orgIds: readonly OrgId[]): Promise<void> {
  for (const orgId of orgIds) {
    await pauseRestoredLanes(tx, orgId)
    await beginFeedEpoch(tx, orgId)
  }
}

/** The same after a failover that may have lost transactions. Servers may run: what they have begun, they end. */
export async function markFailedOver(tx: Tx, orgId: OrgId): Promise<void> {
  await pauseOpenLanes(tx, orgId)
  await beginFeedEpoch(tx, orgId)
}

export const listOrgIds = async (tx: Tx): Promise<OrgId[]> =>
  (await tx.many<{ id: OrgId }>`select id from organizations order by id`).map(({ id }) => id)

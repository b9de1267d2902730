import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../database/database.ts'
import { revokeGrants } from './grants.sql.ts'
import { refreshLanes } from './maintenance.sql.ts'

/**
 * Lanes of an organization whose rows came from a backup, from another installation or from a standby that lags. Work that is pending
 * here may be done by now, so every lane is paused until an operator resumes it.
 */
const RESTORED = 'restored'

/** In the transaction that brings the rows. Leases of processes elsewhere end now, so their entries wait like the others. */
export async function pauseRestoredLanes(tx: Tx, orgId: OrgId): Promise<void> {
  await tx.run`
    update outbox_entries set lease_until = now() where org_id = ${orgId} and state = 'leased'`
  await pauseOpenLanes(tx, orgId)
}

/** Locks lanes first, as an acknowledgement does. A process that runs keeps its leases, but records no more entries as leased. */
export async function pauseOpenLanes(tx: Tx, orgId: OrgId): Promise<void> {
  const lanes = await tx.many<{ id: string }>`
    select id from outbox_lanes where org_id = ${orgId} and state = 'open' order by id for update`
  const laneIds = lanes.map(({ id }) => id)
  await tx.run`
    update outbox_lanes set state = 'paused', state_reason = ${RESTORED}
    where org_id = ${orgId} and id = any(${laneIds}::text[])`
  await revokeGrants(tx, orgId, { laneIds })
  await refreshLanes(tx, orgId, laneIds)
}

/** Opens them, each as healthy as it was. Returns how many. After the commit, wake the outbox. */
export const resumeRestoredLanes = (tx: Tx, orgId: OrgId): Promise<number> => tx.run`
  update outbox_lanes set state = 'open', state_reason = null
  where org_id = ${orgId} and state = 'paused' and state_reason = ${RESTORED}`

/** Of one organization: how many of its lanes are paused. */
export const countRestoredLanes = async (queries: Queries, orgId: OrgId): Promise<number> =>
  (
    await queries.one<{ lanes: number }>`
      select count(*)::int as lanes from outbox_lanes
      where org_id = ${orgId} and state = 'paused' and state_reason = ${RESTORED}`
  ).lanes

export type RestoredWork = { org_id: OrgId; lanes: number; pending: number }

/** Of all organizations with paused lanes: how many lanes, and how much waits in them. */
export const listRestoredWork = (queries: Queries): Promise<RestoredWork[]> => queries.many<RestoredWork>`
  select lane.org_id, count(*)::int as lanes, sum(near.count + later.count)::int as pending
  from outbox_lanes lane
  cross join lateral (
    select count(*) from outbox_entries entry where entry.org_id = lane.org_id and entry.lane_id = lane.id) near
  cross join lateral (
    select count(*) from outbox_later entry where entry.org_id = lane.org_id and entry.lane_id = lane.id) later
  where lane.state = 'paused' and lane.state_reason = ${RESTORED}
  group by lane.org_id order by lane.org_id`

import type { Tx } from '../../platform/database/database.ts'
import { rekeyEntries, rekeyInFlight } from '../../platform/outbox/entries.ts'
import { pauseLane, reopenLane, updateLane } from '../../platform/outbox/lanes.ts'
import {
  destinationOf,
  type EndpointRow,
  type EndpointSettings,
  handLaneOf,
  laneOf,
  laneSettings,
  moveReordering,
  orderKeyFor,
  STRICT_KEY,
} from '../endpoints/endpoints.ts'
import { listMisplaced } from './backlog.sql.ts'
import { listUndelivered } from './deliveries.sql.ts'

/**
 * A new order for what waits: in one line for `strict`, in one per resource for `by_key`, without any for `none`.
 *
 * Until all of it has its new key the lane stands still, or a later one could leave ahead of an earlier one that is still in
 * the old order. New deliveries have the new key from the start and wait with the others. It goes in steps, by the
 * ids of deliveries, as part of the work on the backlog (backlog.ts); `reordered_until` of the endpoint says how far it is.
 * What a recovery sends again although it arrived comes last.
 */
export const REORDERING = 'endpoint_reordering'

export const isReordering = (endpoint: Pick<EndpointRow, 'reordered_until'>): boolean =>
  endpoint.reordered_until !== null

const isSentTo = (endpoint: EndpointRow) => endpoint.state === 'enabled' && !endpoint.is_holding

/**
 * The lane follows the settings, but for giving up its order: that frees everything that waits behind something, of which
 * there may be any number, and is left to the last step, which finds none.
 */
export async function changeLane(tx: Tx, before: EndpointRow, after: EndpointSettings, now: Date): Promise<void> {
  const { ordering, ...settings } = laneSettings(after)
  const { org_id: orgId } = before
  const lane = { orgId, id: laneOf(before.id) }
  await updateLane(tx, lane, ordering === 'none' ? settings : { ...settings, ordering }, now)
  if (before.url !== after.url)
    await updateLane(tx, { orgId, id: handLaneOf(before.id) }, { destination: destinationOf(after.url) }, now)
  if (before.ordering !== after.ordering && isSentTo(before)) await pauseLane(tx, lane, { reason: REORDERING })
}

/** True when that was the last of it, and the lane is as it should be. The caller holds the lock on subscriptions, alone. */
export async function reorderSome(
  tx: Tx,
  endpoint: EndpointRow,
  { limit, now }: { limit: number; now: Date },
): Promise<boolean> {
  const { org_id: orgId, id, reordered_until: afterId } = endpoint
  const pending = await listUndelivered(tx, orgId, {
    endpointId: id,
    statuses: ['pending'],
    afterId: afterId ?? '',
    limit,
  })
  const again = pending.length < limit ? await listAgain(tx, endpoint, limit) : []
  const keys = [...pending, ...again].map((delivery) => ({
    id: delivery.id,
    orderKey: orderKeyFor(endpoint, delivery.subject) ?? null,
  }))
  await rekeyEntries(tx, { orgId, id: laneOf(id) }, keys)
  const isDone = pending.length < limit && again.length < limit
  await moveReordering(tx, orgId, { id, until: isDone ? null : (pending.at(-1)?.id ?? afterId) })
  if (isDone) await settleLane(tx, endpoint, now)
  return isDone
}

/** Without an order no key counts. */
const listAgain = async (tx: Tx, { org_id: orgId, id, ordering }: EndpointRow, limit: number) =>
  ordering === 'none'
    ? []
    : listMisplaced(tx, orgId, { laneId: laneOf(id), strictKey: STRICT_KEY, isStrict: ordering === 'strict', limit })

async function settleLane(tx: Tx, endpoint: EndpointRow, now: Date): Promise<void> {
  const lane = { orgId: endpoint.org_id, id: laneOf(endpoint.id) }
  // A bundle that is being sent has no deliveries to be found by.
  if (endpoint.ordering === 'strict') await rekeyInFlight(tx, lane, STRICT_KEY)
  await updateLane(tx, lane, laneSettings(endpoint), now)
  if (isSentTo(endpoint)) await reopenLane(tx, lane)
}

import { isId, type OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { webhookEndpointNotFound } from './endpoints.errors.ts'
import { type EndpointRow, findEndpoint, listEndpointRows } from './endpoints.sql.ts'

/**
 * Webhook endpoints: their rows, the lanes of the outbox that lead to them, and what of them is secret. What is done to an
 * endpoint is in ../management/.
 */
export type Endpoint = EndpointRow

export async function getEndpoint(queries: Queries, orgId: OrgId, id: string): Promise<Endpoint> {
  const row = isId('wep', id) ? await findEndpoint(queries, orgId, id) : null
  if (row === null) throw webhookEndpointNotFound({ params: { id } })
  return row
}

export const listEndpoints = (
  queries: Queries,
  orgId: OrgId,
  page: { before?: string; limit: number },
): Promise<Endpoint[]> => listEndpointRows(queries, orgId, page)

export {
  cloudEventsOf,
  type EventScope,
  isCloudFormat,
  orderingFor,
  scopeOf,
} from './cloud-format.ts'
export {
  delaysFor,
  destinationOf,
  endpointLanes,
  endpointOfLane,
  handLaneOf,
  isHandLane,
  laneOf,
  laneSettings,
  orderKeyFor,
  type RetryWishes,
  STRICT_KEY,
  tidyDelays,
  upkeepLane,
} from './endpoint-lanes.ts'
export {
  acceptTls,
  maskHeaders,
  maskLocation,
  maskUrl,
  openHeaders,
  openTls,
  openVerifyToken,
  sealHeaders,
  sealTls,
  sealVerifyToken,
} from './endpoint-secrets.ts'
export {
  asSubscriber,
  bumpEndpointVersion,
  countEndpoints,
  type EndpointRow,
  type EndpointSettings,
  endSettling,
  findAnyEndpoint,
  findEndpoint,
  findSubscribed,
  type InactiveEndpoint,
  insertEndpoint,
  listEndpointsById,
  listEndpointVersions,
  listInactive,
  listSubscribers,
  lockSubscriptions,
  markEndpointDeleted,
  moveEndpoint,
  moveReordering,
  type NewEndpointRow,
  noteEndpointHealth,
  readSubscriptions,
  type Subscriptions,
  setPingEvent,
  setSubscription,
  sharesSubscriptions,
  tryLockSubscriptions,
  updateEndpointSettings,
} from './endpoints.sql.ts'
export { createHandshake, type ShakeHands } from './handshake.ts'
export { findUnmet, type PayloadFilter, type ScopedEvent, tidyFilter } from './payload-filter.ts'

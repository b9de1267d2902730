import type { z } from 'zod'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { standardRetrySchedule } from '../../platform/outbox/job.ts'
import { type LaneStatus, laneStatus, PENDING_COUNTED_MAX } from '../../platform/outbox/lanes.ts'
import {
  countHeld,
  countRecent,
  DELIVERY_RETENTION_DAYS,
  type DeliveryRow,
  deliveryIdFor,
  isReordering,
  listDeliveriesById,
  REORDERING,
} from '../deliveries/deliveries.ts'
import type { WebhookEndpoint } from '../endpoints/endpoints.schemas.ts'
import {
  type Endpoint,
  laneOf,
  maskHeaders,
  openHeaders,
  openTls,
  tidyDelays,
  tidyFilter,
} from '../endpoints/endpoints.ts'
import { listSecrets, type SecretRow } from '../signing/signing.ts'
import type { WebhooksContext } from '../webhooks-context.ts'

/** An endpoint as the API shows it: settings, secrets masked, how its receiver does and what waits for it. */
export type EndpointView = z.input<typeof WebhookEndpoint>

const RECENT_DELIVERIES = 100

type Surroundings = { secrets: SecretRow[]; pings: Map<string, DeliveryRow>; now: Date }

export async function presentEndpoints(
  context: WebhooksContext,
  queries: Queries,
  orgId: OrgId,
  endpoints: readonly Endpoint[],
): Promise<EndpointView[]> {
  const now = new Date(context.clock.now())
  const pingIds = endpoints.flatMap((endpoint) => pingDeliveryOf(endpoint) ?? [])
  const [secrets, pings] = await Promise.all([
    listSecrets(queries, orgId, { endpointIds: endpoints.map(({ id }) => id), now }),
    listDeliveriesById(queries, orgId, pingIds),
  ])
  const around = { secrets, pings: new Map(pings.map((ping) => [ping.id, ping])), now }
  return Promise.all(endpoints.map((endpoint) => presentOne(context, queries, endpoint, around)))
}

export const presentEndpoint = async (
  context: WebhooksContext,
  queries: Queries,
  endpoint: Endpoint,
): Promise<EndpointView> => (await presentEndpoints(context, queries, endpoint.org_id, [endpoint]))[0] as EndpointView

async function presentOne(
  { secretBox }: WebhooksContext,
  queries: Queries,
  endpoint: Endpoint,
  { secrets, pings, now }: Surroundings,
): Promise<EndpointView> {
  const place = { endpointId: endpoint.id }
  const [lane, held, recent] = await Promise.all([
    laneStatus(queries, { orgId: endpoint.org_id, id: laneOf(endpoint.id) }, now),
    countHeld(queries, endpoint.org_id, { ...place, countMax: PENDING_COUNTED_MAX }),
    countRecent(queries, endpoint.org_id, { ...place, limit: RECENT_DELIVERIES }),
  ])
  const own = secrets.filter((secret) => secret.endpoint_id === endpoint.id)
  const tls = openTls(secretBox, endpoint.id, endpoint.sealed_tls)
  const isDegraded = endpoint.state === 'enabled' && lane !== null && lane.breaker !== 'closed'
  return {
    ...presentSettings(endpoint),
    state: isDegraded ? 'degraded' : endpoint.state,
    custom_headers: maskHeaders(openHeaders(secretBox, endpoint.id, endpoint.sealed_headers)),
    tls: { ca: tls?.ca !== undefined, client_certificate: tls?.cert !== undefined },
    secret_hint: own[0]?.secret_hint ?? '',
    public_keys: own.flatMap((secret) => secret.public_key ?? []),
    health: presentHealth(endpoint, { lane, held, recent }),
    last_ping: presentPing(endpoint, pings, now),
  }
}

type Settings = Omit<
  EndpointView,
  'state' | 'custom_headers' | 'tls' | 'secret_hint' | 'public_keys' | 'health' | 'last_ping'
>

const presentSettings = (endpoint: Endpoint): Settings => ({
  object: 'webhook_endpoint',
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  format: endpoint.format,
  number: endpoint.number_id,
  events: endpoint.events,
  filter: tidyFilter(endpoint.payload_filter),
  disabled_reason: endpoint.disabled_reason,
  payload: endpoint.payload,
  ordering: endpoint.ordering,
  max_per_second: endpoint.max_per_second,
  timeout_ms: endpoint.timeout_ms,
  retry_delays_seconds: endpoint.retry_delays_seconds ?? standardRetrySchedule.delaysMs.map((ms) => ms / 1000),
  retry_delays_by_event: tidyDelays(endpoint.retry_delays_by_event) ?? {},
  signing: endpoint.signing,
  created_at: endpoint.created_at.toISOString(),
  updated_at: endpoint.updated_at.toISOString(),
})

type Observed = { lane: LaneStatus | null; held: number; recent: { finished: number; succeeded: number } }

/** What waits in the lane of an endpoint that rests counts as held, as it does where deliveries are listed. */
function presentHealth(endpoint: Endpoint, { lane, held, recent }: Observed): EndpointView['health'] {
  const backlog = lane?.pending ?? 0
  const isResting = endpoint.is_holding && endpoint.settling !== 'cancel'
  return {
    breaker: lane?.breaker ?? 'closed',
    blocked_until: lane?.blockedUntil?.toISOString() ?? null,
    blocked_reason: isReordering(endpoint) && !isResting ? REORDERING : (lane?.blockedReason ?? null),
    failing_since: lane?.failingSince?.toISOString() ?? null,
    failures_since_success: lane?.failuresSinceSuccess ?? 0,
    last_success_at: lane?.lastSuccessAt?.toISOString() ?? null,
    success_rate: recent.finished === 0 ? null : recent.succeeded / recent.finished,
    in_flight: lane?.inFlight ?? 0,
    backlog: isResting ? 0 : backlog,
    held: isResting ? Math.min(PENDING_COUNTED_MAX, held + backlog) : held,
  }
}

const pingDeliveryOf = (endpoint: Endpoint): Id<'dlv'> | null =>
  endpoint.ping_event_id === null ? null : deliveryIdFor(endpoint.ping_event_id, endpoint.id)

const isForgotten = (id: Id<'dlv'>, now: Date) =>
  now.getTime() - idTime(id).getTime() > DELIVERY_RETENTION_DAYS * 24 * 3600 * 1000

/** Before fan-out came to it there is no delivery yet, and once deliveries of its day are dropped there is none any more. */
function presentPing(endpoint: Endpoint, pings: Map<string, DeliveryRow>, now: Date): EndpointView['last_ping'] {
  const id = pingDeliveryOf(endpoint)
  if (id === null) return null
  const ping = pings.get(id)
  if (ping === undefined && isForgotten(id, now)) return null
  return {
    delivery_id: id,
    status: ping?.status === 'succeeded' || ping?.status === 'failed' ? ping.status : 'pending',
    response_status: ping?.last_response_status ?? null,
    error_class: ping?.last_error_class ?? null,
    at: ping?.first_attempt_at?.toISOString() ?? null,
  }
}

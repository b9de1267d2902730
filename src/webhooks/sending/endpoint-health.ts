import type { NewEvent } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { LaneReport } from '../../platform/outbox/job.ts'
import { laneStatus, pauseLane } from '../../platform/outbox/lanes.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { dissolveBundles, enqueueSettling, isSkipped, requeueDeliveries } from '../deliveries/deliveries.ts'
import type { EndpointSummary } from '../endpoints/endpoints.events.ts'
import { type EndpointFailure, endpointEvents, summarizeEndpoint } from '../endpoints/endpoints.events.ts'
import {
  type EndpointRow,
  endpointOfLane,
  findEndpoint,
  isHandLane,
  laneOf,
  listEndpointsById,
  maskUrl,
  moveEndpoint,
  noteEndpointHealth,
} from '../endpoints/endpoints.ts'
import type { DisableReason } from './attempt-verdict.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/**
 * What the outcome of attempts does to an endpoint, beyond delaying it, which the outbox does.
 *
 *   the breaker opens                          → degraded, recorded once
 *   the breaker closes                         → recovered, recorded if degraded was
 *   24 h, then 72 h without a success          → recorded again
 *   5 days without a success, 20 failures      → disabled; pending deliveries stay, to be recovered
 *   410                                        → disabled at once; pending deliveries are cancelled
 *   `webhook-delivery: disable`                → disabled at once; pending deliveries stay
 */
export type Consequences = {
  events: Map<OrgId, NewEvent[]>
  /** Lanes that got work. */
  laneIds: string[]
}

type HealthOptions = { clock: Clock; log: Log; metrics: DeliveryMetrics }

const HOUR_MS = 3_600_000
const WARNED_AT_HOURS = [24, 72] as const
const DISABLED_AFTER_HOURS = 5 * 24
const DISABLED_AFTER_FAILURES = 20

const addEvent = ({ events }: Consequences, endpoint: EndpointRow, event: Pick<NewEvent, 'type' | 'data'>) =>
  events.set(endpoint.org_id, [...(events.get(endpoint.org_id) ?? []), { subject: endpoint.id, ...event }])

/** As the API shows it at this moment, for events about the endpoint. */
async function currentFailure(
  queries: Queries,
  { org_id: orgId, id }: Pick<EndpointRow, 'org_id' | 'id'>,
  now: Date,
): Promise<EndpointFailure> {
  const lane = await laneStatus(queries, { orgId, id: laneOf(id) }, now)
  return {
    failingSince: lane?.failingSince ?? null,
    failuresSinceSuccess: lane?.failuresSinceSuccess ?? 0,
    isDegraded: lane !== null && lane.breaker !== 'closed',
  }
}

/** An endpoint as events about it say it is at this moment. */
export const summarizeNow = async (queries: Queries, endpoint: EndpointRow, now: Date): Promise<EndpointSummary> =>
  summarizeEndpoint(endpoint, await currentFailure(queries, endpoint, now))

/** The endpoint as it was when the attempt was made that speaks for its receiver. */
export type SentTo = Pick<EndpointRow, 'url' | 'state_changed_at'>

type Disabling = {
  orgId: OrgId
  endpointId: Id<'wep'>
  reason: DisableReason | 'no_success'
  /** What was answered so, if it is by an answer. */
  answered?: Answered
}

type Answered = { sentTo: SentTo; deliveryId: Id<'dlv'>; sequence: number | null; isByHand: boolean }

/** A late answer counts neither for a URL that was set since, nor against an endpoint that was resumed since. */
const isOutdated = ({ url, state, state_changed_at: changedAt }: EndpointRow, sentTo: SentTo): boolean =>
  url !== sentTo.url || (state === 'enabled' && changedAt.getTime() !== sentTo.state_changed_at.getTime())

/** Because their receivers asked for it in an answer. */
export async function disableEndpoints(
  options: HealthOptions,
  tx: Tx,
  disablings: readonly Disabling[],
  consequences: Consequences,
): Promise<void> {
  for (const disabling of disablings) await disableEndpoint(options, tx, disabling, consequences)
}

/** A delivery that an outdated answer has ended is sent again, unless it was skipped since. */
async function sendAgain(
  tx: Tx,
  endpoint: EndpointRow,
  { answered, now }: { answered: Answered; now: Date },
  { laneIds }: Consequences,
): Promise<void> {
  if (answered.isByHand || isSkipped(endpoint, answered)) return
  await requeueDeliveries(tx, endpoint, { ids: [answered.deliveryId], from: ['failed'], now })
  laneIds.push(laneOf(endpoint.id))
}

/** The lane is ours for the length of the acknowledgement, so nothing more leaves after the answer that ended it. */
async function disableEndpoint(
  { clock, log, metrics }: HealthOptions,
  tx: Tx,
  { orgId, endpointId, reason, answered }: Disabling,
  consequences: Consequences,
): Promise<void> {
  const now = new Date(clock.now())
  const endpoint = await findEndpoint(tx, orgId, endpointId)
  // Deleted meanwhile: its lane may be gone too.
  if (endpoint === null) return
  if (answered !== undefined && isOutdated(endpoint, answered.sentTo))
    return reason === 'gone' ? sendAgain(tx, endpoint, { answered, now }, consequences) : undefined
  await pauseLane(tx, { orgId, id: laneOf(endpointId) }, { reason: 'endpoint_disabled' })
  const disabled = await moveEndpoint(tx, orgId, {
    id: endpointId,
    from: ['enabled', 'paused'],
    to: 'disabled',
    reason,
    isHolding: true,
    settling: reason === 'gone' ? 'cancel' : null,
    skippedUntil: null,
    now,
  })
  if (disabled === null) return
  await dissolveBundles(tx, 'all', { orgId, endpointId, now })
  metrics.disabled()
  log.warn({ org_id: orgId, endpoint_id: endpointId, url: maskUrl(disabled.url), reason }, 'webhook endpoint disabled')
  addEvent(consequences, disabled, { type: endpointEvents.disabled, data: await summarizeNow(tx, disabled, now) })
  if (reason !== 'gone') return
  await enqueueSettling(tx, disabled, newId('job', now.getTime()))
  consequences.laneIds.push(laneOf(endpointId))
}

export async function followHealth(
  options: HealthOptions,
  tx: Tx,
  lanes: readonly LaneReport[],
  consequences: Consequences,
): Promise<void> {
  const nowMs = options.clock.now()
  const notable = lanes.filter((lane) => !isHandLane(lane.laneId) && isNotable(lane, nowMs))
  if (notable.length === 0) return
  const endpoints = await listEndpointsById(
    tx,
    firstOf(notable).orgId,
    notable.map((lane) => endpointOfLane(lane.laneId)),
  )
  for (const endpoint of endpoints) {
    const lane = notable.find(({ laneId }) => endpointOfLane(laneId) === endpoint.id)
    if (lane !== undefined && endpoint.state === 'enabled' && endpoint.deleted_at === null)
      await followOne(options, tx, { endpoint, lane }, consequences)
  }
}

const hoursSince = (since: Date | null, nowMs: number) => (since === null ? 0 : (nowMs - since.getTime()) / HOUR_MS)

const isLong = (since: Date | null, nowMs: number) => hoursSince(since, nowMs) >= WARNED_AT_HOURS[0]

/**
 * Nearly always false, and then no endpoint is read. What is tried seldom, because its receiver asks for a long wait, is recorded
 * of without its breaker ever opening; so an end to long failing counts like one that closes.
 */
const isNotable = (lane: LaneReport, nowMs: number) =>
  (lane.breakerBefore === 'closed') !== (lane.breakerAfter === 'closed') ||
  isLong(lane.failingSince, nowMs) ||
  isLong(lane.failingSinceBefore, nowMs)

async function followOne(
  options: HealthOptions,
  tx: Tx,
  { endpoint, lane }: { endpoint: EndpointRow; lane: LaneReport },
  consequences: Consequences,
): Promise<void> {
  const { org_id: orgId, id } = endpoint
  const hours = hoursSince(lane.failingSince, options.clock.now())
  const isDegraded = lane.breakerAfter !== 'closed'
  const { failingSince, failuresSinceSuccess } = lane
  const failure = { failingSince, failuresSinceSuccess, isDegraded }
  if (hours >= DISABLED_AFTER_HOURS && failuresSinceSuccess >= DISABLED_AFTER_FAILURES)
    return disableEndpoint(options, tx, { orgId, endpointId: id, reason: 'no_success' }, consequences)
  const warnedHours = WARNED_AT_HOURS.findLast((limit) => hours >= limit) ?? 0
  const isWorse = (isDegraded && endpoint.degraded_at === null) || warnedHours > endpoint.warned_hours
  const isBetter = !isDegraded && endpoint.degraded_at !== null && warnedHours === 0
  // A single success starts the hours anew, and with them the warnings, though the breaker is not closed by it.
  if (!isWorse && !isBetter && warnedHours === endpoint.warned_hours) return
  const now = new Date(options.clock.now())
  await noteEndpointHealth(tx, orgId, { id, degradedAt: isBetter ? null : (endpoint.degraded_at ?? now), warnedHours })
  if (!isWorse && !isBetter) return
  const type = isWorse ? endpointEvents.degraded : endpointEvents.recovered
  addEvent(consequences, endpoint, { type, data: summarizeEndpoint(endpoint, failure) })
  logHealth(options.log, { endpoint, failure, isWorse })
}

type HealthNote = { endpoint: EndpointRow; failure: EndpointFailure; isWorse: boolean }

function logHealth(log: Log, { endpoint, failure, isWorse }: HealthNote): void {
  const fields = {
    org_id: endpoint.org_id,
    endpoint_id: endpoint.id,
    url: maskUrl(endpoint.url),
    failing_since: failure.failingSince,
    failures: failure.failuresSinceSuccess,
  }
  if (isWorse) log.warn(fields, 'webhook endpoint keeps failing')
  else log.info(fields, 'webhook endpoint recovered')
}

import { findLastSequence, type Initiator, recordEvents } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { closeLane, hurryLane, pauseLane } from '../../platform/outbox/lanes.ts'
import {
  beginSettling,
  dissolveBundles,
  hastenRetries,
  restoreGone,
  STEP_DELIVERIES,
} from '../deliveries/deliveries.ts'
import { webhookEndpointNotEnabled } from '../endpoints/endpoints.errors.ts'
import { changedFields, type EndpointSummary, endpointEvents } from '../endpoints/endpoints.events.ts'
import {
  bumpEndpointVersion,
  type Endpoint,
  getEndpoint,
  handLaneOf,
  laneOf,
  lockSubscriptions,
  markEndpointDeleted,
  moveEndpoint,
} from '../endpoints/endpoints.ts'
import { endRecovery } from '../recovery/recovery.ts'
import { summarizeNow } from '../sending/sending.ts'
import {
  createSecret,
  deleteSecrets,
  deleteSecretsBelow,
  insertSecret,
  listSecrets,
  OLD_VERSIONS_MAX,
  openSecret,
  retireSecrets,
} from '../signing/signing.ts'
import type { WebhooksContext } from '../webhooks-context.ts'

/**
 * What can be done to an endpoint.
 *
 *   enabled ── pause, by a person ──▶ paused
 *   enabled ── days without a success, 410, or `webhook-delivery: disable` ──▶ disabled (endpoint-health.ts)
 *   paused, disabled ── resume ──▶ enabled, once its backlog is dealt with (backlog.ts), with what a 410 cancelled
 *   enabled ── resume ──▶ enabled; neither a breaker, a Retry-After nor the time of a retry is waited for any longer
 *   enabled ── resume, from now ──▶ enabled; what waits is skipped
 *   any ── delete ──▶ (gone; the row stays for the log)
 *
 * Paused and disabled endpoints get no request. New deliveries are held; what waited in their lane stays in it.
 */
type EndpointTarget = { id: string } & Initiator

export async function pauseEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, ...initiator }: EndpointTarget,
): Promise<Endpoint> {
  await lockSubscriptions(tx, orgId, 'alone')
  const before = await getEndpoint(tx, orgId, id)
  if (before.state === 'paused') return before
  if (before.state === 'disabled') throw webhookEndpointNotEnabled({ params: { reason: before.disabled_reason } })
  const now = new Date(context.clock.now())
  const summary = await summarizeNow(tx, before, new Date(context.clock.now()))
  await pauseLane(tx, { orgId, id: laneOf(before.id) }, { reason: 'endpoint_paused' })
  const move = { id, to: 'paused' as const, reason: null, isHolding: true, settling: null, skippedUntil: null, now }
  const paused = (await moveEndpoint(tx, orgId, { ...move, from: ['enabled'] })) ?? before
  await dissolveBundles(tx, 'all', { orgId, endpointId: before.id, now })
  await recordChange(context, tx, paused, summary, initiator)
  return paused
}

export type ResumeMode = 'from_now' | 'recover_held'

export async function resumeEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, mode, ...initiator }: EndpointTarget & { mode: ResumeMode },
): Promise<Endpoint> {
  await lockSubscriptions(tx, orgId, 'alone')
  const before = await getEndpoint(tx, orgId, id)
  const now = new Date(context.clock.now())
  if (before.state === 'enabled' && mode === 'recover_held' && (await hurry(context, tx, before, now))) return before
  const summary = await summarizeNow(tx, before, new Date(context.clock.now()))
  if (mode === 'from_now') await endRecovery(tx, orgId, { endpointId: before.id, reason: 'resumed_from_now', now })
  await pauseLane(tx, { orgId, id: laneOf(before.id) }, { reason: 'endpoint_resuming' })
  const resumed = await moveEndpoint(tx, orgId, {
    id,
    from: [before.state],
    to: 'enabled',
    reason: null,
    isHolding: true,
    settling: mode === 'from_now' ? 'skip' : 'release',
    skippedUntil: mode === 'from_now' ? await findLastSequence(tx, orgId) : null,
    now,
  })
  if (resumed === null) return before
  await dissolveBundles(tx, mode === 'from_now' ? 'all' : 'waiting', { orgId, endpointId: before.id, now })
  if (mode === 'recover_held' && before.disabled_reason === 'gone') await restoreGone(tx, orgId, goneSince(before))
  await beginSettling(tx, resumed, { id: newId('job', now.getTime()), now })
  tx.afterCommit(() => context.wake([orgId]))
  await recordChange(context, tx, resumed, summary, initiator)
  return getEndpoint(tx, orgId, id)
}

/** The answer 410 was written down a moment before the endpoint was disabled by it. */
const GONE_BEFORE_MS = 60_000

const goneSince = ({ id, state_changed_at: disabledAt }: Endpoint) => ({
  endpointId: id,
  since: new Date(disabledAt.getTime() - GONE_BEFORE_MS),
})

/** False when so many retries wait that the others follow step by step, as the backlog of a pause does. */
async function hurry({ wake }: WebhooksContext, tx: Tx, endpoint: Endpoint, now: Date): Promise<boolean> {
  await hurryLane(tx, { orgId: endpoint.org_id, id: laneOf(endpoint.id) })
  const hastened = await hastenRetries(tx, endpoint, { limit: STEP_DELIVERIES, now })
  tx.afterCommit(() => wake([endpoint.org_id]))
  return hastened < STEP_DELIVERIES
}

/** What is in flight may still arrive; nothing else does, and pending deliveries are cancelled. */
export async function deleteEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, ...initiator }: EndpointTarget,
): Promise<void> {
  await lockSubscriptions(tx, orgId, 'alone')
  const endpoint = await getEndpoint(tx, orgId, id)
  const now = new Date(context.clock.now())
  const summary = await summarizeNow(tx, endpoint, new Date(context.clock.now()))
  await closeLane(tx, { orgId, id: laneOf(endpoint.id) }, { pending: 'hold', reason: 'endpoint_deleted' })
  await closeLane(tx, { orgId, id: handLaneOf(endpoint.id) }, { pending: 'cancel', reason: 'endpoint_deleted' })
  const deleted = await markEndpointDeleted(tx, orgId, { id, now })
  if (deleted === null) return
  await deleteSecrets(tx, orgId, id)
  await dissolveBundles(tx, 'all', { orgId, endpointId: endpoint.id, now })
  await beginSettling(tx, deleted, { id: newId('job', now.getTime()), now })
  tx.afterCommit(() => context.wake([orgId]))
  const event = { type: endpointEvents.deleted, subject: endpoint.id, data: summary, ...initiator }
  await recordEvents(tx, orgId, [event], now.getTime())
}

/** The old secret signs along for the overlap, after the new one. At most two old ones are kept. */
export async function rotateSecret(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, overlapSeconds, ...initiator }: EndpointTarget & { overlapSeconds: number },
): Promise<{ endpoint: Endpoint; secret: string }> {
  await lockSubscriptions(tx, orgId, 'alone')
  const before = await getEndpoint(tx, orgId, id)
  const now = new Date(context.clock.now())
  const [current] = await listSecrets(tx, orgId, { endpointIds: [before.id], now })
  const version = (current?.version ?? 0) + 1
  const created = createSecret(context.secretBox, { endpointId: before.id, version, signing: before.signing, now })
  const at = new Date(now.getTime() + overlapSeconds * 1000)
  await retireSecrets(tx, orgId, { endpointId: before.id, belowVersion: version, at })
  await deleteSecretsBelow(tx, orgId, { endpointId: before.id, version: version - OLD_VERSIONS_MAX, now })
  await insertSecret(tx, orgId, created.row)
  const endpoint = (await bumpEndpointVersion(tx, orgId, { id, now })) ?? before
  await recordChange(context, tx, endpoint, await summarizeNow(tx, before, new Date(context.clock.now())), initiator)
  return { endpoint, secret: created.secret }
}

async function recordChange(
  context: WebhooksContext,
  tx: Tx,
  endpoint: Endpoint,
  before: EndpointSummary,
  initiator: Initiator,
): Promise<void> {
  const data = await summarizeNow(tx, endpoint, new Date(context.clock.now()))
  const event = { type: endpointEvents.updated, subject: endpoint.id, data, previous: changedFields(before, data) }
  await recordEvents(tx, endpoint.org_id, [{ ...event, ...initiator }], context.clock.now())
}

/** The current signing secret, for a person who entered their password again. */
export async function revealSecret(context: WebhooksContext, orgId: OrgId, id: string): Promise<string> {
  const { database, clock, secretBox } = context
  const endpoint = await getEndpoint(database, orgId, id)
  const [current] = await listSecrets(database, orgId, { endpointIds: [endpoint.id], now: new Date(clock.now()) })
  if (current === undefined) throw new Error(`endpoint ${id} has no secret`)
  return openSecret(secretBox, current)
}

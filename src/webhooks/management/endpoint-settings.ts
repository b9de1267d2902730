import { type Initiator, lockLastSequence, recordEvents } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import type { Egress, UrlCheck } from '../../platform/outbound-http/egress.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import { beginSettling, changeLane, dissolveBundles } from '../deliveries/deliveries.ts'
import { webhookEndpointLimitReached } from '../endpoints/endpoints.errors.ts'
import { changedFields, endpointEvents, summarizeEndpoint } from '../endpoints/endpoints.events.ts'
import type { NewWebhookEndpointInput, WebhookEndpointChangeInput } from '../endpoints/endpoints.schemas.ts'
import {
  countEndpoints,
  type Endpoint,
  type EndpointSettings,
  endpointLanes,
  getEndpoint,
  insertEndpoint,
  lockSubscriptions,
  type NewEndpointRow,
  openHeaders,
  openTls,
  sealHeaders,
  sealTls,
  tidyDelays,
  updateEndpointSettings,
} from '../endpoints/endpoints.ts'
import { summarizeNow } from '../sending/sending.ts'
import { createKeyPair, createSecret, insertSecret, listSecrets, updateKeyPair } from '../signing/signing.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { pingUrl } from './test-events.ts'

/**
 * Creates and changes webhook endpoints. Every change takes the lock on the organization's subscriptions, so that none of it
 * happens in the middle of fan-out; what else can be done to one is in endpoint-actions.ts.
 */
/** The URL in the form in which it is kept. */
const acceptUrl = (text: string, egress: Pick<Egress, 'check'>): string => acceptChecked(egress.check(text))

/** Before the transaction that saves it: a name that leads to a private address is refused, too. */
export async function vetUrl(text: string | undefined, egress: Pick<Egress, 'vet'>): Promise<void> {
  if (text !== undefined) acceptChecked(await egress.vet(text))
}

function acceptChecked(check: UrlCheck): string {
  if (check.ok) return check.url
  throw breaksSchema([{ pointer: '#/url', code: check.code, detail: check.says }])
}

const ENDPOINTS_MAX = 50

export async function createEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  input: NewWebhookEndpointInput & Initiator,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const row = newEndpoint(context, input)
  const secret = createSecret(context.secretBox, {
    endpointId: row.id,
    version: 1,
    signing: row.signing,
    now: row.created_at,
  })
  await lockSubscriptions(tx, orgId, 'alone')
  if ((await countEndpoints(tx, orgId)) >= ENDPOINTS_MAX)
    throw webhookEndpointLimitReached({ params: { max: ENDPOINTS_MAX } })
  for (const lane of endpointLanes({ ...row, org_id: orgId })) await ensureLane(tx, lane)
  // No event can get a number in between: by its number it would need a delivery, but fan-out might have passed it before it
  // saw the endpoint.
  const subscribedAfter = await lockLastSequence(tx, orgId)
  const summary = summarizeEndpoint({ ...row, state: 'enabled', disabled_reason: null })
  const initiator = { ...(input.actor && { actor: input.actor }), requestId: input.requestId ?? null }
  const created = { type: endpointEvents.created, subject: row.id, data: summary, ...initiator }
  await recordEvents(tx, orgId, [created], context.clock.now())
  const endpoint = await insertEndpoint(tx, orgId, { ...row, subscribed_after: subscribedAfter })
  await insertSecret(tx, orgId, secret.row)
  return { endpoint: await pingUrl(context, tx, endpoint, { data: summary, ...initiator }), secret: secret.secret }
}

function newEndpoint(context: WebhooksContext, input: NewWebhookEndpointInput): NewEndpointRow {
  const nowMs = context.clock.now()
  const [id, now] = [newId('wep', nowMs), new Date(nowMs)]
  return {
    id,
    url: acceptUrl(input.url, context.egress),
    description: input.description ?? null,
    events: [...new Set(input.events)],
    state_changed_at: now,
    payload: input.payload,
    ordering: input.ordering,
    max_per_second: input.max_per_second ?? null,
    timeout_ms: input.timeout_ms,
    retry_delays_seconds: input.retry_delays_seconds ?? null,
    retry_delays_by_event: tidyDelays(input.retry_delays_by_event),
    signing: input.signing,
    sealed_headers: sealHeaders(context.secretBox, id, input.custom_headers),
    sealed_tls: sealTls(context.secretBox, id, input.tls),
    subscribed_after: 0,
    ping_event_id: null,
    created_at: now,
    updated_at: now,
  }
}

export async function updateEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, change, ...initiator }: { id: string; change: WebhookEndpointChangeInput } & Initiator,
): Promise<Endpoint> {
  await lockSubscriptions(tx, orgId, 'alone')
  const before = await getEndpoint(tx, orgId, id)
  const now = new Date(context.clock.now())
  const settings = changedSettings(context, before, change)
  if (isUnchanged(context, before, settings)) return before
  await updateEndpointLane(tx, before, settings, now)
  if (settings.signing !== 'v1') await ensureKeyPair(context, tx, before, now)
  const after = { ...before, ...settings }
  const summary = await summarizeNow(tx, after, now)
  const previous = changedFields(summarizeEndpoint(before), summarizeEndpoint(after))
  const event = { type: endpointEvents.updated, subject: before.id, data: summary, previous }
  const changed = await updateEndpointSettings(tx, orgId, { id: before.id, settings, now })
  const updated = settings.ordering === before.ordering ? changed : await reorder(context, tx, changed, now)
  await recordEvents(tx, orgId, [{ ...event, ...initiator }], now.getTime())
  return settings.url === before.url ? updated : pingUrl(context, tx, updated, { data: summary, ...initiator })
}

function changedSettings(
  { secretBox, egress }: WebhooksContext,
  before: Endpoint,
  { url, custom_headers: headers, tls, events, retry_delays_by_event: delays, ...rest }: WebhookEndpointChangeInput,
): EndpointSettings {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    url: url === undefined ? before.url : acceptUrl(url, egress),
    description: before.description,
    events: events === undefined ? before.events : [...new Set(events)],
    payload: before.payload,
    ordering: before.ordering,
    max_per_second: before.max_per_second,
    timeout_ms: before.timeout_ms,
    retry_delays_seconds: before.retry_delays_seconds,
    retry_delays_by_event: delays === undefined ? before.retry_delays_by_event : tidyDelays(delays),
    signing: before.signing,
    sealed_headers: headers === undefined ? before.sealed_headers : sealHeaders(secretBox, before.id, headers),
    sealed_tls: tls === undefined ? before.sealed_tls : sealTls(secretBox, before.id, tls),
    ...given,
  }
}

/** As stored: events about an endpoint mask its URL and its headers. */
function isUnchanged(context: WebhooksContext, before: Endpoint, settings: EndpointSettings): boolean {
  const [old, young] = [before, { ...before, ...settings }].map((endpoint) => meantBy(context, endpoint))
  return JSON.stringify(old) === JSON.stringify(young)
}

/**
 * Sealed twice, the same text is other bytes, and the database keeps the members of an object in another order.
 */
const meantBy = ({ secretBox }: WebhooksContext, endpoint: Endpoint) => ({
  ...endpoint,
  retry_delays_by_event: tidyDelays(endpoint.retry_delays_by_event),
  sealed_headers: Object.entries(openHeaders(secretBox, endpoint.id, endpoint.sealed_headers)).sort(),
  sealed_tls: openTls(secretBox, endpoint.id, endpoint.sealed_tls),
})

async function updateEndpointLane(tx: Tx, before: Endpoint, after: EndpointSettings, now: Date): Promise<void> {
  if (before.ordering === after.ordering && before.max_per_second === after.max_per_second) return
  await changeLane(tx, before, after, now)
  await dissolveBundles(tx, 'waiting', { orgId: before.org_id, endpointId: before.id, now })
}

/** A short backlog is in its new order when the request is answered; a long one soon after. */
async function reorder(context: WebhooksContext, tx: Tx, endpoint: Endpoint, now: Date): Promise<Endpoint> {
  await beginSettling(tx, endpoint, { id: newId('job', now.getTime()), now })
  tx.afterCommit(() => context.wake([endpoint.org_id]))
  return getEndpoint(tx, endpoint.org_id, endpoint.id)
}

async function ensureKeyPair({ secretBox }: WebhooksContext, tx: Tx, endpoint: Endpoint, now: Date): Promise<void> {
  const [current] = await listSecrets(tx, [endpoint.org_id], { endpointIds: [endpoint.id], now })
  if (current === undefined || current.public_key !== null) return
  const place = { endpoint_id: endpoint.id, version: current.version }
  await updateKeyPair(tx, endpoint.org_id, { ...place, ...createKeyPair(secretBox, place) })
}

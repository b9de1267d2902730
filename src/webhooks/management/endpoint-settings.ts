import { type Initiator, lockLastSequence, recordEvents } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/validation.ts'
import type { Egress, UrlCheck } from '../../platform/outbound-http/egress.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import { beginSettling, changeLane, dissolveBundles } from '../deliveries/deliveries.ts'
import { webhookCallbackUnverified, webhookEndpointLimitReached } from '../endpoints/endpoints.errors.ts'
import { changedFields, endpointEvents, summarizeEndpoint } from '../endpoints/endpoints.events.ts'
import {
  cloudProblem,
  type NewWebhookEndpointInput,
  type WebhookEndpointChangeInput,
} from '../endpoints/endpoints.schemas.ts'
import {
  acceptTls,
  cloudEventsOf,
  countEndpoints,
  type Endpoint,
  type EndpointSettings,
  endpointLanes,
  getEndpoint,
  insertEndpoint,
  isCloudFormat,
  lockSubscriptions,
  type NewEndpointRow,
  openHeaders,
  openTls,
  openVerifyToken,
  orderingFor,
  sealHeaders,
  sealTls,
  sealVerifyToken,
  tidyDelays,
  tidyFilter,
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

/** Before the transaction that creates it: the URL, and in Meta's format the callback behind it. */
export async function vetNewEndpoint(context: WebhooksContext, input: NewWebhookEndpointInput): Promise<void> {
  await vetUrl(input.url, context.egress)
  if (input.verify_token === undefined) return
  await verifyCallback(context, {
    url: acceptUrl(input.url, context.egress),
    verifyToken: input.verify_token,
    headers: input.custom_headers ?? {},
    tls: acceptTls(input.tls),
    timeoutMs: input.timeout_ms,
  })
}

/** Before the transaction that changes it. In Meta's format a new URL or verify token is tried by a handshake. */
export async function vetEndpointChange(
  context: WebhooksContext,
  orgId: OrgId,
  { id, change }: { id: string; change: WebhookEndpointChangeInput },
): Promise<void> {
  await vetUrl(change.url, context.egress)
  if (change.url === undefined && change.verify_token === undefined) return
  const before = await getEndpoint(context.database, orgId, id)
  const { secretBox, egress } = context
  const known = openVerifyToken(secretBox, before.id, before.sealed_verify_token)
  const [url, verifyToken] = [acceptUrl(change.url ?? before.url, egress), change.verify_token ?? known]
  if (!isCloudFormat(before) || verifyToken === null || (url === before.url && verifyToken === known)) return
  await verifyCallback(context, {
    url,
    verifyToken,
    headers: change.custom_headers ?? openHeaders(secretBox, before.id, before.sealed_headers),
    tls: change.tls === undefined ? openTls(secretBox, before.id, before.sealed_tls) : acceptTls(change.tls),
    timeoutMs: change.timeout_ms ?? before.timeout_ms,
  })
}

async function verifyCallback(
  { shakeHands }: WebhooksContext,
  callback: Parameters<WebhooksContext['shakeHands']>[0],
): Promise<void> {
  const { result, problem } = await shakeHands(callback)
  if (problem === null) return
  const params = { response_status: result.status, error_class: result.errorClass }
  throw webhookCallbackUnverified({ says: `${problem} Nothing was saved.`, params })
}

export const ENDPOINTS_MAX = 50

export async function createEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  input: NewWebhookEndpointInput & Initiator,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const row = newEndpoint(context, input, await numberOf(context, tx, orgId, input.number))
  const secret = createSecret(context.secretBox, {
    endpointId: row.id,
    version: 1,
    signing: row.signing,
    now: row.created_at,
    given: isCloudFormat(row) ? (context.appSecret ?? null) : null,
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
  // In Meta's format the callback has just passed the handshake.
  const pinged = isCloudFormat(endpoint)
    ? endpoint
    : await pingUrl(context, tx, endpoint, { data: summary, ...initiator })
  return { endpoint: pinged, secret: secret.secret }
}

/** Null for all of them. */
async function numberOf(
  { findNumber }: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  reference: string | null | undefined,
): Promise<NewEndpointRow['number_id']> {
  if (reference == null) return null
  const id = await findNumber(tx, orgId, reference)
  if (id !== null) return id
  const detail = 'There is no business number with this id or phone. List the numbers to find the one you mean.'
  throw refuseValues([{ pointer: '#/number', code: 'unknown_number', detail }])
}

function newEndpoint(
  context: WebhooksContext,
  input: NewWebhookEndpointInput,
  numberId: NewEndpointRow['number_id'],
): NewEndpointRow {
  const nowMs = context.clock.now()
  const [id, now] = [newId('wep', nowMs), new Date(nowMs)]
  return {
    id,
    url: acceptUrl(input.url, context.egress),
    description: input.description ?? null,
    format: input.format,
    number_id: numberId,
    events: eventsFor(input, input.events),
    payload_filter: tidyFilter(input.filter),
    state_changed_at: now,
    payload: input.payload,
    ordering: orderingFor(input, input.ordering),
    max_per_second: input.max_per_second ?? null,
    timeout_ms: input.timeout_ms,
    retry_delays_seconds: input.retry_delays_seconds ?? null,
    retry_delays_by_event: tidyDelays(input.retry_delays_by_event),
    signing: input.signing,
    sealed_headers: sealHeaders(context.secretBox, id, input.custom_headers),
    sealed_tls: sealTls(context.secretBox, id, input.tls),
    sealed_verify_token:
      input.verify_token === undefined ? null : sealVerifyToken(context.secretBox, id, input.verify_token),
    subscribed_after: 0,
    ping_event_id: null,
    created_at: now,
    updated_at: now,
  }
}

const eventsFor = (endpoint: Pick<Endpoint, 'format'>, filters: readonly string[]): string[] =>
  isCloudFormat(endpoint) ? cloudEventsOf(filters) : [...new Set(filters)]

export async function updateEndpoint(
  context: WebhooksContext,
  tx: Tx,
  orgId: OrgId,
  { id, change, ...initiator }: { id: string; change: WebhookEndpointChangeInput } & Initiator,
): Promise<Endpoint> {
  await lockSubscriptions(tx, orgId, 'alone')
  const before = await getEndpoint(tx, orgId, id)
  const now = new Date(context.clock.now())
  refuseForFormat(before, change)
  const numberId = change.number === undefined ? before.number_id : await numberOf(context, tx, orgId, change.number)
  const settings = { ...changedSettings(context, before, change), number_id: numberId }
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
  if (settings.url === before.url || isCloudFormat(before)) return updated
  return pingUrl(context, tx, updated, { data: summary, ...initiator })
}

function changedSettings(
  { secretBox, egress }: WebhooksContext,
  before: Endpoint,
  { url, custom_headers: headers, tls, events, retry_delays_by_event: delays, ...others }: WebhookEndpointChangeInput,
): EndpointSettings {
  const { number: _, verify_token: token, filter, ...rest } = others
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    url: url === undefined ? before.url : acceptUrl(url, egress),
    description: before.description,
    number_id: before.number_id,
    events: events === undefined ? before.events : eventsFor(before, events),
    payload_filter: filter === undefined ? before.payload_filter : tidyFilter(filter),
    payload: before.payload,
    max_per_second: before.max_per_second,
    timeout_ms: before.timeout_ms,
    retry_delays_seconds: before.retry_delays_seconds,
    retry_delays_by_event: delays === undefined ? before.retry_delays_by_event : tidyDelays(delays),
    signing: before.signing,
    sealed_headers: headers === undefined ? before.sealed_headers : sealHeaders(secretBox, before.id, headers),
    sealed_tls: tls === undefined ? before.sealed_tls : sealTls(secretBox, before.id, tls),
    sealed_verify_token:
      token === undefined ? before.sealed_verify_token : sealVerifyToken(secretBox, before.id, token),
    ...given,
    ordering: orderingFor(before, rest.ordering ?? before.ordering),
  }
}

/** What a change names that the format of the endpoint does not have. */
function refuseForFormat(endpoint: Endpoint, change: WebhookEndpointChangeInput): void {
  const problem = isCloudFormat(endpoint) ? cloudProblem(change) : standardProblem(change)
  if (problem === null) return
  throw refuseValues([{ pointer: `#/${problem.name}`, code: problem.code, detail: problem.message }])
}

function standardProblem({ verify_token, number }: WebhookEndpointChangeInput) {
  const message = 'The format of this endpoint is "standard", which does not have this.'
  const name = verify_token !== undefined ? 'verify_token' : number == null ? null : 'number'
  return name === null ? null : { name, code: 'not_in_format', message }
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
  payload_filter: tidyFilter(endpoint.payload_filter),
  retry_delays_by_event: tidyDelays(endpoint.retry_delays_by_event),
  sealed_headers: Object.entries(openHeaders(secretBox, endpoint.id, endpoint.sealed_headers)).sort(),
  sealed_tls: openTls(secretBox, endpoint.id, endpoint.sealed_tls),
  sealed_verify_token: openVerifyToken(secretBox, endpoint.id, endpoint.sealed_verify_token),
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
  const [current] = await listSecrets(tx, endpoint.org_id, { endpointIds: [endpoint.id], now })
  if (current === undefined || current.public_key !== null) return
  const place = { endpoint_id: endpoint.id, version: current.version }
  await updateKeyPair(tx, endpoint.org_id, { ...place, ...createKeyPair(secretBox, place) })
}

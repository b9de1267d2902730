import type { EventBody } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId } from '../../kernel/ids.ts'
import type { OutboundClient, OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import { beginCall, endCall } from '../../platform/telemetry/call-span.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { spanOf } from '../../platform/telemetry/traces.ts'
import { type AttemptRow, type DeliveryPayload, deliveryOf, triggerOf } from '../deliveries/deliveries.ts'
import { isCloudFormat, maskLocation, type ShakeHands } from '../endpoints/endpoints.ts'
import { hubSignature, signatureHeader } from '../signing/signing.ts'
import type { AttemptSource, SendableEndpoint } from './attempt-source.ts'
import { type AttemptVerdict, judgeAttempt, judgeHandshake } from './attempt-verdict.ts'
import { type BodySizeWatch, bodyInFormat, bodyOf, type DeliveryBody } from './delivery-body.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { RunData } from './delivery-results.ts'
import { withoutEchoes } from './echoes.ts'

/**
 * One attempt: sign what is to be sent anew, post it, and say what the answer means. All of it is written down when the
 * outbox acknowledges the run (delivery-results.ts).
 */
export type AttemptOptions = {
  source: AttemptSource
  client: OutboundClient
  clock: Clock
  log: Log
  metrics: DeliveryMetrics
  processId: string
  userAgent: string
  /** Where the API serves events, for `self` in a body that holds ids only. */
  eventsPath: string
  watchSize: BodySizeWatch
  shakeHands: ShakeHands
}

export type DeliveryEntry = ClaimedEntry<DeliveryPayload>
type Sendable = {
  event: EventBody
  endpoint: SendableEndpoint
  /** The highest number an attempt of the delivery has on record, where that was looked up. */
  lastNumber?: number
  /** The body, where the endpoint has another format than ours. */
  rendered?: string | undefined
}
export type MadeAttempt = { verdict: AttemptVerdict; data: RunData }

const CONNECT_TIMEOUT_MS = 5_000

export async function makeAttempt(
  options: AttemptOptions,
  entry: DeliveryEntry,
  { event, endpoint, lastNumber = 0, rendered }: Sendable,
  signal: AbortSignal,
): Promise<MadeAttempt> {
  const isThin = entry.payload.is_thin ?? false
  const body =
    rendered === undefined ? bodyOf(event, { isThin, eventsPath: options.eventsPath }) : bodyInFormat(rendered)
  if (rendered === undefined) options.watchSize(event, body)
  const number = numberOf(entry, lastNumber)
  if (isAfterLost(entry, lastNumber)) options.metrics.repeated()
  const span = beginCall({
    peer: 'webhook',
    method: isHandshake(event, endpoint) ? 'GET' : 'POST',
    url: endpoint.row.url,
    attributes: { 'nexkit.endpoint_id': endpoint.row.id, 'nexkit.event_id': event.id, 'nexkit.event_type': event.type },
    traceparent: event.traceparent,
  })
  const traceparent = span?.traceparent ?? (event.traceparent && spanOf(event.traceparent))
  const headers = headersFor(options, { entry, number, event, endpoint, body, traceparent })
  const { result, verdict } = await (isHandshake(event, endpoint)
    ? tryHandshake(options, endpoint, signal)
    : post(options, { endpoint, headers, body }, signal))
  endCall(span, { status: result.status, failure: verdict.isDelivered ? null : verdict.errorClass })
  const attempt = attemptOf(options, { entry, number, endpoint, body, headers, result, verdict })
  options.metrics.attempted(entry, attempt, endpoint.row.state_changed_at)
  logAttempt(options.log, attempt)
  const { type, subject, sequence, is_test } = event
  return {
    verdict,
    data: {
      attempt,
      disable: verdict.disable === null ? null : { reason: verdict.disable, sentTo: endpoint.row },
      about: { type, subject, sequence, is_test, is_thin: isThin },
    },
  }
}

type Posted = { result: OutboundResult; verdict: AttemptVerdict }

async function post(
  { client, clock }: AttemptOptions,
  { endpoint, headers, body }: Pick<Made, 'endpoint' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<Posted> {
  const sent = await client.send({
    url: endpoint.row.url,
    headers: joined(headers, endpoint.headers),
    body: body.bytes,
    timeoutMs: endpoint.row.timeout_ms,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal,
    ...(endpoint.tls !== null && { tls: endpoint.tls }),
  })
  const result = withoutEchoes(sent, endpoint.credentials)
  return { result, verdict: judgeAttempt(result, clock.now()) }
}

/** Meta's format knows no test event: a ping, the one test that such an endpoint gets, repeats its handshake. */
const isHandshake = ({ is_test }: EventBody, { row }: SendableEndpoint): boolean => is_test && isCloudFormat(row)

async function tryHandshake(
  { shakeHands, clock }: AttemptOptions,
  { row, headers, tls, verifyToken, credentials }: SendableEndpoint,
  signal: AbortSignal,
): Promise<Posted> {
  const callback = { url: row.url, verifyToken: verifyToken ?? '', headers, tls, timeoutMs: row.timeout_ms }
  const { result: sent, problem } = await shakeHands(callback, signal)
  const result = withoutEchoes(sent, verifyToken === null ? credentials : [...credentials, verifyToken])
  return { result, verdict: judgeHandshake(judgeAttempt(result, clock.now()), problem) }
}

type Draft = { entry: DeliveryEntry; number: number; endpoint: SendableEndpoint; body: DeliveryBody }
type Unsigned = Draft & Pick<Sendable, 'event'> & { traceparent: string | null }

/**
 * Decided when the attempt is made: what was sent by hand meanwhile has taken its number. Two that are in flight at the same
 * moment may share one; none repeats a number that is on record.
 */
const numberOf = ({ attempt, payload }: DeliveryEntry, lastNumber: number): number =>
  Math.max((payload.attempts_before ?? 0) + attempt, lastNumber + 1)

/** Attempts are counted when they begin and recorded when they end: one that is counted only may have arrived. */
const isAfterLost = ({ attempt, payload }: DeliveryEntry, lastNumber: number): boolean =>
  (payload.attempts_before ?? 0) + attempt > lastNumber + 1

/** Names in lower case: several verifiers look them up that way. */
function headersFor(
  { clock }: AttemptOptions,
  { entry, number, event, endpoint, body, traceparent }: Unsigned,
): Record<string, string> {
  const nowMs = clock.now()
  const live = endpoint.keys.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > nowMs)
  if (isCloudFormat(endpoint.row)) return cloudHeaders({ entry, number, event, body, traceparent }, live)
  const content = { id: entry.payload.event, timestampSeconds: Math.floor(nowMs / 1000), body: body.bytes }
  const keys = live.map(({ key }) => key)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampSeconds),
    'webhook-signature': signatureHeader(keys, content),
    'webhook-attempt': String(number),
  }
  if (traceparent !== null) headers.traceparent = traceparent
  return headers
}

/** The handshake is a GET and carries no signature. The id and the number of the attempt help those who look for one. */
function cloudHeaders(
  { entry, number, event, body, traceparent }: Omit<Unsigned, 'endpoint'>,
  live: SendableEndpoint['keys'],
): Record<string, string> {
  if (event.is_test) return {}
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-hub-signature-256': hubSignature(
      live.map(({ key }) => key),
      body.bytes,
    ),
    'webhook-id': entry.payload.event,
    'webhook-attempt': String(number),
  }
  if (traceparent !== null) headers.traceparent = traceparent
  return headers
}

/** Most endpoints have no custom headers, and copying ours for nothing costs more than looking. */
function joined(ours: Record<string, string>, theirs: Record<string, string>): Record<string, string> {
  for (const _ in theirs) return { ...ours, ...theirs }
  return ours
}

type Made = Draft & { headers: Record<string, string>; result: OutboundResult; verdict: AttemptVerdict }

function attemptOf(
  options: AttemptOptions,
  { entry, number, endpoint, body, headers, result, verdict }: Made,
): AttemptRow {
  const { payload } = entry
  return {
    org_id: entry.orgId,
    delivery_id: deliveryOf(entry),
    id: payload.delivery === undefined ? newId('att', result.startedAtMs) : (entry.id as Id<'att'>),
    endpoint_id: endpoint.row.id,
    event_id: payload.event,
    number,
    trigger: triggerOf(payload, entry.isProbe),
    outcome: verdict.isDelivered ? 'succeeded' : 'failed',
    url: endpoint.maskedUrl,
    request_headers: joined({ ...headers, 'user-agent': options.userAgent }, endpoint.maskedHeaders),
    body_sha256: body.sha256,
    throttled_ms: entry.throttledMs,
    error_class: verdict.errorClass,
    error_detail: verdict.errorDetail,
    next_attempt_at: null,
    worker_id: options.processId,
    lease_number: entry.leaseNumber,
    started_at: new Date(result.startedAtMs),
    ip: result.ip,
    http_version: result.httpVersion,
    request_bytes: result.requestBytes,
    dns_ms: result.dnsMs,
    connect_ms: result.connectMs,
    tls_ms: result.tlsMs,
    ttfb_ms: result.ttfbMs,
    total_ms: result.totalMs,
    response_status: result.status,
    response_headers: maskedLocation(result.responseHeaders),
    response_body: result.responseBody,
    is_response_base64: result.isResponseBodyBase64,
    is_response_truncated: result.isResponseTruncated,
    retry_after_ms: result.retryAfterMs,
  }
}

/** A receiver that redirects often points to the URL it was called with, secrets and all. */
function maskedLocation(headers: OutboundResult['responseHeaders']): OutboundResult['responseHeaders'] {
  if (headers?.location === undefined) return headers
  return { ...headers, location: maskLocation(headers.location) }
}

function logAttempt(log: Log, attempt: AttemptRow): void {
  const fields = {
    org_id: attempt.org_id,
    delivery_id: attempt.delivery_id,
    event_id: attempt.event_id,
    endpoint_id: attempt.endpoint_id,
    attempt: attempt.number,
    trigger: attempt.trigger,
    outcome: attempt.outcome,
    response_status: attempt.response_status,
    error_class: attempt.error_class,
    total_ms: attempt.total_ms,
  }
  if (attempt.outcome === 'succeeded') log.debug(fields, 'webhook attempted')
  else log.info(fields, 'webhook attempt failed')
}

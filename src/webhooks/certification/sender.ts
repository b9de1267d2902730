import type { Clock } from '../../kernel/clock.ts'
import type { OutboundClient, OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import { credentialsIn, withoutEchoes } from '../deliveries/echoes.ts'
import { maskLocation } from '../endpoints/url-mask.ts'
import type { ProbeTarget } from './messages.ts'
import type { Sender } from './run.ts'

/** Probes go out the way deliveries do, through the same client and its guard on addresses; none is repeated. */
const PROBE_TIMEOUT_MS_MAX = 15_000
const CONNECT_TIMEOUT_MS = 5_000
const EXCERPT_CHARACTERS = 500

export type SenderOptions = { client: Pick<OutboundClient, 'send'>; clock: Clock; signal?: AbortSignal }

export function createSender(target: ProbeTarget, { client, clock, signal }: SenderOptions): Sender {
  const credentials = credentialsIn(target.headers)
  return async ({ headers, body }) => {
    const result = await client.send({
      url: target.url,
      headers,
      body,
      timeoutMs: Math.min(target.timeoutMs, PROBE_TIMEOUT_MS_MAX),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(target.tls !== undefined && { tls: target.tls }),
      ...(signal !== undefined && { signal }),
    })
    return { ...readResult(withoutEchoes(result, credentials)), receivedAtMs: clock.now() }
  }
}

function readResult(result: OutboundResult) {
  const { status, errorClass, errorDetail, totalMs, retryAfterMs, responseHeaders } = result
  const date = Date.parse(responseHeaders?.date ?? '')
  const location = responseHeaders?.location
  return {
    status,
    errorClass,
    errorDetail,
    totalMs,
    retryAfterMs,
    location: location === undefined ? null : maskLocation(location),
    dateMs: Number.isNaN(date) ? null : date,
    body: result.isResponseBodyBase64 ? null : (result.responseBody?.slice(0, EXCERPT_CHARACTERS) ?? null),
  }
}

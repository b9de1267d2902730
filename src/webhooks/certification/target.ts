import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import type { OutboundClient, OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import { type EndpointRow, findEndpoint, maskLocation, openHeaders, openTls } from '../endpoints/endpoints.ts'
import { credentialsIn, withoutEchoes } from '../sending/sending.ts'
import { listSecrets, openSigningKeys, SECRET_PREFIX } from '../signing/signing.ts'
import type { ProbeTarget } from './messages.ts'
import type { Sender } from './run.ts'

type FoundTarget = { endpoint: EndpointRow; target: ProbeTarget }

/** The endpoint with its live secrets opened, as they are now; null when it was deleted meanwhile. */
export async function findTarget(
  queries: Queries,
  orgId: OrgId,
  { endpointId, secretBox, now }: { endpointId: Id<'wep'>; secretBox: SecretBox; now: Date },
): Promise<FoundTarget | null> {
  const endpoint = await findEndpoint(queries, orgId, endpointId)
  if (endpoint === null) return null
  const rows = await listSecrets(queries, orgId, { endpointIds: [endpointId], now })
  const keys = openSigningKeys(secretBox, rows, endpoint.signing).map(({ key }) => key)
  const symmetric = openSigningKeys(secretBox, rows, 'v1').flatMap(({ key }) => (key.version === 'v1' ? [key] : []))
  const tls = openTls(secretBox, endpointId, endpoint.sealed_tls)
  return {
    endpoint,
    target: {
      url: endpoint.url,
      timeoutMs: endpoint.timeout_ms,
      headers: openHeaders(secretBox, endpointId, endpoint.sealed_headers),
      ...(tls !== null && { tls }),
      keys,
      secrets: symmetric.map(({ secret }) => SECRET_PREFIX + secret.toString('base64')),
    },
  }
}

/** Probes go out the way deliveries do, through the same client and its guard on addresses; none is repeated. */
const PROBE_TIMEOUT_MS_MAX = 15_000
const CONNECT_TIMEOUT_MS = 5_000
const EXCERPT_CHARACTERS = 500

type SenderOptions = { client: Pick<OutboundClient, 'send'>; clock: Clock; signal?: AbortSignal }

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

import type { Clock } from '../kernel/clock.ts'
import type { ResolveHost } from './delivery-client/host-resolution.ts'
import { createDeliveryClient } from './delivery-client.ts'
import { checkEndpointUrl, type EndpointUrlPolicy } from './endpoint-url.ts'

/**
 * Fetches a small document from an address that a stranger named, by the rules that webhooks are sent by: only to where those may
 * go, the address judged that is connected to, no redirect followed, nothing inflated, one deadline over all of it.
 */
export type GuardedFetch = (url: string) => Promise<{ body: string } | null>

const BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 5000

export function createGuardedFetch(options: {
  policy: EndpointUrlPolicy
  clock: Clock
  userAgent: string
  resolve?: ResolveHost
  /** The certificates to trust beside the usual ones. */
  ca?: string
}): GuardedFetch {
  const { policy, clock, userAgent, resolve, ca } = options
  const client = createDeliveryClient({
    allowedRanges: policy.allowedRanges,
    clock,
    userAgent,
    method: 'GET',
    ...(resolve !== undefined && { resolve }),
    limits: { excerptBytesMax: BYTES_MAX, drainBytesMax: 0, idleMax: 0 },
  })
  return async (url) => {
    const checked = checkEndpointUrl(url, policy)
    if (!checked.ok) return null
    const result = await client.send({
      url: checked.url,
      headers: { accept: 'application/json' },
      body: new Uint8Array(),
      timeoutMs: TIMEOUT_MS,
      connectTimeoutMs: TIMEOUT_MS,
      ...(ca !== undefined && { tls: { ca } }),
    })
    const isWhole = result.errorClass === null && !result.isResponseTruncated && !result.isResponseBodyBase64
    return result.status === 200 && isWhole ? { body: result.responseBody ?? '' } : null
  }
}

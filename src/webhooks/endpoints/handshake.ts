import { randomInt } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { Egress } from '../../platform/outbound-http/egress.ts'
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundResult,
  type TlsMaterial,
} from '../../platform/outbound-http/outbound-client.ts'

/**
 * The handshake of Meta's format: a GET with `hub.mode`, `hub.verify_token` and `hub.challenge`, which the callback has to
 * answer with status 200 and the challenge alone. It goes through the guard that deliveries go through.
 */
export type Callback = {
  url: string
  verifyToken: string
  headers: Readonly<Record<string, string>>
  tls: TlsMaterial | null
  timeoutMs: number
}

export type Handshake = {
  result: OutboundResult
  /** What is wrong, as a sentence; null when the callback passed. */
  problem: string | null
}

export type ShakeHands = (callback: Callback, signal?: AbortSignal) => Promise<Handshake>

const CONNECT_TIMEOUT_MS = 5_000
const CHALLENGE_MIN = 1_000_000_000
const CHALLENGE_MAX = 10_000_000_000

type HandshakeOptions = { egress: Pick<Egress, 'policy'>; clock: Clock; userAgent: string }

export function createHandshake({
  egress,
  clock,
  userAgent,
}: HandshakeOptions): ShakeHands & Pick<OutboundClient, 'close'> {
  const client = createOutboundClient({ allowedRanges: egress.policy.allowedRanges, clock, userAgent, method: 'GET' })
  const shakeHands: ShakeHands = async (callback, signal) => {
    // A number, because several samples for Meta's API read it as one.
    const challenge = String(randomInt(CHALLENGE_MIN, CHALLENGE_MAX))
    const result = await client.send({
      url: handshakeUrl(callback, challenge),
      headers: callback.headers,
      body: new Uint8Array(),
      timeoutMs: callback.timeoutMs,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(callback.tls !== null && { tls: callback.tls }),
      ...(signal !== undefined && { signal }),
    })
    return { result, problem: problemOf(result, challenge) }
  }
  return Object.assign(shakeHands, { close: () => client.close() })
}

/** Appended as text: a query that is there stays as it was written. */
function handshakeUrl({ url, verifyToken }: Callback, challenge: string): string {
  const query = `hub.mode=subscribe&hub.challenge=${challenge}&hub.verify_token=${encodeURIComponent(verifyToken)}`
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

function problemOf(
  { status, errorClass, errorDetail, responseBody }: OutboundResult,
  challenge: string,
): string | null {
  if (errorClass !== null || status === null)
    return `The callback could not be reached (${errorClass ?? 'protocol'}${errorDetail === null ? '' : `: ${errorDetail.replace(/\.$/, '')}`}).`
  if (status >= 300 && status < 400)
    return `The callback answered with status ${status}. Redirects are not followed; give the URL that it points to.`
  if (status !== 200)
    return `The callback answered with status ${status} instead of 200. Check that it has the same verify token.`
  return responseBody?.trim() === challenge
    ? null
    : 'The callback answered with status 200, but not with the value of hub.challenge. Its body must be that value and nothing else.'
}

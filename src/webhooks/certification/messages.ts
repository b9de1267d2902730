import { EVENT_VERSION, type EventType, systemActor } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { TlsMaterial } from '../../platform/outbound-http/outbound-client.ts'
import { type SigningKey, signatureHeader } from '../signing/signing.ts'

/** The other side of a certification: an endpoint with all that a delivery to it would use. */
export type ProbeTarget = {
  url: string
  timeoutMs: number
  /** Of the customer's own. */
  headers: Readonly<Record<string, string>>
  tls?: TlsMaterial
  /** Those a delivery is signed with, newest first. */
  keys: readonly SigningKey[]
  /** The live `whsec_` texts, newest first, also when the endpoint asks for `v1a` alone. */
  secrets: readonly string[]
}

/** What messages are made from. */
export type Workbench = {
  target: ProbeTarget
  orgId: OrgId
  type: EventType
  clock: Clock
}

/** A slash is in most real events, as part of a URL: libraries that escape it show by that. */
const PREVIOUS = { certification: 'application/json' }

export type Envelope = Record<string, unknown> & { id: Id<'evt'> }

/** One request as it goes out; without a signature when that is what is being tried. */
export type Message = { headers: Record<string, string>; body: Buffer }

/**
 * An event as a test carries it: marked as one and without a sequence, so that a receiver neither acts on it nor takes it for
 * one of the real events.
 */
export function makeEnvelope({ orgId, type, clock }: Workbench, changes: Record<string, unknown> = {}): Envelope {
  const nowMs = clock.now()
  const happenedAt = new Date(nowMs).toISOString()
  return {
    object: 'event',
    id: newId('evt', nowMs),
    type: type.name,
    sequence: null,
    created_at: happenedAt,
    timestamp: happenedAt,
    version: EVENT_VERSION,
    tenant: orgId,
    test: true,
    actor: systemActor,
    data: type.example,
    previous: PREVIOUS,
    ...changes,
  }
}

export const nowSeconds = ({ clock }: Workbench): number => Math.floor(clock.now() / 1000)

type Sealing = {
  keys?: readonly SigningKey[]
  /** Negative in the past. */
  skewSeconds?: number
  /** The body in another spelling than the usual one. */
  text?: string
  attempt?: number
}

/** Signed as a delivery is, but for what the probe is about. */
export function sealMessage(bench: Workbench, envelope: Envelope, sealing: Sealing = {}): Message {
  const body = Buffer.from(sealing.text ?? JSON.stringify(envelope))
  const timestampSeconds = nowSeconds(bench) + (sealing.skewSeconds ?? 0)
  const keys = sealing.keys ?? bench.target.keys
  return makeMessage(bench, {
    id: envelope.id,
    timestamp: timestampSeconds,
    signature: signatureHeader(keys, { id: envelope.id, timestampSeconds, body }),
    body,
    attempt: sealing.attempt ?? 1,
  })
}

type MessageParts = { id: string; timestamp: number; signature: string; body: Buffer; attempt?: number }

export function makeMessage({ target }: Workbench, parts: MessageParts): Message {
  return {
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      'webhook-id': parts.id,
      'webhook-timestamp': String(parts.timestamp),
      'webhook-signature': parts.signature,
      'webhook-attempt': String(parts.attempt ?? 1),
    },
    body: parts.body,
  }
}

export function withoutSignature({ headers, body }: Message): Message {
  const { 'webhook-signature': _, ...rest } = headers
  return { headers: rest, body }
}

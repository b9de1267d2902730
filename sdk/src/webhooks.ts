import type { WebhookEvent } from './generated/types.ts'

/**
 * Verifying by the Standard Webhooks specification 1.0.0: what is signed is `id.timestamp.body`, the body being the exact
 * bytes that arrived. `v1` is HMAC-SHA256 with the secret of the endpoint, `v1a` is Ed25519 with its public key. One entry
 * that fits one key is enough, so that a secret can be exchanged while both sign. Comparing is left to `crypto.subtle`,
 * which does it in constant time.
 */
export type WebhookSecret =
  /** `whsec_…`, or for `v1a` the public key as `whpk_…`. */
  | string
  /** For `v1a`, an entry of `/.well-known/webhook-keys.json?endpoint=…`. */
  | { kty: string; crv?: string; x?: string }

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Record<string, string | readonly string[] | undefined>

export type WebhookOptions = {
  /** How far the clocks may be apart. Five minutes unless you say otherwise. */
  toleranceSeconds?: number | undefined
  /** Of the receiver's clock. */
  now?: Date | undefined
}

export type WebhookFailure =
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_malformed'

/** Not to be believed: answer 400, and do nothing else. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookFailure

  constructor(reason: WebhookFailure) {
    super(`The webhook was not accepted: ${SENTENCES[reason]}.`)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}

const SENTENCES: Record<WebhookFailure, string> = {
  header_missing: 'webhook-id, webhook-timestamp or webhook-signature is missing',
  header_malformed: 'its headers are not as Standard Webhooks has them',
  timestamp_too_old: 'it was signed too long ago, or this clock is ahead',
  timestamp_too_new: 'it was signed in the future, or this clock is behind',
  signature_mismatch: 'no signature fits; verify the raw body, with the secret of this endpoint',
  body_malformed: 'its body is not a JSON object',
}

const TOLERANCE_SECONDS = 300
/** More than any rotation needs; a forger cannot make one request cost thousands of checks. */
const ENTRIES_MAX = 16

/** The event, once its signature was found genuine. `body` must be what arrived, to the byte: not parsed JSON. */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: WebhookSecret | readonly WebhookSecret[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body)
  const keys = await Promise.all([secrets].flat().map((secret) => readKey(secret as WebhookSecret)))
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  )
  if (!id || !timestamp || !signature) throw new WebhookVerificationError('header_missing')
  const entries = signature.split(' ')
  if (!/^\d{1,15}$/.test(timestamp) || id.includes('.') || entries.length > ENTRIES_MAX)
    throw new WebhookVerificationError('header_malformed')
  const skewSeconds = Number(timestamp) - Math.floor(now.getTime() / 1000)
  if (skewSeconds < -toleranceSeconds) throw new WebhookVerificationError('timestamp_too_old')
  if (skewSeconds > toleranceSeconds) throw new WebhookVerificationError('timestamp_too_new')
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await fitsAny(keys, signed, entries))) throw new WebhookVerificationError('signature_mismatch')
  return readEvent(bytes)
}

/** The same for servers that hand over a `Request`: Bun, Deno, Hono, Next.js, edge runtimes. Reads its body. */
export const verifyWebhookRequest = async (
  request: Request,
  secrets: WebhookSecret | readonly WebhookSecret[],
  options: WebhookOptions = {},
): Promise<WebhookEvent> => verifyWebhook(await request.arrayBuffer(), request.headers, secrets, options)

type Bytes = Uint8Array<ArrayBuffer>
type VerifyingKey = { version: 'v1' | 'v1a'; key: CryptoKey }

/** Recognised by their members, as are headers: test runners and frameworks have other classes than the runtime. */
function bytesOf(body: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (/^\[object (?:ArrayBuffer|Uint8Array)\]$/.test(Object.prototype.toString.call(body))) return new Uint8Array(body)
  throw new TypeError('verify the raw body as it arrived, as text or bytes, before any parser has seen it')
}

async function readKey(secret: WebhookSecret): Promise<VerifyingKey> {
  const isText = typeof secret === 'string'
  if (isText && secret.startsWith('whsec_')) {
    const key = decode(secret.slice('whsec_'.length))
    return {
      version: 'v1',
      key: await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']),
    }
  }
  const publicKey = isText ? secret.startsWith('whpk_') && secret.slice('whpk_'.length) : publicKeyOf(secret)
  if (!publicKey) throw unreadable()
  return { version: 'v1a', key: await crypto.subtle.importKey('raw', decode(publicKey), 'Ed25519', false, ['verify']) }
}

/** Base64url, as JSON Web Keys have it, in the alphabet of everything else here. */
const publicKeyOf = ({ kty, crv, x }: { kty: string; crv?: string; x?: string }) =>
  kty === 'OKP' && crv === 'Ed25519' && x ? `${x.replaceAll('-', '+').replaceAll('_', '/')}=` : null

/** The text stays out of the message: it is a secret. */
const unreadable = () =>
  new TypeError('a secret is neither whsec_ nor whpk_ followed by padded base64, nor a public Ed25519 key')

function decode(base64: string): Bytes {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw unreadable()
  }
}

function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return (typeof value === 'string' ? value : value?.[0]) ?? null
}

function concat(first: Bytes, second: Bytes): Bytes {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Every key against every entry of its version: the time taken does not say which of them was near. */
async function fitsAny(keys: VerifyingKey[], signed: Bytes, entries: string[]): Promise<boolean> {
  const checks = keys.flatMap(({ version, key }) =>
    entries
      .filter((entry) => entry.startsWith(`${version},`))
      .map((entry) => fits(version, key, entry.slice(version.length + 1), signed)),
  )
  return (await Promise.all(checks)).includes(true)
}

async function fits(
  version: VerifyingKey['version'],
  key: CryptoKey,
  signature: string,
  signed: Bytes,
): Promise<boolean> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature) || signature.length % 4 !== 0) return false
  return crypto.subtle.verify(version === 'v1' ? 'HMAC' : 'Ed25519', key, decode(signature), signed)
}

function readEvent(bytes: Bytes): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof Object(event).type === 'string') return event as WebhookEvent
  } catch {
    // Said below.
  }
  throw new WebhookVerificationError('body_malformed')
}

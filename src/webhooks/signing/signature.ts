import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'

/**
 * Signing by the Standard Webhooks specification 1.0.0. What is signed is `id.timestamp.body`, the body being the exact
 * bytes that go on the wire. `v1` is HMAC-SHA256 with a secret both sides know (`whsec_`); `v1a` is Ed25519, where the
 * receiver holds only a public key (`whpk_`). Every attempt is signed anew, because verifiers refuse a timestamp that is
 * more than five minutes off.
 */
export type SigningKey =
  | {
      version: 'v1'
      secret: Buffer
      /** An app secret in Meta's form: receivers use its bytes as they are. */
      isVerbatim?: true
    }
  | { version: 'v1a'; privateKey: KeyObject }

type SignedContent = { id: string; timestampSeconds: number; body: Uint8Array }

type SigningKeyPair = {
  /** `whsk_` + base64 of seed and public key, 64 bytes, as other makers of webhooks write it. */
  privateKey: string
  /** `whpk_` + base64 of the 32 bytes. */
  publicKey: string
}

export type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: 'EdDSA' }

export const SECRET_PREFIX = 'whsec_'
const PRIVATE_KEY_PREFIX = 'whsk_'
export const PUBLIC_KEY_PREFIX = 'whpk_'

const SECRET_BYTES = 32
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64
const ED25519_KEY_BYTES = 32

export const createSigningSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** The bytes of a `whsec_` secret, or null when a verifier somewhere would refuse it. */
export function parseSigningSecret(text: string): Buffer | null {
  const bytes = decodePrefixed(text, SECRET_PREFIX)
  if (bytes === null || bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX) return null
  return bytes
}

export function createSigningKeyPair(): SigningKeyPair {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d as string, 'base64url')
  const publicKey = Buffer.from(x as string, 'base64url')
  return {
    privateKey: PRIVATE_KEY_PREFIX + Buffer.concat([seed, publicKey]).toString('base64'),
    publicKey: PUBLIC_KEY_PREFIX + publicKey.toString('base64'),
  }
}

/** The app secret that an emulated app was given: any text but one in our own form. */
export const verbatimKey = (text: string): SigningKey | null =>
  text.startsWith(SECRET_PREFIX) || text.startsWith(PRIVATE_KEY_PREFIX)
    ? null
    : { version: 'v1', secret: Buffer.from(text), isVerbatim: true }

/** A `whsec_` or `whsk_` text made ready to sign with. Reading an Ed25519 key costs more than using it: keep the result. */
export function parseSigningKey(text: string): SigningKey | null {
  if (text.startsWith(PRIVATE_KEY_PREFIX)) return parsePrivateKey(text)
  const secret = parseSigningSecret(text)
  return secret === null ? null : { version: 'v1', secret }
}

function parsePrivateKey(text: string): SigningKey | null {
  const bytes = decodePrefixed(text, PRIVATE_KEY_PREFIX)
  if (bytes === null || bytes.length !== 2 * ED25519_KEY_BYTES) return null
  const d = bytes.subarray(0, ED25519_KEY_BYTES).toString('base64url')
  const x = bytes.subarray(ED25519_KEY_BYTES).toString('base64url')
  try {
    const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
    // A public half that does not belong to the seed would sign what no receiver can verify.
    const derived = createPublicKey(privateKey).export({ format: 'jwk' }).x
    return derived === x ? { version: 'v1a', privateKey } : null
  } catch {
    return null
  }
}

export function parsePublicKey(text: string): KeyObject | null {
  const bytes = decodePrefixed(text, PUBLIC_KEY_PREFIX)
  if (bytes === null || bytes.length !== ED25519_KEY_BYTES) return null
  try {
    const key = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return null
  }
}

/**
 * The `webhook-signature` header for all live keys, given newest first. `v1` comes before `v1a`, because some receivers
 * look only at the first entry and no official library reads `v1a`.
 */
export function signatureHeader(keys: readonly SigningKey[], content: SignedContent): string {
  if (keys.length === 0) throw new RangeError('a webhook needs at least one signing key')
  const prefix = signedPrefix(content)
  const [only] = keys
  if (only !== undefined && keys.length === 1) return signPrepared(only, prefix, content.body)
  const entries = (version: SigningKey['version']) =>
    keys.filter((key) => key.version === version).map((key) => signPrepared(key, prefix, content.body))
  return [...entries('v1'), ...entries('v1a')].join(' ')
}

/** The three headers of an attempt, in lower case because several verifiers look them up that way. */
export function signedHeaders(keys: readonly SigningKey[], content: SignedContent): Record<string, string> {
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampSeconds),
    'webhook-signature': signatureHeader(keys, content),
  }
}

/**
 * `X-Hub-Signature-256`, as Meta signs: over the body alone, and with the bytes of the secret as it is written, `whsec_`
 * included, because receivers use what they are given as it is. There is room for one signature, which is the newest key's.
 */
export function hubSignature(keys: readonly SigningKey[], body: Uint8Array): string {
  const key = keys.find(({ version }) => version === 'v1')
  if (key?.version !== 'v1') throw new RangeError('a webhook needs at least one signing secret')
  const secret = key.isVerbatim ? key.secret : SECRET_PREFIX + key.secret.toString('base64')
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** One entry of the signature header: version, comma, base64. */
function signPrepared(key: SigningKey, prefix: string, body: Uint8Array): string {
  if (key.version === 'v1') return `v1,${createHmac('sha256', key.secret).update(prefix).update(body).digest('base64')}`
  return `v1a,${sign(null, Buffer.concat([Buffer.from(prefix), body]), key.privateKey).toString('base64')}`
}

const MESSAGE_ID = /^[A-Za-z0-9_-]{1,255}$/

/** A full stop in the id or a fraction in the timestamp would let bytes move across the boundary unseen. */
export function signedPrefix({ id, timestampSeconds }: Omit<SignedContent, 'body'>): string {
  if (!MESSAGE_ID.test(id)) throw new RangeError('a webhook id may hold only letters, digits, - and _')
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0)
    throw new RangeError('a webhook timestamp is a whole number of seconds')
  return `${id}.${timestampSeconds}.`
}

/** The public key as JSON Web Key. Its id is the RFC 7638 thumbprint, so it stays the same wherever it is computed. */
export function publicJwk(publicKeyText: string): PublicJwk {
  const bytes = decodePrefixed(publicKeyText, PUBLIC_KEY_PREFIX)
  if (bytes === null || bytes.length !== ED25519_KEY_BYTES) throw new RangeError('not a public signing key')
  const x = bytes.toString('base64url')
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' }
}

/** The body of `/.well-known/webhook-keys.json`. */
export const publicJwkSet = (publicKeyTexts: readonly string[]): { keys: PublicJwk[] } => ({
  keys: publicKeyTexts.map(publicJwk),
})

/** Decoding forgives missing padding and the URL-safe alphabet, verifiers in Go, Rust and C# do not: compare both ways. */
function decodePrefixed(text: string, prefix: string): Buffer | null {
  if (!text.startsWith(prefix)) return null
  const encoded = text.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes : null
}

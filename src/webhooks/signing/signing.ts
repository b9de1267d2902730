import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import {
  createSigningKeyPair,
  createSigningSecret,
  type PublicJwk,
  parseSigningKey,
  publicJwkSet,
  SECRET_PREFIX,
  type SigningKey,
  verbatimKey,
} from './signature.ts'
import { listPublicKeys, type SecretRow, type Signing } from './signing.sql.ts'

/**
 * What signs for an endpoint (signature.ts) and the secrets it signs with. They are needed in clear to sign, so they are sealed at rest, bound to their endpoint and version. An
 * endpoint has one current version and, after a rotation, older ones that sign along until they expire. The secret for
 * `v1` is shown once; the public key for `v1a` is not secret.
 */
type NewSecret = { row: Omit<SecretRow, 'org_id' | 'expires_at'>; secret: string }

/** With the current one; each entry adds 48 bytes to every request. */
export const OLD_VERSIONS_MAX = 2

const HINT_CHARACTERS = 4

const contextOf = (row: { endpoint_id: string; version: number }, column: string) =>
  `webhook_secrets.${column} ${row.endpoint_id} ${row.version}`

type SecretOptions = {
  endpointId: Id<'wep'>
  version: number
  signing: Signing
  now: Date
  /** The app secret of an emulated app; null for a new one. */
  given?: string | null
}

export function createSecret(
  box: SecretBox,
  { endpointId, version, signing, now, given = null }: SecretOptions,
): NewSecret {
  const secret = given ?? createSigningSecret()
  const place = { endpoint_id: endpointId, version }
  const row = {
    ...place,
    sealed_secret: box.seal(secret, contextOf(place, 'sealed_secret')),
    secret_hint: `${given === null ? SECRET_PREFIX : ''}…${secret.slice(-HINT_CHARACTERS)}`,
    ...(signing === 'v1' ? { sealed_private_key: null, public_key: null } : createKeyPair(box, place)),
    created_at: now,
  }
  return { row, secret }
}

export function createKeyPair(box: SecretBox, place: { endpoint_id: Id<'wep'>; version: number }) {
  const pair = createSigningKeyPair()
  return {
    sealed_private_key: box.seal(pair.privateKey, contextOf(place, 'sealed_private_key')),
    public_key: pair.publicKey,
  }
}

/** The secret itself, for a person who proved to be who they are. */
export const openSecret = (box: SecretBox, row: SecretRow): string =>
  box.open(row.sealed_secret, contextOf(row, 'sealed_secret'))

export type LiveKey = { key: SigningKey; expiresAt: Date | null }

/**
 * What signs for an endpoint, newest first, opened and parsed. Keep it briefly: it is the secret itself. An older version
 * that was sealed with a lost key signs no more; its successor, which was made because of that, does.
 */
export function openSigningKeys(box: SecretBox, rows: readonly SecretRow[], signing: Signing): LiveKey[] {
  return rows.flatMap((row, age) => {
    const open = (sealed: string, column: string) => {
      const context = contextOf(row, column)
      return age === 0 ? box.open(sealed, context) : tryOpen(box, sealed, context)
    }
    const texts = [
      signing === 'v1a' ? null : open(row.sealed_secret, 'sealed_secret'),
      signing === 'v1' || row.sealed_private_key === null ? null : open(row.sealed_private_key, 'sealed_private_key'),
    ]
    return texts.flatMap((text) => {
      if (text === null) return []
      const key = parseSigningKey(text) ?? verbatimKey(text)
      if (key === null) throw new Error(`version ${row.version} of the secret of ${row.endpoint_id} cannot be read`)
      return [{ key, expiresAt: row.expires_at }]
    })
  })
}

/**
 * The public keys of `v1a` as a JWK set, for `/.well-known/webhook-keys.json`. Keys are per endpoint, and a receiver must
 * trust its own only: a set of all of them would let one customer's events pass for another's. Hence `?endpoint=wep_…`,
 * which is what a receiver should ask for; without it the newest of all are listed, for looking up a key by its `kid`.
 */
const KEYS_LISTED_MAX = 1000

export type WellKnownKeys = (endpointId: string | null) => Promise<{ keys: PublicJwk[] }>

export const createWellKnownKeys =
  ({ database, clock }: { database: Database; clock: Clock }): WellKnownKeys =>
  async (endpointId) => {
    if (endpointId !== null && !isId('wep', endpointId)) return { keys: [] }
    const rows = await listPublicKeys(database, { endpointId, now: new Date(clock.now()), limit: KEYS_LISTED_MAX })
    return publicJwkSet(rows.map((row) => row.public_key))
  }

export {
  createSigningKeyPair,
  createSigningSecret,
  hubSignature,
  parseSigningKey,
  parseSigningSecret,
  SECRET_PREFIX,
  type SigningKey,
  signatureHeader,
  signedHeaders,
} from './signature.ts'

export {
  deleteSecrets,
  deleteSecretsBelow,
  insertSecret,
  listSecrets,
  retireSecrets,
  type SecretRow,
  type Signing,
  updateKeyPair,
} from './signing.sql.ts'

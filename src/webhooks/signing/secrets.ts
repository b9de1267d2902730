import type { Id } from '../../kernel/ids.ts'
import { type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import type { Signing } from '../endpoints/endpoints.sql.ts'
import type { SecretRow } from './secrets.sql.ts'
import {
  createSigningKeyPair,
  createSigningSecret,
  parseSigningKey,
  SECRET_PREFIX,
  type SigningKey,
} from './signature.ts'

/**
 * Signing secrets. They are needed in clear to sign, so they are sealed at rest, bound to their endpoint and version. An
 * endpoint has one current version and, after a rotation, older ones that sign along until they expire. The secret for
 * `v1` is shown once; the public key for `v1a` is not secret.
 */
export type NewSecret = { row: Omit<SecretRow, 'org_id' | 'expires_at'>; secret: string }

/** With the current one; each entry adds 48 bytes to every request. */
export const OLD_VERSIONS_MAX = 2

const HINT_CHARACTERS = 4

const contextOf = (row: { endpoint_id: string; version: number }, column: string) =>
  `webhook_secrets.${column} ${row.endpoint_id} ${row.version}`

export function createSecret(
  box: SecretBox,
  { endpointId, version, signing, now }: { endpointId: Id<'wep'>; version: number; signing: Signing; now: Date },
): NewSecret {
  const secret = createSigningSecret()
  const place = { endpoint_id: endpointId, version }
  const row = {
    ...place,
    sealed_secret: box.seal(secret, contextOf(place, 'sealed_secret')),
    secret_hint: `${SECRET_PREFIX}…${secret.slice(-HINT_CHARACTERS)}`,
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
      const key = parseSigningKey(text)
      if (key === null) throw new Error(`version ${row.version} of the secret of ${row.endpoint_id} cannot be read`)
      return [{ key, expiresAt: row.expires_at }]
    })
  })
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Secrets at rest: AES-256-GCM with a random nonce. The context (say `webhook_endpoints.secret wep_…`) is bound in as
 * associated data, so a sealed value copied to another row or column does not open there. The text names the version
 * of key and form, so that a later version can recognize old values: `v1.<nonce>.<ciphertext and tag>`.
 */
export type SecretBox = {
  seal(plaintext: string, context: string): string
  /** Throws when the text was changed, belongs to another context, or was sealed with another key. */
  open(sealed: string, context: string): string
}

/** Returns null when the value cannot be decrypted, as after the key was lost. Only code that shows or replaces the value may use this. */
export function tryOpen(box: SecretBox, sealed: string, context: string): string | null {
  try {
    return box.open(sealed, context)
  } catch {
    return null
  }
}

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.byteLength !== KEY_BYTES) throw new RangeError(`a secret box needs a key of ${KEY_BYTES} bytes`)
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associatedData(context))
      const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const { nonce, ciphertext, tag } = readParts(sealed)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(associatedData(context))
      decipher.setAuthTag(tag)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
    },
  }
}

const associatedData = (context: string) => Buffer.from(`${VERSION}.${context}`)

const SEALED = /^v1\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/

function readParts(sealed: string): { nonce: Buffer; ciphertext: Buffer; tag: Buffer } {
  const [, nonceText, text] = SEALED.exec(sealed) ?? []
  // The value itself stays out of the message: it may have been a secret that was never sealed.
  if (nonceText === undefined || text === undefined) throw new Error(`not a sealed value of version ${VERSION}`)
  const nonce = Buffer.from(nonceText, 'base64url')
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Error('the sealed value was altered')
  return { nonce, ciphertext: bytes.subarray(0, -TAG_BYTES), tag: bytes.subarray(-TAG_BYTES) }
}

/**
 * One key per purpose from the one master secret (HKDF-SHA256): what leaks in one place is of no use in another.
 * There is no salt because the master secret is random; the purpose sets the keys apart.
 */
export function deriveKey(masterSecret: string | Uint8Array, purpose: string): Uint8Array {
  if (masterSecret.length === 0) throw new RangeError('the master secret is empty')
  return new Uint8Array(hkdfSync('sha256', masterSecret, new Uint8Array(0), `nexkit ${purpose}`, KEY_BYTES))
}

import { createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import {
  PUBLIC_KEY_PREFIX,
  parsePublicKey,
  parseSigningSecret,
  signedPrefix,
} from '../../src/webhooks/signing/signature.ts'

/**
 * The receiver's side of signing, as a careful receiver does it. The official libraries go by the machine's clock and read
 * no `v1a`; this one takes the clock of the test and both versions. Every secret is tried against every entry and all are
 * compared in constant time, so the time taken says nothing about how near a forgery came.
 */
export type VerificationFailure =
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'

export type Verification = { ok: true } | { ok: false; reason: VerificationFailure }

export type HeaderSource = Headers | Record<string, string | readonly string[] | undefined>

/** What the official libraries allow either way. */
export const TOLERANCE_SECONDS = 300

/** More than any rotation needs; a forged request cannot cost thousands of hashes. */
const ENTRIES_MAX = 16

type Key = Buffer | KeyObject

/** `secrets` are `whsec_` and `whpk_` texts; `nowMs` is the receiver's clock. Throws when a secret cannot be read. */
export function verifySignature(
  headers: HeaderSource,
  body: Uint8Array,
  secrets: readonly string[],
  toleranceSeconds: number,
  nowMs: number,
): Verification {
  const keys = secrets.map(readKey)
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  )
  if (!id || !timestamp || !signature) return failed('header_missing')
  const entries = signature.split(' ')
  if (!/^\d{1,15}$/.test(timestamp) || entries.length > ENTRIES_MAX) return failed('header_malformed')
  const prefix = readPrefix(id, Number(timestamp))
  if (prefix === null) return failed('header_malformed')
  const skewSeconds = Number(timestamp) - Math.floor(nowMs / 1000)
  if (skewSeconds < -toleranceSeconds) return failed('timestamp_too_old')
  if (skewSeconds > toleranceSeconds) return failed('timestamp_too_new')
  return matchesAny(keys, Buffer.concat([Buffer.from(prefix), body]), entries)
    ? { ok: true }
    : failed('signature_mismatch')
}

const failed = (reason: VerificationFailure): Verification => ({ ok: false, reason })

function readKey(text: string): Key {
  const key = text.startsWith(PUBLIC_KEY_PREFIX) ? parsePublicKey(text) : parseSigningSecret(text)
  // The text stays out of the message: it is a secret.
  if (key === null) throw new RangeError('a secret is neither whsec_ nor whpk_ followed by padded base64')
  return key
}

function readHeader(headers: HeaderSource, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  for (const [candidate, value] of Object.entries(headers)) {
    if (candidate.toLowerCase() === name) return typeof value === 'string' ? value : (value?.join(' ') ?? null)
  }
  return null
}

function readPrefix(id: string, timestampSeconds: number): string | null {
  try {
    return signedPrefix({ id, timestampSeconds })
  } catch {
    return null
  }
}

/** No early exit: the loop runs to its end whether or not something matched. */
function matchesAny(keys: readonly Key[], content: Buffer, entries: readonly string[]): boolean {
  let isMatch = false
  for (const key of keys) {
    const expected = Buffer.isBuffer(key) ? createHmac('sha256', key).update(content).digest() : null
    for (const entry of entries) {
      const given = decodeEntry(entry, expected === null ? 'v1a' : 'v1')
      if (given === null) continue
      const isSame = expected === null ? verify(null, content, key as KeyObject, given) : isEqual(expected, given)
      isMatch = isSame || isMatch
    }
  }
  return isMatch
}

function decodeEntry(entry: string, version: 'v1' | 'v1a'): Buffer | null {
  if (!entry.startsWith(`${version},`)) return null
  const encoded = entry.slice(version.length + 1)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes : null
}

const isEqual = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

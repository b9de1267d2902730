import { hash } from 'node:crypto'
import { canonicalJson } from '../json/canonical-json.ts'

export type IdempotencyKeyResult = { ok: true; key: string | null } | { ok: false; detail: string }

const VISIBLE_ASCII = /^[!-~]{1,255}$/
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"$/

/**
 * The draft defines the value as a quoted string, most clients send it bare; `"abc"` and `abc` are one key.
 * A value that opens with a quote has to be a whole quoted string.
 */
export function readIdempotencyKey(header: string | null): IdempotencyKeyResult {
  if (header === null) return { ok: true, key: null }
  const key = header.startsWith('"') ? unquote(header) : header
  if (key === null) return { ok: false, detail: 'Idempotency-Key opens with a quote but is not one quoted string.' }
  if (VISIBLE_ASCII.test(key)) return { ok: true, key }
  return {
    ok: false,
    detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
  }
}

function unquote(header: string): string | null {
  const match = QUOTED.exec(header)
  return match === null ? null : (match[1] as string).replace(/\\(.)/g, '$1')
}

/** As a header, so that every key is read again as what it is. */
export const writeIdempotencyKey = (key: string): string => `"${key.replace(/["\\]/g, '\\$&')}"`

export type FingerprintParts = {
  operation: string
  /** Undefined where the request had none, here and in the next two; for a body that is not the same as null. */
  pathParameters?: unknown
  query?: unknown
  body?: unknown
}

/** Equal for the same request however its JSON was spelled; SHA-256 in hexadecimal. */
export function requestFingerprint({ operation, pathParameters, query, body }: FingerprintParts): string {
  return hash('sha256', canonicalJson({ operation, pathParameters, query, body }), 'hex')
}

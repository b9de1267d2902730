import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../json/canonical-json.ts'

/**
 * Where a list goes on. A cursor is base64url of `[version, list, sort, hash of filters, position]` as JSON, followed
 * by a truncated HMAC-SHA256 of exactly those bytes. It is opaque and tied to its list, sort and filters; it grants
 * no rights and does not expire, so nothing about the caller or the time is in it.
 */
export type CursorPosition = (string | number | null)[]

export type CursorScope = {
  list: string
  sort: string
  /** The filters as read from the query; the order of members does not matter. */
  filters: unknown
}

export type CursorCodec = {
  encode(cursor: CursorScope & { position: CursorPosition }): string
  decode(text: string, scope: CursorScope): { ok: true; position: CursorPosition } | { ok: false }
}

const VERSION = 1
const SIGNATURE_BYTES = 16
const CURSOR_CHARACTERS_MAX = 512
const FILTER_HASH_CHARACTERS = 22

export function createCursorCodec(secret: Uint8Array): CursorCodec {
  const sign = (payload: Uint8Array) =>
    createHmac('sha256', secret).update(payload).digest().subarray(0, SIGNATURE_BYTES)

  return {
    encode({ list, sort, filters, position }) {
      const payload = Buffer.from(JSON.stringify([VERSION, list, sort, hashFilters(filters), position]))
      const text = Buffer.concat([payload, sign(payload)]).toString('base64url')
      if (text.length > CURSOR_CHARACTERS_MAX) throw new Error(`the position in ${list} is too long for a cursor`)
      return text
    },
    decode(text, { list, sort, filters }) {
      const payload = readSigned(text, sign)
      if (payload === null) return { ok: false }
      const [version, ofList, ofSort, ofFilters, position] = JSON.parse(payload.toString())
      const isOurs = version === VERSION && ofList === list && ofSort === sort && ofFilters === hashFilters(filters)
      return isOurs ? { ok: true, position } : { ok: false }
    },
  }
}

/** Returns the signed bytes, or null unless every character is as we wrote it: the decoder alone ignores some changes. */
function readSigned(text: string, sign: (payload: Uint8Array) => Uint8Array): Buffer | null {
  if (text.length > CURSOR_CHARACTERS_MAX) return null
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== text) return null
  const payload = bytes.subarray(0, -SIGNATURE_BYTES)
  return timingSafeEqual(bytes.subarray(-SIGNATURE_BYTES), sign(payload)) ? payload : null
}

/** 22 characters hold 132 bits: no two sets of filters will be mistaken for each other. */
function hashFilters(filters: unknown): string {
  return hash('sha256', canonicalJson(filters), 'base64url').slice(0, FILTER_HASH_CHARACTERS)
}

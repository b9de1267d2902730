import { hash, randomBytes } from 'node:crypto'
import { sha256Text } from '../../platform/runtime/hash.ts'

/**
 * The token of an API key: `nxk_live_`, or `nxk_test_` in a sandbox, 32 random base-62 characters, and 6 characters of CRC-32 over all before
 * them. The checksum is public and proves nothing; it lets junk and typing errors die before the database is asked,
 * and lets secret scanners recognise a leaked key without asking us. Only SHA-256 of the token is ever stored: at 190
 * random bits a slow password hash would protect nothing and cost every request.
 */
export type NewToken = { token: string; hash: Uint8Array; prefix: string }

export type TokenKind = keyof typeof LEADS

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** All have the same length. Platform keys are looked up elsewhere than the keys of organizations. */
const LEADS = { live: 'nxk_live_', sandbox: 'nxk_test_', platform: 'nxp_live_' } as const
const LEAD_CHARACTERS = LEADS.live.length
const RANDOM_CHARACTERS = 32
const CHECKSUM_CHARACTERS = 6
const CHECKED_CHARACTERS = LEAD_CHARACTERS + RANDOM_CHARACTERS
const TOKEN_CHARACTERS = CHECKED_CHARACTERS + CHECKSUM_CHARACTERS
const SHOWN_RANDOM_CHARACTERS = 4

export function createToken(kind: TokenKind): NewToken {
  const checked = LEADS[kind] + randomDigits(RANDOM_CHARACTERS)
  const token = checked + toDigits(crc32(checked, checked.length))
  return { token, hash: hash('sha256', token, 'buffer'), prefix: keyPrefixOf(token) }
}

/** The hash of a token as text, the key of the database and the cache; null for text that cannot be a token. */
export const tokenHash = (text: string): string | null =>
  text.length === TOKEN_CHARACTERS && (text.startsWith(LEADS.live) || text.startsWith(LEADS.sandbox))
    ? sha256Text(text)
    : null

/** The same for the token of a platform key. */
export const platformTokenHash = (text: string): string | null =>
  text.length === TOKEN_CHARACTERS && text.startsWith(LEADS.platform) ? sha256Text(text) : null

export const hashBytes = (hashText: string): Uint8Array => Buffer.from(hashText, 'base64url')

/**
 * For display only, and accepted nowhere. Never the tail: the last six characters are computed from the others.
 */
export const keyPrefixOf = (token: string) => token.slice(0, LEAD_CHARACTERS + SHOWN_RANDOM_CHARACTERS)

/** 248 is the largest multiple of 62 in a byte; bytes from there on are thrown away, or small digits would be likelier. */
function randomDigits(count: number): string {
  let digits = ''
  while (digits.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < 248 && digits.length < count) digits += DIGITS[byte % 62]
    }
  }
  return digits
}

function toDigits(checksum: number): string {
  let digits = ''
  for (let rest = checksum; rest > 0; rest = Math.floor(rest / 62)) digits = DIGITS[rest % 62] + digits
  return digits.padStart(CHECKSUM_CHARACTERS, '0')
}

const NOT_A_DIGIT = 255
const DIGIT_VALUES = new Uint8Array(128).fill(NOT_A_DIGIT)
for (let value = 0; value < DIGITS.length; value++) DIGIT_VALUES[DIGITS.charCodeAt(value)] = value

const digitAt = (text: string, at: number) => DIGIT_VALUES[text.charCodeAt(at)] ?? NOT_A_DIGIT

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})
/** CRC-32 of the first characters of the text. */
function crc32(text: string, characters: number): number {
  let remainder = ~0
  for (let at = 0; at < characters; at++) {
    remainder = (remainder >>> 8) ^ (CRC_TABLE[(remainder ^ text.charCodeAt(at)) & 0xff] as number)
  }
  return ~remainder >>> 0
}

/** Expects a text that `tokenHash` accepted. A cached token needs no check. */
export function isChecksumRight(text: string): boolean {
  for (let at = LEAD_CHARACTERS; at < CHECKED_CHARACTERS; at++) {
    if (digitAt(text, at) === NOT_A_DIGIT) return false
  }
  let stated = 0
  for (let at = CHECKED_CHARACTERS; at < TOKEN_CHARACTERS; at++) {
    const value = digitAt(text, at)
    if (value === NOT_A_DIGIT) return false
    stated = stated * 62 + value
  }
  return stated === crc32(text, CHECKED_CHARACTERS)
}

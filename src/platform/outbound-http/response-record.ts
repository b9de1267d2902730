import { isUtf8 } from 'node:buffer'
import type { ResponseParser } from './response-parser.ts'

/** What of a response is kept: everything as text that PostgreSQL can store, and the two headers that steer us (`retry-after`, the control header). */
export type ResponseRecord = {
  status: number | null
  httpVersion: '1.0' | '1.1' | null
  /** Names in lower case, repeated ones joined; cut after 4 KiB. */
  responseHeaders: Readonly<Record<string, string>> | null
  /** The first bytes of the body: text, or base64 when they are not UTF-8 (or hold a NUL, which a text column refuses). */
  responseBody: string | null
  isResponseBodyBase64: boolean
  /** Whether the body had, or may have had, more than is kept. */
  isResponseTruncated: boolean
  /** At most a day. */
  retryAfterMs: number | null
  /** The value of the control header; null over plain http. */
  control: string | null
}

const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000

const NO_RESPONSE: ResponseRecord = {
  status: null,
  httpVersion: null,
  responseHeaders: null,
  responseBody: null,
  isResponseBodyBase64: false,
  isResponseTruncated: false,
  retryAfterMs: null,
  control: null,
}

/** Also of a response that was cut off, as far as it came. */
export function recordResponse(parser: ResponseParser, source: { nowMs: number; isHttps: boolean }): ResponseRecord {
  const { head } = parser
  if (head === null) return NO_RESPONSE
  const { text, isBase64 } = parser.excerpt.length === 0 ? NO_BODY : keepBody(parser.excerpt, parser.isTruncated)
  return {
    status: head.status,
    httpVersion: head.httpVersion,
    responseHeaders: head.record,
    responseBody: text,
    isResponseBodyBase64: isBase64,
    isResponseTruncated: parser.isTruncated,
    retryAfterMs: parseRetryAfter(head.retryAfter, source.nowMs),
    // Over plain http anyone on the way could steer us.
    control: source.isHttps ? head.control : null,
  }
}

const CONTINUATION_MASK = 0xc0
const CONTINUATION = 0x80
const CHARACTER_BYTES_MAX = 4

const NO_BODY = { text: '', isBase64: false }

function keepBody(excerpt: Buffer, isTruncated: boolean): { text: string; isBase64: boolean } {
  const whole = isTruncated ? withoutCutCharacter(excerpt) : excerpt
  if (isUtf8(whole) && !whole.includes(0)) return { text: whole.toString('utf8'), isBase64: false }
  return { text: excerpt.toString('base64'), isBase64: true }
}

/** A cut through the middle of a character does not make the text binary. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back < CHARACTER_BYTES_MAX && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & CONTINUATION_MASK) === CONTINUATION) continue
    const isLead = byte >= CONTINUATION_MASK
    return isLead && !isUtf8(bytes.subarray(bytes.length - back)) ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

const SECONDS = /^\d+(?:\s*,\s*\d+)*$/
/** The form of today and the two old ones that a reader of dates must know (RFC 9110, 5.6.7). All of them mean UTC. */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
]

/**
 * Seconds or an HTTP date, at most a day; null when absent or unreadable. A date that has passed means now. Where the receiver
 * and something in front of it both ask for a wait, the longer one holds.
 */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null
  const afterMs = SECONDS.test(text) ? Math.max(...text.split(',').map(Number)) * 1000 : parseHttpDate(text) - nowMs
  return Number.isNaN(afterMs) ? null : Math.min(Math.max(0, afterMs), RETRY_AFTER_MS_MAX)
}

function parseHttpDate(text: string): number {
  for (const form of HTTP_DATES) {
    const { day, month, year, time } = form.exec(text)?.groups ?? {}
    if (year !== undefined) return Date.parse(`${day} ${month} ${year.padStart(4, '20')} ${time} GMT`)
  }
  return Number.NaN
}

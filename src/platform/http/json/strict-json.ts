import {
  findJsonDefect,
  isForbiddenName,
  JSON_ARRAY_ITEMS_MAX,
  JSON_DEPTH_MAX,
  JSON_OBJECT_MEMBERS_MAX,
  type JsonProblem,
} from './json-defect.ts'

export type StrictJson = { ok: true; value: unknown } | { ok: false; problem: JsonProblem }

/**
 * JSON as I-JSON (RFC 7493) wants it, plus bounds on size and depth. The native parser does the reading; a quick look
 * at its result can vouch for nearly every body, and only the others are read a second time for the exact defect.
 *
 * Large texts go the other way round: 256 KiB of brackets keep the native parser busy for tens of milliseconds, while
 * the closer look stops at the first limit that is passed.
 */
export function parseStrictJson(text: string): StrictJson {
  const isLarge = text.length > QUICK_LOOK_CHARACTERS_MAX
  const problem = isLarge ? findJsonDefect(text) : null
  if (problem !== null) return { ok: false, problem }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: findJsonDefect(text) ?? UNREADABLE }
  }
  return isLarge || isSurelySound(text, value) ? { ok: true, value } : lookCloser(text, value)
}

const QUICK_LOOK_CHARACTERS_MAX = 16_384

function lookCloser(text: string, value: unknown): StrictJson {
  const problem = findJsonDefect(text)
  return problem === null ? { ok: true, value } : { ok: false, problem }
}

const UNREADABLE: JsonProblem = { code: 'json_invalid', detail: 'The body is not valid JSON.' }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null when the bytes are not UTF-8. A byte order mark is kept, so that the parser can refuse it. */
export function decodeUtf8Strict(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/**
 * True only when no rule is broken; false means "look closer", not "broken".
 *
 * The native parser drops the earlier of two equal members without a word, but it cannot hide the colon of the
 * dropped one: a text without duplicates has exactly as many colons as its value has members and colons in strings.
 * That holds as long as no colon is written as an escape, and NUL and lone surrogates too can only be written that
 * way, so a `\u` anywhere sends the text to the closer look.
 */
function isSurelySound(text: string, value: unknown): boolean {
  if (text.includes('\\u') || !text.isWellFormed()) return false
  const colons = countColonsOfValue(value, 0)
  return colons !== NOT_SURE && colons === countColons(text)
}

const NOT_SURE = -1

/** The colons the value needs when written out, or `NOT_SURE` when some other rule may be broken. */
function countColonsOfValue(value: unknown, depth: number): number {
  if (typeof value === 'string') return countColons(value)
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : NOT_SURE
  if (typeof value !== 'object' || value === null) return 0
  if (depth === JSON_DEPTH_MAX) return NOT_SURE
  return Array.isArray(value) ? countColonsOfItems(value, depth + 1) : countColonsOfMembers(value, depth + 1)
}

function countColonsOfItems(items: unknown[], depth: number): number {
  if (items.length > JSON_ARRAY_ITEMS_MAX) return NOT_SURE
  let colons = 0
  for (const item of items) {
    const found = countColonsOfValue(item, depth)
    if (found === NOT_SURE) return NOT_SURE
    colons += found
  }
  return colons
}

function countColonsOfMembers(object: object, depth: number): number {
  let colons = 0
  let members = 0
  for (const name in object) {
    members += 1
    if (members > JSON_OBJECT_MEMBERS_MAX || isForbiddenName(name)) return NOT_SURE
    const found = countColonsOfValue((object as Record<string, unknown>)[name], depth)
    if (found === NOT_SURE) return NOT_SURE
    colons += 1 + countColons(name) + found
  }
  return colons
}

function countColons(text: string): number {
  let colons = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) colons += 1
  return colons
}

import { maskBody, maskPath, maskQuery, maskText } from './masking.ts'
import type { RequestLogEntry } from './request-log-entry.ts'

/** One entry as a line of COPY, in the order of `copyRequestLogs`. Everything that a caller can write is masked here. */
const BODY_BYTES_MAX = 8192
/**
 * Only this much of a body is looked at: masking may shorten it, and beyond the cut nothing is stored. The patterns match
 * unfinished secrets too, so it does not matter where this window ends.
 */
const BODY_WINDOW_CHARACTERS = 12_288
const PATH_CHARACTERS_MAX = 2048
const QUERY_CHARACTERS_MAX = 4096
const TEXT_CHARACTERS_MAX = 2048

const NULL = '\\N'
const NO_BODY = `${NULL}\tf`
const SPECIAL = /[\\\t\n\r\0]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\ufffd' }

/** PostgreSQL refuses NUL in text, so it becomes the replacement character. */
const escapeField = (text: string) =>
  SPECIAL.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => ESCAPES[character] as string) : text

const field = (text: string | null) =>
  text === null ? NULL : escapeField(maskText(text).slice(0, TEXT_CHARACTERS_MAX))

type Remembered = { second: string | null; third: string | null; text: string }
const REMEMBERED_MAX = 1000

/**
 * A few callers, programs and routes make most of the calls. What was written out for them before is neither masked,
 * escaped nor joined again, as long as the other values are the same too. When there are too many, it starts anew.
 */
function rememberBy(write: (first: string | null, second: string | null, third: string | null) => string) {
  const known = new Map<string | null, Remembered>()
  return (first: string | null, second: string | null, third: string | null): string => {
    const found = known.get(first)
    if (found !== undefined && found.second === second && found.third === third) return found.text
    if (known.size >= REMEMBERED_MAX) known.clear()
    const text = write(first, second, third)
    known.set(first, { second, third, text })
    return text
  }
}

const flag = (value: boolean) => (value ? 't' : 'f')

/** Text and whether it was cut: two columns. */
function bodyFields(body: string | null): string {
  if (body === null) return NO_BODY
  const masked = maskBody(body.length > BODY_WINDOW_CHARACTERS ? body.slice(0, BODY_WINDOW_CHARACTERS) : body)
  const stored = cutToBytes(masked, BODY_BYTES_MAX)
  return `${escapeField(stored)}\t${flag(stored.length < masked.length || body.length > BODY_WINDOW_CHARACTERS)}`
}

/** Never in the middle of a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text)
  let end = bytesMax
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

const callerFields = rememberBy((id, type, authResult) => [type ?? NULL, id ?? NULL, authResult].join('\t'))
const routeFields = rememberBy((route, method, basePath) =>
  [escapeField(method ?? ''), route ?? NULL, escapeField(basePath ?? '')].join('\t'),
)
const userAgentField = rememberBy((userAgent) => field(userAgent))

const basePathOf = ({ fullPath, path }: RequestLogEntry) => fullPath.slice(0, fullPath.length - path.length)
const pathField = (path: string) => escapeField(maskPath(path).slice(0, PATH_CHARACTERS_MAX))
const queryField = (query: string) =>
  query === '' ? NULL : escapeField(maskQuery(query).slice(0, QUERY_CHARACTERS_MAX))

/** Joined from an array: a template of many parts becomes a tree of strings that has to be walked again later. */
export const lineOf = (entry: RequestLogEntry): string =>
  `${[
    entry.orgId,
    entry.id,
    callerFields(entry.callerId, entry.callerType, entry.authResult),
    routeFields(entry.route, entry.method, basePathOf(entry)),
    pathField(entry.path),
    queryField(entry.query),
    entry.status,
    entry.errorCode ?? NULL,
    field(entry.errorDetail),
    entry.durationUs,
    escapeField(entry.address),
    userAgentField(entry.userAgent, null, null),
    field(entry.clientRequestId),
    entry.requestBytes,
    entry.responseBytes,
    field(entry.idempotencyKey),
    flag(entry.isReplayed),
    bodyFields(entry.requestBody),
    bodyFields(entry.responseBody),
  ].join('\t')}\n`

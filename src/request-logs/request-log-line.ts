import { maskBody, maskPath, maskQuery, maskText } from './masking.ts'
import { hasBodies, type RequestLogEntry } from './request-log-entry.ts'

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
const NO_ERROR = `${NULL}\t${NULL}`
const NO_IDEMPOTENCY = `${NULL}\tf`
const NO_BODY = `${NULL}\tf`
const NO_BODIES = `${NO_BODY}\t${NO_BODY}\n`
const SPECIAL = /[\\\t\n\r\0]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\ufffd' }

/** PostgreSQL refuses NUL in text, so it becomes the replacement character. */
const escapeField = (text: string) =>
  SPECIAL.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => ESCAPES[character] as string) : text

const field = (text: string | null) =>
  text === null ? NULL : escapeField(maskText(text).slice(0, TEXT_CHARACTERS_MAX))

const REMEMBERED_MAX = 1000

/**
 * A few callers, programs and routes make most of the calls. What was written out for them before is neither masked,
 * escaped nor joined again, as long as the second and third value are the same too; the rest must follow from the three.
 * When there are too many, it starts anew.
 */
function rememberBy<Third extends string | null>(
  write: (first: string | null, second: string | null, third: Third, rest: string) => string,
) {
  const known = new Map<string | null, { second: string | null; third: Third; text: string }>()
  return (first: string | null, second: string | null, third: Third, rest: string): string => {
    const found = known.get(first)
    if (found !== undefined && found.second === second && found.third === third) return found.text
    if (known.size >= REMEMBERED_MAX) known.clear()
    const text = write(first, second, third, rest)
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

const callerFields = rememberBy((id, type, authResult: string) => [type ?? NULL, id ?? NULL, authResult].join('\t'))
const knownUserAgent = rememberBy((userAgent) => field(userAgent))
const knownTarget = rememberBy((fullPath, route, method: string, path) =>
  targetFields(method, route, fullPath ?? '', path),
)

function targetFields(method: string, route: string | null, fullPath: string, path: string): string {
  const basePath = fullPath.slice(0, fullPath.length - path.length)
  const maskedPath = maskPath(path).slice(0, PATH_CHARACTERS_MAX)
  return [escapeField(method), route ?? NULL, escapeField(basePath), escapeField(maskedPath)].join('\t')
}

const queryField = (query: string) =>
  query === '' ? NULL : escapeField(maskQuery(query).slice(0, QUERY_CHARACTERS_MAX))

const errorFields = ({ errorCode, errorDetail }: RequestLogEntry) =>
  errorCode === null && errorDetail === null ? NO_ERROR : `${errorCode ?? NULL}\t${field(errorDetail)}`

const idempotencyFields = ({ idempotencyKey, isReplayed }: RequestLogEntry) =>
  idempotencyKey === null && !isReplayed ? NO_IDEMPOTENCY : `${field(idempotencyKey)}\t${flag(isReplayed)}`

const bodiesFields = (entry: RequestLogEntry) =>
  hasBodies(entry) ? `${bodyFields(entry.requestBody)}\t${bodyFields(entry.responseBody)}\n` : NO_BODIES

/**
 * Joined from an array of few parts: a template of many becomes a tree of strings that has to be walked again when it is
 * written out. The address comes from the operating system or a parser and needs no escaping.
 */
export const lineOf = (entry: RequestLogEntry): string =>
  [
    entry.orgId,
    entry.id,
    callerFields(entry.callerId, entry.callerType, entry.authResult, ''),
    entry.isFixedPath
      ? knownTarget(entry.fullPath, entry.route, entry.method, entry.path)
      : targetFields(entry.method, entry.route, entry.fullPath, entry.path),
    queryField(entry.query),
    entry.status,
    errorFields(entry),
    entry.durationUs,
    entry.address,
    entry.userAgent === null ? NULL : knownUserAgent(entry.userAgent, null, null, ''),
    entry.clientRequestId === null ? NULL : field(entry.clientRequestId),
    entry.requestBytes,
    entry.responseBytes,
    idempotencyFields(entry),
    bodiesFields(entry),
  ].join('\t')

import { HEADER_NAME, HEADER_VALUE } from '../../platform/outbound-http/outbound-client.ts'

/**
 * Headers a customer may add to every attempt, such as an authorization. They are written into the request as
 * they are, so whatever steers the connection, describes the body or belongs to the signature stays ours, and nothing
 * that could end a line gets in.
 */
export type CustomHeaderProblem =
  | 'too_many_headers'
  | 'headers_too_large'
  | 'header_name_malformed'
  | 'header_name_reserved'
  | 'header_name_repeated'
  | 'header_value_malformed'

type CustomHeadersCheck =
  | { ok: true; headers: Record<string, string> }
  | { ok: false; code: CustomHeaderProblem; says: string; header?: string }

/** Those that the published schema says: names, values and how many. */
export const HEADER_FORM_PROBLEMS: readonly CustomHeaderProblem[] = [
  'too_many_headers',
  'header_name_malformed',
  'header_value_malformed',
]

export const CUSTOM_HEADERS_MAX = 20
const CUSTOM_HEADERS_BYTES_MAX = 4096

const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])
const RESERVED_PREFIXES = ['proxy-', 'webhook-']

/** The headers with their names in lower case, or the first problem found. */
export function checkCustomHeaders(headers: Readonly<Record<string, string>>): CustomHeadersCheck {
  const entries = Object.entries(headers)
  if (entries.length > CUSTOM_HEADERS_MAX)
    return { ok: false, code: 'too_many_headers', says: `Send at most ${CUSTOM_HEADERS_MAX} custom headers.` }
  const accepted = new Map<string, string>()
  for (const [name, value] of entries) {
    const problem = checkHeader(name, value, accepted)
    if (problem !== null) return problem
    accepted.set(name.toLowerCase(), value)
  }
  if (headerBytes(accepted) > CUSTOM_HEADERS_BYTES_MAX)
    return { ok: false, code: 'headers_too_large', says: 'The custom headers together exceed 4 KiB.' }
  return { ok: true, headers: Object.fromEntries(accepted) }
}

function checkHeader(name: string, value: string, accepted: ReadonlyMap<string, string>): CustomHeadersCheck | null {
  const lower = name.toLowerCase()
  if (!HEADER_NAME.test(name))
    return refuse('header_name_malformed', name, 'is not a header name. Use letters, digits and dashes')
  if (RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix)))
    return refuse('header_name_reserved', name, 'is set by the sender and cannot be changed')
  if (accepted.has(lower)) return refuse('header_name_repeated', name, 'appears twice')
  if (!HEADER_VALUE.test(value))
    return refuse(
      'header_value_malformed',
      name,
      'has a value with line breaks, other control or non-ASCII characters, or blanks at its ends',
    )
  return null
}

/** The value is never repeated: it may be a credential. A malformed name is shown as JSON would write it. */
function refuse(code: CustomHeaderProblem, name: string, what: string): CustomHeadersCheck {
  const shown = HEADER_NAME.test(name) ? name : JSON.stringify(name.slice(0, 80))
  return { ok: false, code, header: name, says: `The header ${shown} ${what}.` }
}

const LINE_OVERHEAD_BYTES = ': \r\n'.length

function headerBytes(headers: ReadonlyMap<string, string>): number {
  let bytes = 0
  for (const [name, value] of headers) bytes += name.length + value.length + LINE_OVERHEAD_BYTES
  return bytes
}

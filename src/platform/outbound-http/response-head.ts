import { OutboundFault } from './outbound-fault.ts'

/** The status line and headers of a response, and what they say about the body and the connection. */
type ParsedHead = {
  httpVersion: '1.0' | '1.1'
  status: number
  /** Names in lower case, in the order received. */
  headers: readonly (readonly [string, string])[]
}

export type ResponseHead = ParsedHead & {
  framing: BodyFraming
  /** Whether the receiver means to keep the connection, and for how many idle seconds if it says so. */
  isKept: boolean
  keepAliveSeconds: number | null
  retryAfter: string | null
  /** The value of the control header, where one is named. */
  control: string | null
  /** What of the headers is recorded. */
  record: Readonly<Record<string, string>>
}

export type BodyFraming =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  /** The body ends with the connection. */
  | { kind: 'close' }

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Control characters other than the tab and the ends of lines, which must not stand alone either. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/

const notHttp = () => new OutboundFault('protocol', 'The receiver did not answer in HTTP/1.1.')

export const malformed = () => new OutboundFault('protocol', 'The receiver sent a malformed HTTP response.')

export type HeadReader = (text: string) => ResponseHead

const REMEMBERED_MAX = 256
const REMEMBERED_CHARACTERS_MAX = 1024

/** A receiver answers with the same head over and over, all but the date, which changes once a second: each is read once. */
export function createHeadReader(headersMax: number, controlHeader?: string): HeadReader {
  const remembered = new Map<string, ResponseHead>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const head = readHead(parseHead(text, headersMax), controlHeader)
    if (text.length > REMEMBERED_CHARACTERS_MAX) return head
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(text, head)
    return head
  }
}

const INTERIM_BELOW = 200

/** An interim response has no body, and its headers mean nothing to us. */
const readHead = (head: ParsedHead, controlHeader: string | undefined): ResponseHead => ({
  ...head,
  framing: head.status < INTERIM_BELOW ? { kind: 'none' } : frameBody(head),
  isKept: keepsConnection(head),
  keepAliveSeconds: keepAliveSeconds(head),
  retryAfter: headerValue(head, 'retry-after'),
  control: controlHeader === undefined ? null : headerValue(head, controlHeader),
  record: recordHeaders(head),
})

const RECORDED_BYTES_MAX = 4096

/** Repeated ones joined; cut after 4 KiB. */
function recordHeaders(head: ParsedHead): Record<string, string> {
  const kept = new Map<string, string>()
  let bytes = 0
  for (const [name, value] of head.headers) {
    bytes += name.length + value.length
    if (bytes > RECORDED_BYTES_MAX) break
    const before = kept.get(name)
    kept.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(kept)
}

/** `text` is everything up to the empty line, one character per byte. Lines may end in CR LF or, as some servers have it, LF. */
function parseHead(text: string, headersMax: number): ParsedHead {
  const lines = text.split('\n')
  const status = STATUS_LINE.exec((lines[0] ?? '').trimEnd())
  if (status === null) throw notHttp()
  if (FORBIDDEN.test(text)) throw malformed()
  // The text ends in a line feed, so the last piece is empty.
  if (lines.length - 2 > headersMax)
    throw new OutboundFault('too_large', `The receiver sent more than ${headersMax} response headers.`)
  const headers: [string, string][] = []
  for (const line of lines.slice(1, -1)) headers.push(parseHeader(line))
  return { httpVersion: status[1] === '0' ? '1.0' : '1.1', status: Number(status[2]), headers }
}

/** A folded line begins with a blank, which no name does, and is refused with the other malformed ones. */
function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (colon <= 0 || !TOKEN.test(name)) throw malformed()
  return [name.toLowerCase(), line.slice(colon + 1).trim()]
}

/** All values of one header as a single list, or null when it is absent. */
function headerValue(head: ParsedHead, name: string): string | null {
  let value: string | null = null
  for (const [candidate, text] of head.headers)
    if (candidate === name) value = value === null ? text : `${value}, ${text}`
  return value
}

/** RFC 9112 section 6.3, for the answer to a POST. */
function frameBody(head: ParsedHead): BodyFraming {
  if (head.status === 204 || head.status === 304) return { kind: 'none' }
  const encoding = headerValue(head, 'transfer-encoding')
  if (encoding !== null) return /(?:^|[\s,])chunked$/i.test(encoding) ? { kind: 'chunked' } : { kind: 'close' }
  const length = headerValue(head, 'content-length')
  return length === null ? { kind: 'close' } : frameByLength(length)
}

/** Repeated lengths must agree: two readings of one response are how one request is taken for another. */
function frameByLength(text: string): BodyFraming {
  const [length, ...others] = text.split(',').map((part) => part.trim())
  if (length === undefined || !/^\d+$/.test(length) || others.some((other) => other !== length)) throw malformed()
  return Number(length) === 0 ? { kind: 'none' } : { kind: 'length', bytes: Number(length) }
}

/** Whether the receiver means to keep the connection. Both kinds of framing at once are legal and suspicious. */
function keepsConnection(head: ParsedHead): boolean {
  if (head.httpVersion === '1.0') return false
  if (headerValue(head, 'transfer-encoding') !== null && headerValue(head, 'content-length') !== null) return false
  const connection = headerValue(head, 'connection')
  return connection === null || !/(?:^|[\s,])close(?:$|[\s,])/i.test(connection)
}

/** How long the receiver says it keeps an idle connection, or null when it does not say. */
function keepAliveSeconds(head: ParsedHead): number | null {
  const match = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(headerValue(head, 'keep-alive') ?? '')
  return match === null ? null : Number(match[1])
}

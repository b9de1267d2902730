import { dropOldest } from '../../kernel/recent-map.ts'
import { urlHost, urlPort } from './url-check.ts'

/**
 * The whole request as one buffer: one write, and for a small event one packet. Connection, length and encoding are
 * ours alone; `accept-encoding: identity` asks for a body that need not be inflated, and none ever is.
 */
type RequestParts = {
  /** What is the same in every request to this URL: the request line and the first headers, see `headStart`. */
  headStart: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

const headStart = (url: URL, userAgent: string, method: 'POST' | 'GET' = 'POST'): string =>
  `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nuser-agent: ${userAgent}\r\n`

/** Names are in lower case, as custom headers are saved: an endpoint that wants its own `accept` gets it instead of ours. */
const acceptLines = (headers: Readonly<Record<string, string>>): string =>
  'accept' in headers ? 'accept-encoding: identity\r\n' : 'accept: */*\r\naccept-encoding: identity\r\n'

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Printable ASCII without blanks at the ends: how other bytes are read differs from receiver to receiver. */
export const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

/** Whether name and value can be written into a request as they are. */
const isHeaderWritable = (name: string, value: string): boolean => HEADER_NAME.test(name) && HEADER_VALUE.test(value)

/** Throws a TypeError for a header that could break out of its line; headers of customers are checked when saved. */
export function requestBytes({ headStart: start, headers, body }: RequestParts): Buffer {
  let head = `${start}${acceptLines(headers)}content-length: ${body.length}\r\n`
  for (const name in headers) head += headerLine(name, headers[name] as string)
  head += '\r\n'
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 'latin1')
  bytes.set(body, head.length)
  return bytes
}

function headerLine(name: string, value: string): string {
  if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the client`)
  if (!isHeaderWritable(name, value)) throw new TypeError('a request header has a malformed name or value')
  return `${name}: ${value}\r\n`
}

/** A URL taken apart once. The same few URLs are called over and over, so the newest ones are remembered. */
export type Destination = {
  isHttps: boolean
  host: string
  port: number
  origin: string
  /** How every request to it begins. */
  headStart: string
}

export type Destinations = (url: string) => Destination

const REMEMBERED_MAX = 1000

/** The result throws a TypeError when the text is no http or https URL. */
export function createDestinations(userAgent: string, method?: 'GET'): Destinations {
  const remembered = new Map<string, Destination>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const destination = readDestination(text, userAgent, method)
    if (remembered.size >= REMEMBERED_MAX) dropOldest(remembered)
    remembered.set(text, destination)
    return destination
  }
}

function readDestination(text: string, userAgent: string, method?: 'GET'): Destination {
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('a request goes to an http or https URL')
  return {
    isHttps: url.protocol === 'https:',
    host: urlHost(url),
    port: urlPort(url),
    origin: url.origin,
    headStart: headStart(url, userAgent, method),
  }
}

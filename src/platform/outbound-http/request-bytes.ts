import { isHeaderWritable } from './custom-headers.ts'

/**
 * The whole request as one buffer: one write, and for a small event one packet. Connection, length and encoding are
 * ours alone; `accept-encoding: identity` asks for a body that need not be inflated, and none ever is.
 */
export type RequestParts = {
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

export const headStart = (url: URL, userAgent: string, method: 'POST' | 'GET' = 'POST'): string =>
  `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nuser-agent: ${userAgent}\r\n`

/** Names are in lower case, as custom headers are saved: an endpoint that wants its own `accept` gets it instead of ours. */
const acceptLines = (headers: Readonly<Record<string, string>>): string =>
  'accept' in headers ? 'accept-encoding: identity\r\n' : 'accept: */*\r\naccept-encoding: identity\r\n'

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
  if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the delivery client`)
  if (!isHeaderWritable(name, value)) throw new TypeError('a request header has a malformed name or value')
  return `${name}: ${value}\r\n`
}

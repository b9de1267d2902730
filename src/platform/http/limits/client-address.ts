import ipaddr from 'ipaddr.js'

/**
 * Who is calling, by network address. Anyone can write X-Forwarded-For; only its right end, as far as
 * trusted proxies added it, is reliable. An IPv4 address written as IPv6 counts as the IPv4 address.
 */
type Address = ipaddr.IPv4 | ipaddr.IPv6

export type Cidr = { address: Address; prefixLength: number }

export type ClientAddressReader = (socketAddress: string, forwardedFor: string | null) => string

/** Throws with a sentence when a range cannot be read: a proxy list that is half understood would be a hole. */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const trusted = trustedProxies.map((text) => parseCidr(text))
  return (socketAddress, forwardedFor) => {
    if (trusted.length === 0 || forwardedFor === null) return normalizeAddress(socketAddress)
    const socket = parseAddress(socketAddress)
    if (socket === null) return socketAddress
    return walkHops(socket, forwardedFor, trusted).toString()
  }
}

/** For requests: ignores the header when no proxy is trusted. */
export function createRequestAddressReader(trustedProxies: readonly string[]) {
  const read = createClientAddressReader(trustedProxies)
  if (trustedProxies.length === 0) return (socketAddress: string) => read(socketAddress, null)
  return (socketAddress: string, request: Request) => read(socketAddress, request.headers.get('x-forwarded-for'))
}

/** From right to left while the hop that reported the address is trusted; an unreadable report ends the walk. */
function walkHops(socket: Address, forwardedFor: string, trusted: readonly Cidr[]): Address {
  let address = socket
  let end = forwardedFor.length
  while (end >= 0 && isIn(address, trusted)) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
    const reported = parseHop(forwardedFor.slice(comma + 1, end))
    if (reported === null) return address
    address = reported
    end = comma
  }
  return address
}

const BRACKETED = /^\[([^\]]*)\](?::\d+)?$/
const WITH_PORT = /^([\d.]+):\d+$/

/** Some proxies add the port. */
function parseHop(text: string): Address | null {
  const hop = text.trim()
  return parseAddress(BRACKETED.exec(hop)?.[1] ?? WITH_PORT.exec(hop)?.[1] ?? hop)
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

/** Runs on every request, on what the operating system reports: the two frequent forms need no parsing. */
export function normalizeAddress(text: string): string {
  if (!text.includes(':')) return text
  return MAPPED_IPV4.exec(text)?.[1] ?? parseAddress(text)?.toString() ?? text
}

const NETWORK_PARTS = 4

/** What counts as one place: of IPv6 a household or a machine has a whole /64, with as many addresses as it likes. */
export function networkOf(text: string): string {
  const address = text.includes(':') ? parseAddress(text) : null
  if (!(address instanceof ipaddr.IPv6)) return text
  const parts = address.parts.slice(0, NETWORK_PARTS)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}

/** Only the usual spellings: the library would also take octal, hexadecimal and shortened IPv4. */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const withoutZone = text.includes('%') ? text.slice(0, text.indexOf('%')) : text
  if (!ipaddr.IPv6.isValid(withoutZone)) return null
  const address = ipaddr.IPv6.parse(withoutZone)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

const CIDR = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/
const MAPPED_PREFIX_LENGTH = 96

/** An address range such as `10.0.0.0/8`; a bare address is a range of one. */
export function parseCidr(text: string): Cidr {
  const cidr = readCidr(text)
  if (cidr === null) throw new RangeError(`"${text}" is neither an IP address nor a range such as 10.0.0.0/8`)
  return cidr
}

export const isCidr = (text: string): boolean => readCidr(text) !== null

function readCidr(text: string): Cidr | null {
  const [, network, prefix] = CIDR.exec(text) ?? []
  const address = network === undefined ? null : parseAddress(network)
  if (address === null) return null
  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (prefix === undefined) return { address, prefixLength: bits }
  const isMapped = bits === 32 && text.includes(':')
  const prefixLength = Number(prefix) - (isMapped ? MAPPED_PREFIX_LENGTH : 0)
  return prefixLength >= 0 && prefixLength <= bits ? { address, prefixLength } : null
}

export function addressInCidrs(address: string, cidrs: readonly Cidr[]): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && isIn(parsed, cidrs)
}

const isIn = (address: Address, cidrs: readonly Cidr[]) =>
  cidrs.some((cidr) => cidr.address.kind() === address.kind() && address.match(cidr.address, cidr.prefixLength))

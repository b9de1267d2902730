import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Cidr } from '../http/limits/client-address.ts'

/**
 * Which addresses a request may be sent to. The URL was chosen by a tenant and the request leaves from inside our
 * network, so everything that is not plainly the public internet is refused: this machine, private networks, cloud
 * metadata services, and the IPv6 forms that carry any of these inside. IPv6 is judged by what is allowed (2000::/3 and
 * little less), because new special ranges appear outside it. An operator may open ranges of a private installation;
 * those come first.
 */
type AddressVerdict = { allowed: true } | { allowed: false; reason: AddressReason }

export type AddressReason =
  | 'unreadable'
  | 'this_network'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link_local'
  | 'reserved'
  | 'documentation'
  | 'benchmarking'
  | 'multicast'
  | 'cloud_host_agent'
  | 'translated'
  | 'not_global'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Rule = { range: [Address, number]; reason: AddressReason }

const rule = (range: string, reason: AddressReason): Rule => ({ range: ipaddr.parseCIDR(range), reason })

const BLOCKED_IPV4: readonly Rule[] = [
  rule('0.0.0.0/8', 'this_network'),
  rule('10.0.0.0/8', 'private'),
  rule('100.64.0.0/10', 'shared'),
  rule('127.0.0.0/8', 'loopback'),
  rule('169.254.0.0/16', 'link_local'),
  rule('172.16.0.0/12', 'private'),
  rule('192.0.0.0/24', 'reserved'),
  rule('192.0.2.0/24', 'documentation'),
  rule('192.31.196.0/24', 'reserved'),
  rule('192.52.193.0/24', 'reserved'),
  rule('192.88.99.0/24', 'translated'),
  rule('192.168.0.0/16', 'private'),
  rule('192.175.48.0/24', 'reserved'),
  rule('198.18.0.0/15', 'benchmarking'),
  rule('198.51.100.0/24', 'documentation'),
  rule('203.0.113.0/24', 'documentation'),
  rule('224.0.0.0/4', 'multicast'),
  rule('240.0.0.0/4', 'reserved'),
  // Azure's host agent: looks public, answers only to the machine itself, and hands out its configuration.
  rule('168.63.129.16/32', 'cloud_host_agent'),
]

/** The last rule of the list catches all that is not global unicast; the ones before it only name the reason better. */
const BLOCKED_IPV6: readonly Rule[] = [
  rule('2001:db8::/32', 'documentation'),
  rule('3fff::/20', 'documentation'),
  // Teredo, ORCHID, benchmarking and the other protocol assignments.
  rule('2001::/23', 'translated'),
  rule('2002::/16', 'translated'),
  rule('2620:4f:8000::/48', 'reserved'),
  rule('::1/128', 'loopback'),
  rule('64:ff9b::/96', 'translated'),
  rule('64:ff9b:1::/48', 'translated'),
  rule('fc00::/7', 'private'),
  rule('fe80::/10', 'link_local'),
  rule('fec0::/10', 'private'),
  rule('ff00::/8', 'multicast'),
]

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

export function isAddressAllowed(text: string, allowedRanges: readonly Cidr[]): AddressVerdict {
  const address = readAddress(text)
  if (address === null) return refused('unreadable')
  if (isInRanges(address, allowedRanges)) return judgeOpened(address, allowedRanges)
  const rules = address.kind() === 'ipv4' ? BLOCKED_IPV4 : BLOCKED_IPV6
  const hit = rules.find(({ range }) => address.match(range))
  if (hit !== undefined) return refused(hit.reason)
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST) ? { allowed: true } : refused('not_global')
}

/** A network without IPv4 opens the NAT64 range to reach the internet; that must not open the private IPv4 behind it. */
function judgeOpened(address: Address, allowedRanges: readonly Cidr[]): AddressVerdict {
  if (address.kind() === 'ipv4' || !address.match(NAT64)) return { allowed: true }
  return isAddressAllowed(address.toByteArray().slice(-4).join('.'), allowedRanges)
}

const refused = (reason: AddressReason): AddressVerdict => ({ allowed: false, reason })

/** Both sides of an address comparison in one spelling; IPv4 carried as `::ffff:a.b.c.d` counts as IPv4. Null when unreadable. */
export const canonicalAddress = (text: string): string | null => readAddress(text)?.toString() ?? null

/** Only the spellings that resolvers and sockets use: octal, hexadecimal, shortened IPv4 and zone ids are unreadable. */
function readAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const plain = withoutDottedTail(text)
  if (plain.includes('%') || !ipaddr.IPv6.isValid(plain)) return null
  const address = ipaddr.IPv6.parse(plain)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

const DOTTED_TAIL = /^([0-9a-f:]*:)(\d+\.\d+\.\d+\.\d+)$/i

/** The library takes `::127.0.0.1` for `::ffff:127.0.0.1`, which is another address; written in hexadecimal it does not. */
function withoutDottedTail(text: string): string {
  const [, head, dotted] = DOTTED_TAIL.exec(text) ?? []
  if (dotted === undefined || !ipaddr.IPv4.isValidFourPartDecimal(dotted)) return text
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(dotted).octets
  return `${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

const isInRanges = (address: Address, ranges: readonly Cidr[]) =>
  ranges.some((range) => range.address.kind() === address.kind() && address.match(range.address, range.prefixLength))

/**
 * From a host to the addresses that may be dialled. The name is resolved once and the connection goes to that very
 * answer: asking twice would let a name server say something harmless first. One blocked address among the answers
 * refuses them all, because no honest name mixes public and private addresses.
 */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

export type HostVerdict = { kind: 'allowed'; addresses: readonly string[] } | { kind: 'unknown' } | { kind: 'blocked' }

export type HostVetter = (host: string) => Promise<HostVerdict>

/** What `localhost` means by RFC 6761. It is never asked of a name server, which could answer anything. */
export const LOCALHOST_ADDRESSES: readonly string[] = ['127.0.0.1', '::1']

/** The result never rejects: a name that does not resolve is `unknown`. */
export function createHostVetter(resolve: ResolveHost, allowedRanges: readonly Cidr[]): HostVetter {
  const isAllowed = (address: string) => isAddressAllowed(address, allowedRanges).allowed
  const resolveShared = shareLookups(resolve)
  return async (host) => {
    const addresses = await findAddresses(host, resolveShared, isAllowed)
    if (addresses.length === 0) return { kind: 'unknown' }
    if (!addresses.every(isAllowed)) return { kind: 'blocked' }
    // IPv4 written as IPv6 was judged as IPv4 and is dialled as that.
    return { kind: 'allowed', addresses: addresses.map((address) => canonicalAddress(address) as string) }
  }
}

async function findAddresses(host: string, resolve: ResolveHost, isAllowed: (address: string) => boolean) {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return localhostAddresses(isAllowed)
  return resolve(host).catch(() => [])
}

/** An operator who opened 127.0.0.1 alone still means localhost; with nothing opened all are returned, and refused. */
function localhostAddresses(isAllowed: (address: string) => boolean): readonly string[] {
  const allowed = LOCALHOST_ADDRESSES.filter(isAllowed)
  return allowed.length > 0 ? allowed : LOCALHOST_ADDRESSES
}

/** Eight requests to one host ask once, and a name server that never answers is waited for once. */
function shareLookups(resolve: ResolveHost): ResolveHost {
  const underWay = new Map<string, Promise<readonly string[]>>()
  return (hostname) => {
    const known = underWay.get(hostname)
    if (known !== undefined) return known
    const lookup = resolve(hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, lookup)
    return lookup
  }
}

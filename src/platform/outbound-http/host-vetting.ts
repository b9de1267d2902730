import { isIP } from 'node:net'
import type { Cidr } from '../http/limits/client-address.ts'
import { canonicalAddress, isAddressAllowed } from './addresses.ts'

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

import { isIP } from 'node:net'
import type { Cidr } from '../../platform/http/client-address.ts'
import { canonicalAddress, isAddressAllowed } from '../address-guard.ts'
import { LOCALHOST_ADDRESSES } from '../endpoint-url.ts'
import { faults } from './attempt-fault.ts'

/**
 * From a host to the addresses that may be dialled. The name is resolved once and the connection goes to that very
 * answer: asking twice would let a name server say something harmless first. One blocked address among the answers
 * refuses them all, for nobody honest mixes public and private addresses under one name.
 */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

export type HostVetter = (host: string) => Promise<readonly string[]>

/** The result throws an AttemptFault of class `dns` or `blocked_address`. */
export function createHostVetter(resolve: ResolveHost, allowedRanges: readonly Cidr[]): HostVetter {
  const isAllowed = (address: string) => isAddressAllowed(address, allowedRanges).allowed
  const resolveShared = shareLookups(resolve)
  return async (host) => {
    const addresses = await findAddresses(host, resolveShared, isAllowed)
    if (addresses.length === 0) throw faults.dnsFailed()
    if (!addresses.every(isAllowed)) throw faults.blockedAddress()
    // IPv4 written as IPv6 was judged as IPv4 and is dialled as that.
    return addresses.map((address) => canonicalAddress(address) as string)
  }
}

async function findAddresses(host: string, resolve: ResolveHost, isAllowed: (address: string) => boolean) {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return localhostAddresses(isAllowed)
  try {
    return await resolve(host)
  } catch {
    throw faults.dnsFailed()
  }
}

/** An operator who opened 127.0.0.1 alone still means localhost; with nothing opened all are returned, and refused. */
function localhostAddresses(isAllowed: (address: string) => boolean): readonly string[] {
  const allowed = LOCALHOST_ADDRESSES.filter(isAllowed)
  return allowed.length > 0 ? allowed : LOCALHOST_ADDRESSES
}

/** Eight deliveries to one endpoint ask once, and a name server that never answers is waited for once. */
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

import { isIP } from 'node:net'
import { lastOf } from '../../kernel/lists.ts'
import { dropOldest } from '../../kernel/recent-map.ts'
import type { HostVerdict, HostVetter } from './addresses.ts'
import { urlHost } from './url-check.ts'

/**
 * `fetch` that connects to an address which was judged: the URL is given the address, the name goes into `Host`, the server
 * name and the check of the certificate. So a name server that changes its answer between judging and connecting changes
 * nothing. Redirects are never followed and certificates always checked.
 */
export type EgressInit = {
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  /** A function where it can be read once only: it is called for each address that is tried. */
  body?: BodyInit | (() => BodyInit)
  duplex?: 'half'
  signal?: AbortSignal
  /** Certificates to trust instead of the usual ones. */
  ca?: string
  /** Hands on compressed bytes as they are. */
  isRaw?: boolean
}

export type EgressFetch = (url: string | URL, init?: EgressInit) => Promise<Response>

/** Thrown before anything is sent. The codes are those of the field, so that callers read one kind of code. */
class EgressRefusal extends Error {
  override name = 'EgressRefusal'
  readonly code: 'ENOTFOUND' | 'ADDRESS_NOT_ALLOWED'
  constructor(code: EgressRefusal['code']) {
    super(code === 'ENOTFOUND' ? 'the host has no address' : 'the address is private or reserved')
    this.code = code
  }
}

/** A name with dozens of dead addresses must not eat up the call. */
const ADDRESSES_TRIED_MAX = 4
/** Nothing was sent: the next address may be tried. */
const NOT_CONNECTED = ['ConnectionRefused', 'ECONNREFUSED', 'FailedToOpenSocket', 'EHOSTUNREACH', 'ENETUNREACH']

export function createPinnedFetch(vetHost: HostVetter): EgressFetch {
  const vet = rememberAllowed(vetHost)
  return async (text, init = {}) => {
    const url = new URL(text)
    const verdict = await vet(urlHost(url))
    if (verdict.kind !== 'allowed')
      throw new EgressRefusal(verdict.kind === 'blocked' ? 'ADDRESS_NOT_ALLOWED' : 'ENOTFOUND')
    init.signal?.throwIfAborted()
    const addresses = preferIpv4(verdict.addresses).slice(0, ADDRESSES_TRIED_MAX)
    for (const address of addresses.slice(0, -1)) {
      try {
        return await fetchAt(url, address, init)
      } catch (error) {
        if (!NOT_CONNECTED.includes(codeOf(error))) throw error
      }
    }
    return fetchAt(url, lastOf(addresses), init)
  }
}

function fetchAt(url: URL, address: string, { ca, isRaw, body, ...init }: EgressInit): Promise<Response> {
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  const host = urlHost(url)
  return fetch(pinned, {
    ...init,
    headers: { ...init.headers, host: url.host },
    ...(body !== undefined && { body: typeof body === 'function' ? body() : body }),
    redirect: 'manual',
    ...(isRaw && { decompress: false }),
    tls: {
      // Set outright: left out, an environment variable could switch the check off for the whole process.
      rejectUnauthorized: true,
      ...(isIP(host) === 0 && { serverName: host }),
      ...(ca !== undefined && { ca }),
    },
  } as RequestInit)
}

/** Where a machine has one family only, it is nearly always this one. */
const preferIpv4 = (addresses: readonly string[]) => addresses.toSorted((one, other) => isIP(one) - isIP(other))

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

const REMEMBERED_MS = 10_000
const REMEMBERED_MAX = 1_000

/** Connections are kept, names not: calls one after the other ask a name server once. What was judged stays judged. */
function rememberAllowed(vetHost: HostVetter): HostVetter {
  const remembered = new Map<string, { verdict: HostVerdict; untilMs: number }>()
  return async (host) => {
    const known = remembered.get(host)
    if (known !== undefined && known.untilMs > performance.now()) return known.verdict
    const verdict = await vetHost(host)
    remembered.delete(host)
    if (remembered.size >= REMEMBERED_MAX) dropOldest(remembered)
    if (verdict.kind === 'allowed') remembered.set(host, { verdict, untilMs: performance.now() + REMEMBERED_MS })
    return verdict
  }
}

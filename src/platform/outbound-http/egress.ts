import { createHostVetter, type HostVerdict, type HostVetter, type ResolveHost } from './host-vetting.ts'
import { createPinnedFetch, type EgressFetch } from './pinned-fetch.ts'
import { addressRefusal, checkUrl, type EgressPolicy, type UrlCheck, urlHost } from './url-check.ts'

/**
 * The one guard for every address that a tenant can set: URLs of webhooks, base URLs of numbers and payment accounts, media
 * links. Requests leave from inside our network, so only the public internet may be reached, and the ranges that the
 * operator opened.
 *
 *   check   what is saved: form, scheme, port and host of the URL; addresses written in it
 *   vet     the same, and what the name resolves to at that moment
 *   fetch   the check that protects: on the address that the connection goes to, at every call
 */
export type Egress = {
  policy: EgressPolicy
  check(text: string): UrlCheck
  /** Never inside a transaction: it asks a name server, for at most a second. A name that does not resolve passes. */
  vet(text: string): Promise<UrlCheck>
  fetch: EgressFetch
}

const LOOKUP_MS_MAX = 1_000

export function createEgress(policy: EgressPolicy, resolve: ResolveHost): Egress {
  const vetHost = createHostVetter(resolve, policy.allowedRanges)
  return {
    policy,
    check: (text) => checkUrl(text, policy),
    async vet(text) {
      const checked = checkUrl(text, policy)
      if (!checked.ok) return checked
      const { kind } = await vetWithin(vetHost, urlHost(new URL(checked.url)), LOOKUP_MS_MAX)
      return kind === 'blocked' ? addressRefusal : checked
    },
    fetch: createPinnedFetch(vetHost),
  }
}

const UNKNOWN: HostVerdict = { kind: 'unknown' }

/** A lookup cannot be called off; its late answer finds no one waiting. */
function vetWithin(vetHost: HostVetter, host: string, timeoutMs: number): Promise<HostVerdict> {
  const late = Promise.withResolvers<HostVerdict>()
  const timer = setTimeout(() => late.resolve(UNKNOWN), timeoutMs)
  return Promise.race([vetHost(host), late.promise]).finally(() => clearTimeout(timer))
}

import { breaksSchema } from '../http/pipeline/validation.ts'
import { createHostVetter, type HostVerdict, type HostVetter, type ResolveHost } from './addresses.ts'
import { createPinnedFetch, type EgressFetch } from './pinned-fetch.ts'
import { addressRefusal, checkUrl, type EgressPolicy, type UrlCheck, urlHost } from './url-check.ts'

export { readOperatorJson } from './operator-json.ts'
export type { EgressFetch, EgressInit } from './pinned-fetch.ts'
export { type EgressPolicy, URL_FORM, URL_LENGTH_MAX, type UrlCheck } from './url-check.ts'

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

/**
 * The base URL of a provider that a tenant sets: form first, then the guard on addresses. Credentials go there, so it is https;
 * plain http only to a range that the operator opened. Returns what is wrong with it, as a sentence; null when nothing is.
 */
export function baseUrlProblem(text: string, example: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return `The base URL is not a URL. Use one such as ${example}.`
  if (url.username !== '' || url.password !== '') return 'The base URL must not contain a user name or password.'
  if (/[?#]/.test(text)) return 'The base URL must end with its path: nothing after ? or #.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The base URL must begin with https://.'
  return null
}

export function acceptBaseUrl(
  text: string | null,
  { egress, example }: { egress: Pick<Egress, 'check'>; example: string },
): string | null {
  if (text === null) return null
  const problem = baseUrlProblem(text, example)
  if (problem !== null) throw breaksSchema([{ pointer: '#/base_url', code: 'invalid', detail: problem }])
  refuseUnreachable(egress.check(plainBaseUrl(text)))
  return plainBaseUrl(text)
}

/** Before the transaction that saves it: a name that leads to a private address is refused, too. */
export async function vetBaseUrl(text: string | null | undefined, egress: Egress): Promise<void> {
  if (text != null && URL.canParse(text)) refuseUnreachable(await egress.vet(plainBaseUrl(text)))
}

function refuseUnreachable(check: UrlCheck): void {
  if (!check.ok) throw breaksSchema([{ pointer: '#/base_url', code: check.code, detail: check.says }])
}

/** As it is kept: paths are put right behind it, so blanks that were pasted with it and slashes at its end are left out. */
export const plainBaseUrl = (text: string): string => new URL(text).href.replace(/\/+$/, '')

/**
 * Whether credentials that were entered for one address would be sent to another. A user who may set an address must not obtain
 * credentials that others entered, so they have to be entered again. Null is the provider's address, which is always allowed.
 */
export const leadsElsewhere = (before: string | null, after: string | null | undefined): boolean =>
  after != null && (before === null || new URL(before).origin !== new URL(after).origin)

export const givenForAnother = (name: string): string =>
  `Send "${name}" again: the stored value is for another address and is not sent to a new one.`

/**
 * Fetches a small document from an address that an unknown caller named: only from where the guard allows, no redirect
 * followed, nothing inflated, one deadline over all of it.
 */
export type DocumentFetch = (url: string) => Promise<{ body: string } | null>

const BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 5000

export function createDocumentFetch(options: { egress: Egress; userAgent: string; ca?: string }): DocumentFetch {
  const { egress, userAgent, ca } = options
  return async (url) => {
    const checked = egress.check(url)
    if (!checked.ok) return null
    try {
      const response = await egress.fetch(checked.url, {
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        isRaw: true,
        ...(ca !== undefined && { ca }),
      })
      const isPlain = response.status === 200 && !response.headers.has('content-encoding')
      const body = isPlain ? await readText(response) : null
      if (body === null) await response.body?.cancel().catch(() => {})
      return body === null ? null : { body }
    } catch {
      return null
    }
  }
}

/** Null when there is more than that, or it is not UTF-8. */
async function readText(response: Response): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, bytes] = ['', 0]
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > BYTES_MAX) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

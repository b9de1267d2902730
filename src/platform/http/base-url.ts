/**
 * The address of a provider that somebody set up. Credentials go there, so it is https; plain http is for a stand-in on the
 * same machine and nothing else. There is no guard against private addresses as webhooks have one: a sandbox inside the own
 * network is legitimate. So whoever may change the settings of an organization can have the server call there.
 */
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

/** What is wrong with it, as a sentence; null when nothing is. */
export function baseUrlProblem(text: string, example: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return `The base URL is not a URL. Give one such as ${example}.`
  if (url.username !== '' || url.password !== '') return 'The base URL must not contain a user name or password.'
  if (/[?#]/.test(text)) return 'The base URL must end with its path: nothing after ? or #.'
  const isLocal = url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)
  if (url.protocol !== 'https:' && !isLocal)
    return 'The base URL must begin with https://. Plain http is possible on this machine only (127.0.0.1).'
  return null
}

/** As it is kept: paths are put right behind it, so blanks that were pasted with it and slashes at its end are left out. */
export const plainBaseUrl = (text: string): string => new URL(text).href.replace(/\/+$/, '')

/**
 * Whether what was given for one address would go to another. Whoever may set an address must not come by the credentials
 * that others have entered, so these are asked for again. Null is the provider's own, where they may always go.
 */
export const leadsElsewhere = (before: string | null, after: string | null | undefined): boolean =>
  after != null && (before === null || new URL(before).origin !== new URL(after).origin)

export const givenForAnother = (name: string): string =>
  `Give "${name}" again: it was given for another address than the one it would go to now.`

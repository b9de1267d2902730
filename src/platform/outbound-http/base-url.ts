import { breaksSchema } from '../http/pipeline/field-refusals.ts'
import type { Egress } from './egress.ts'
import type { UrlCheck } from './url-check.ts'

/**
 * The base URL of a provider that a tenant sets: form first, then the guard on addresses. Credentials go there, so it is https;
 * plain http only to a range that the operator opened.
 */
/** What is wrong with it, as a sentence; null when nothing is. */
export function baseUrlProblem(text: string, example: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return `The base URL is not a URL. Give one such as ${example}.`
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
  `Give "${name}" again: it was given for another address than the one it would go to now.`

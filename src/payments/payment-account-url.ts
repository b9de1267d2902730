import { breaksSchema } from '../platform/http/field-refusals.ts'

/**
 * The address of a provider. Credentials go there, so it is https; plain http is for a stand-in on the same machine and
 * nothing else. There is no guard against private addresses as webhooks have one: who sets an account up is an operator,
 * and a sandbox inside the own network is legitimate.
 */
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

export function acceptBaseUrl(text: string | null): string | null {
  if (text === null) return null
  const problem = problemOf(text)
  if (problem === null) return new URL(text).href.replace(/\/+$/, '')
  throw breaksSchema([{ pointer: '#/base_url', code: 'invalid', detail: problem }])
}

function problemOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return 'The base URL is not a URL. Give one such as https://api.sandbox.midtrans.com.'
  if (url.username !== '' || url.password !== '') return 'The base URL must not contain a user name or password.'
  if (url.search !== '' || url.hash !== '') return 'The base URL must end with its path: nothing after ? or #.'
  const isLocal = url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)
  if (url.protocol !== 'https:' && !isLocal)
    return 'The base URL must begin with https://. Plain http is possible on this machine only (127.0.0.1).'
  return null
}

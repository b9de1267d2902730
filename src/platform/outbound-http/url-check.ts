import { isIP } from 'node:net'
import { addressInCidrs, type Cidr } from '../http/limits/client-address.ts'
import { isAddressAllowed, LOCALHOST_ADDRESSES } from './addresses.ts'

/**
 * What may be saved as a URL that a tenant sets. This check answers early; the check that protects runs on
 * the address that a connection is about to use. Both ask the same guard, so no URL is saved that the guard would
 * always refuse. Only the parsed form is judged and kept: `0x7f.1`, circled digits and the like have
 * become `127.0.0.1` by then.
 */
export type EgressPolicy = {
  /** Private ranges the operator opened. A host written as an address inside them may use http and any port. */
  allowedRanges: readonly Cidr[]
  allowHttp?: boolean
  /** Whether a public host may be given as an address instead of a name. */
  allowPublicAddresses?: boolean
  /** Ports beside 443, 8443 and 8080. */
  extraPorts?: readonly number[]
}

export type UrlProblem =
  | 'url_too_long'
  | 'url_has_control_characters'
  | 'url_malformed'
  | 'url_scheme_not_allowed'
  | 'url_has_credentials'
  | 'url_has_fragment'
  | 'url_host_not_allowed'
  | 'url_address_not_allowed'
  | 'url_port_not_allowed'

export type UrlCheck = { ok: true; url: string } | { ok: false; code: UrlProblem; says: string }

export const URL_LENGTH_MAX = 2048
/** What is published of it: no user name, no fragment, no blanks. Where it may lead is not a matter of its form. */
export const URL_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^@/?#\s]+(?:[/?][^#\s]*)?$/
const PORTS_ALLOWED: readonly number[] = [443, 8443, 8080]
const RESERVED_SUFFIXES = ['local', 'internal', 'localhost', 'onion']
const HOST_LENGTH_MAX = 253

export function checkUrl(text: string, policy: EgressPolicy): UrlCheck {
  if (text.length > URL_LENGTH_MAX)
    return refuse('url_too_long', `The URL is longer than ${URL_LENGTH_MAX} characters.`)
  if (hasBlankOrControl(text))
    return refuse(
      'url_has_control_characters',
      'The URL contains spaces or control characters. Write them as %20 and so on.',
    )
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return refuse('url_malformed', 'This is not a URL. Use one such as https://shop.example.com/hooks.')
  if (url.href.length > URL_LENGTH_MAX)
    return refuse('url_too_long', `The URL is longer than ${URL_LENGTH_MAX} characters once encoded.`)
  return checkParts(url, policy) ?? { ok: true, url: url.href }
}

/** Tabs and line breaks are dropped silently by the URL parser, so they have to be looked for before it. */
function hasBlankOrControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code === 0x2028 || code === 0x2029) return true
  }
  return false
}

function checkParts(url: URL, policy: EgressPolicy): UrlCheck | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refuse('url_scheme_not_allowed', 'The URL must begin with https://.')
  if (url.username !== '' || url.password !== '')
    return refuse(
      'url_has_credentials',
      'The URL contains a user name or password. Send it as a custom header instead.',
    )
  if (url.href.includes('#'))
    return refuse('url_has_fragment', 'The URL contains a # part, which is never sent. Leave it out.')
  const isOpened = isHostOpened(urlHost(url), policy.allowedRanges)
  return checkHost(urlHost(url), isOpened, policy) ?? checkTransport(url, isOpened, policy)
}

function checkHost(host: string, isOpened: boolean, policy: EgressPolicy): UrlCheck | null {
  if (isOpened) return null
  if (isIP(host) !== 0) return checkLiteral(host, policy)
  if (!isPublicName(host))
    return refuse(
      'url_host_not_allowed',
      `Requests cannot be sent to ${shownHost(host)}. Use a public host name such as shop.example.com.`,
    )
  return null
}

const SHOWN_MAX = 100
const shownHost = (host: string) => (host.length > SHOWN_MAX ? `${host.slice(0, SHOWN_MAX)}…` : host)

function checkLiteral(address: string, policy: EgressPolicy): UrlCheck | null {
  if (!isAddressAllowed(address, policy.allowedRanges).allowed) return addressRefusal
  if (!policy.allowPublicAddresses)
    return refuse(
      'url_address_not_allowed',
      'Use a host name instead of an IP address, so that its certificate can be checked.',
    )
  return null
}

const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** At least two well-formed labels, the last of them not one that never leaves a machine or a local network. */
function isPublicName(host: string): boolean {
  const labels = host.split('.')
  const isWellFormed = host.length <= HOST_LENGTH_MAX && labels.every((label) => HOST_LABEL.test(label))
  return isWellFormed && labels.length >= 2 && !RESERVED_SUFFIXES.includes(labels.at(-1) ?? '')
}

function checkTransport(url: URL, isOpened: boolean, policy: EgressPolicy): UrlCheck | null {
  const isHttp = url.protocol === 'http:'
  if (isHttp && !isOpened && !policy.allowHttp)
    return refuse(
      'url_scheme_not_allowed',
      'The URL must begin with https://. Plain http is not enabled on this server.',
    )
  const port = urlPort(url)
  const allowed = [...PORTS_ALLOWED, ...(isHttp ? [80] : []), ...(policy.extraPorts ?? [])]
  if (port === 0 || (!isOpened && !allowed.includes(port)))
    return refuse('url_port_not_allowed', `Port ${port} is not allowed. Use one of ${allowed.join(', ')}.`)
  return null
}

/** Of an address in the URL, and of one that its name resolves to. */
export const addressRefusal: UrlCheck = {
  ok: false,
  code: 'url_address_not_allowed',
  says: 'Requests cannot be sent to this address. It is private or reserved.',
}

const refuse = (code: UrlProblem, says: string): UrlCheck => ({ ok: false, code, says })

/** The host without the brackets of an IPv6 address. */
export const urlHost = (url: URL): string => (url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname)

export const urlPort = (url: URL): number =>
  url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)

/** `localhost` is as good as its address once the operator opened that: it is what a developer types first. */
function isHostOpened(host: string, allowedRanges: readonly Cidr[]): boolean {
  const addresses = host === 'localhost' ? LOCALHOST_ADDRESSES : isIP(host) === 0 ? [] : [host]
  return addresses.some(
    (address) => addressInCidrs(address, allowedRanges) && isAddressAllowed(address, allowedRanges).allowed,
  )
}

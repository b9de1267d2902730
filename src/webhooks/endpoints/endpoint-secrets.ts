import type { Id } from '../../kernel/ids.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import {
  findAuthorityProblem,
  isTlsMaterialReadable,
  type TlsMaterial,
} from '../../platform/outbound-http/outbound-client.ts'
import type { NewWebhookEndpointInput } from './endpoints.schemas.ts'

/**
 * What of an endpoint is secret: the values of its custom headers, its TLS material and its verify token are sealed at rest and
 * shown masked or not at all; its
 * URL is stored in clear and masked in logs, events and attempt records.
 */
type TlsInput = NonNullable<NewWebhookEndpointInput['tls']>

const headersContext = (id: Id<'wep'>) => `webhook_endpoints.sealed_headers ${id}`
const tlsContext = (id: Id<'wep'>) => `webhook_endpoints.sealed_tls ${id}`
const verifyTokenContext = (id: Id<'wep'>) => `webhook_endpoints.sealed_verify_token ${id}`

export function sealHeaders(box: SecretBox, id: Id<'wep'>, headers: Record<string, string> | undefined): string | null {
  if (headers === undefined || Object.keys(headers).length === 0) return null
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return box.seal(JSON.stringify(lower), headersContext(id))
}

export const openHeaders = (box: SecretBox, id: Id<'wep'>, sealed: string | null): Record<string, string> =>
  sealed === null ? {} : JSON.parse(box.open(sealed, headersContext(id)))

const HEADER_MASK = '••••'

export const maskHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, HEADER_MASK]))

export function sealTls(box: SecretBox, id: Id<'wep'>, tls: TlsInput | null | undefined): string | null {
  const material = acceptTls(tls)
  return material === null ? null : box.seal(JSON.stringify(material), tlsContext(id))
}

/** Throws for what cannot be read. */
export function acceptTls(tls: TlsInput | null | undefined): TlsMaterial | null {
  if (tls == null || Object.values(tls).every((part) => part === undefined)) return null
  if (tls.ca !== undefined) acceptAuthorities(tls.ca)
  const material: TlsMaterial = {
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.client_certificate !== undefined && { cert: tls.client_certificate }),
    ...(tls.client_key !== undefined && { key: tls.client_key }),
  }
  if (!isTlsMaterialReadable(material))
    throw refuseValues([
      {
        pointer: '#/tls',
        code: 'tls_unreadable',
        detail: 'The certificates cannot be read, or the certificate and key do not match. Send both in PEM form.',
      },
    ])
  return material
}

const AUTHORITY_REFUSALS = {
  private_key: {
    code: 'tls_private_key',
    detail: 'This contains a private key, which was not stored. Send only the certificates of the authorities.',
  },
  unreadable: {
    code: 'tls_unreadable',
    detail: 'These are not complete certificates in PEM form. Send one or more, each from its BEGIN to its END line.',
  },
}

function acceptAuthorities(bundle: string): void {
  const problem = findAuthorityProblem(bundle)
  if (problem !== null) throw refuseValues([{ pointer: '#/tls/ca', ...AUTHORITY_REFUSALS[problem] }])
}

export const openTls = (box: SecretBox, id: Id<'wep'>, sealed: string | null): TlsMaterial | null =>
  sealed === null ? null : JSON.parse(box.open(sealed, tlsContext(id)))

export const sealVerifyToken = (box: SecretBox, id: Id<'wep'>, token: string): string =>
  box.seal(token, verifyTokenContext(id))

export const openVerifyToken = (box: SecretBox, id: Id<'wep'>, sealed: string | null): string | null =>
  sealed === null ? null : box.open(sealed, verifyTokenContext(id))

const MASK = '***'
const RANDOM_RUN_MIN = 16
const LONG_SEGMENT_MIN = 40

/**
 * A URL for logs and attempt records. Receivers put tokens into the query, and some (chat services above all) into the
 * path; every query value is masked, and path segments that look random, so that a log line is never a key.
 */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return '(unreadable URL)'
  const url = new URL(text)
  const credentials = url.username === '' && url.password === '' ? '' : `${MASK}@`
  return `${url.protocol}//${credentials}${url.host}${maskPath(url.pathname)}${maskQuery(url.search)}`
}

/** What a receiver points to, which may be a path or a query alone: it often repeats what it was called with. */
export function maskLocation(text: string): string {
  if (URL.canParse(text)) return maskUrl(text)
  const [, path = '', search = ''] = /^([^?#]*)(\?[^#]*)?/.exec(text) ?? []
  return maskPath(path.replace(/^\/\/[^/]*@/, `//${MASK}@`)) + maskQuery(search)
}

const maskPath = (path: string) =>
  path
    .split('/')
    .map((segment) => (looksRandom(segment) ? MASK : segment))
    .join('/')

/** Words joined by dashes are kept, and so are version numbers and UUIDs; a long run of mixed letters and digits is not. */
function looksRandom(segment: string): boolean {
  if (segment.length >= LONG_SEGMENT_MIN) return true
  const runs = segment.match(/[A-Za-z0-9]+/g) ?? []
  return runs.some((run) => run.length >= RANDOM_RUN_MIN && /\d/.test(run) && /[A-Za-z]/.test(run))
}

/** Names stay readable; a part without a name is all value. */
function maskQuery(search: string): string {
  if (search === '' || search === '?') return search
  const parts = search
    .slice(1)
    .split('&')
    .map((part) => {
      const equals = part.indexOf('=')
      return equals === -1 ? (part === '' ? '' : MASK) : `${part.slice(0, equals)}=${MASK}`
    })
  return `?${parts.join('&')}`
}

import { allEventTypes, type EventType, findEventType } from '../../events/events.ts'
import type { Id } from '../../kernel/ids.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/field-refusals.ts'
import { nearestName } from '../../platform/http/pipeline/nearest-name.ts'
import type { Egress, UrlCheck } from '../../platform/outbound-http/egress.ts'
import {
  findAuthorityProblem,
  isTlsMaterialReadable,
  type TlsMaterial,
} from '../../platform/outbound-http/outbound-client.ts'
import type { NewWebhookEndpointInput } from './endpoints.schemas.ts'

/** The URL in the form in which it is kept. */
export const acceptUrl = (text: string, egress: Pick<Egress, 'check'>): string => acceptChecked(egress.check(text))

/** Before the transaction that saves it: a name that leads to a private address is refused, too. */
export async function vetUrl(text: string | undefined, egress: Pick<Egress, 'vet'>): Promise<void> {
  if (text !== undefined) acceptChecked(await egress.vet(text))
}

function acceptChecked(check: UrlCheck): string {
  if (check.ok) return check.url
  throw breaksSchema([{ pointer: '#/url', code: check.code, detail: check.says }])
}

export function acceptTestType(name: string): EventType {
  const type = findEventType(name)
  if (type !== null) return type
  const suggestion = nearestName(
    name,
    allEventTypes().map((known) => known.name),
  )
  throw breaksSchema([
    {
      pointer: '#/type',
      code: 'event_unknown',
      detail: `There is no event "${name}"${suggestion === null ? '.' : `; did you mean "${suggestion}"?`} See GET /event-types.`,
      params: suggestion === null ? {} : { suggestion },
    },
  ])
}

type TlsInput = NonNullable<NewWebhookEndpointInput['tls']>

const headersContext = (id: Id<'wep'>) => `webhook_endpoints.sealed_headers ${id}`
const tlsContext = (id: Id<'wep'>) => `webhook_endpoints.sealed_tls ${id}`

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
        detail:
          'The certificates cannot be read, or certificate and key do not belong together. Give both in PEM form.',
      },
    ])
  return box.seal(JSON.stringify(material), tlsContext(id))
}

const AUTHORITY_REFUSALS = {
  private_key: {
    code: 'tls_private_key',
    detail: 'This holds a private key, and nothing of it was kept. Give the certificates of the authorities alone.',
  },
  unreadable: {
    code: 'tls_unreadable',
    detail: 'These are not whole certificates in PEM form. Give one or more, each from its BEGIN to its END line.',
  },
}

function acceptAuthorities(bundle: string): void {
  const problem = findAuthorityProblem(bundle)
  if (problem !== null) throw refuseValues([{ pointer: '#/tls/ca', ...AUTHORITY_REFUSALS[problem] }])
}

export const openTls = (box: SecretBox, id: Id<'wep'>, sealed: string | null): TlsMaterial | null =>
  sealed === null ? null : JSON.parse(box.open(sealed, tlsContext(id)))

import { findOrganizationById } from '../../accounts/organizations/organizations.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database, Queries } from '../../platform/database/database.ts'
import { parsePhone, parseReportedPhone } from '../../platform/phone/phone-numbers.ts'
import { findContactById, findHolder, phoneIdentities, usernameOf } from './people.ts'

/**
 * Whom a caller means. The form decides: `chat_…` is a chat, `con_…` a contact, `ID.91…` a business-scoped user id, `@sari`
 * a username, and everything else a phone in the spelling of the organization's country.
 */
export type Reference =
  | { kind: 'phone'; value: string }
  | { kind: 'user_id'; value: string }
  | { kind: 'username'; value: string }
  | { kind: 'chat'; value: Id<'chat'> }
  | { kind: 'contact'; value: Id<'con'> }

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/**
 * Null when it is a phone that cannot exist. Our tables of ranges are older than some lines: digits that they do not know,
 * and under which the network has reported a customer, mean that customer. Only those cost a query.
 */
export async function findReference(
  queries: Queries,
  orgId: OrgId,
  text: string,
  defaultCountry: string,
): Promise<Reference | null> {
  const reference = readReference(text, defaultCountry)
  if (reference !== null || !PLAIN_PHONE.test(text.trim())) return reference
  const digits = parseReportedPhone(text.replaceAll(/\D/g, ''))?.digits
  if (digits === undefined) return null
  const holder = await findHolder(queries, orgId, [{ kind: 'phone', value: digits }])
  return holder === null ? null : { kind: 'phone', value: digits }
}

const PLAIN_PHONE = /^\+?[\d\s()-]+$/

function readReference(text: string, defaultCountry: string): Reference | null {
  const written = text.trim()
  if (isId('chat', written)) return { kind: 'chat', value: written }
  if (isId('con', written)) return { kind: 'contact', value: written }
  if (USER_ID.test(written)) return { kind: 'user_id', value: written }
  const username = written.startsWith('@') ? usernameOf(written) : null
  if (username !== null) return { kind: 'username', value: username }
  const phone = parsePhone(written, defaultCountry)
  return phone === null ? null : { kind: 'phone', value: phone.digits }
}

export async function findReferredContact(
  queries: Queries,
  orgId: OrgId,
  reference: Exclude<Reference, { kind: 'chat' }>,
): Promise<Id<'con'> | null> {
  if (reference.kind === 'contact') return (await findContactById(queries, orgId, reference.value))?.id ?? null
  if (reference.kind === 'phone') return findHolder(queries, orgId, phoneIdentities(reference.value))
  return findHolder(queries, orgId, [{ kind: reference.kind, value: reference.value }])
}

/** The country in whose spelling an organization writes phone numbers. It hardly ever changes, so it is kept for a while. */
export type HomeCountry = (orgId: OrgId) => string | Promise<string>

const KEPT_MS = 30_000
const ORGANIZATIONS_MAX = 10_000
const UNKNOWN = 'ID'

export function createHomeCountry(database: Database): HomeCountry {
  const kept = new RecentMap<OrgId, { country: string; atMs: number }>({ sizeMax: ORGANIZATIONS_MAX })
  const load = async (orgId: OrgId) => {
    const country = (await findOrganizationById(database, orgId))?.default_country ?? UNKNOWN
    kept.set(orgId, { country, atMs: performance.now() })
    return country
  }
  return (orgId) => {
    const known = kept.get(orgId)
    return known !== undefined && performance.now() - known.atMs < KEPT_MS ? known.country : load(orgId)
  }
}

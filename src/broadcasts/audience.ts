import type { OrgId } from '../kernel/ids.ts'
import { stoppedSince } from '../messaging/contacts/contacts.ts'
import type { Queries } from '../platform/database/database.ts'
import { parsePhone, phoneVariants } from '../platform/phone/phone-numbers.ts'
import { AUDIENCE_MAX, type NewBroadcastInput, SKIPPED } from './broadcasts.schemas.ts'
import { type Candidate, type ConsentRow, listByPhones, listLabelled, type RecipientRow } from './broadcasts.sql.ts'

/**
 * Whom a broadcast is sent to, and who is left out. A person is in it once, by contact or by phone. No one
 * is sent anything without an opt-in; the latest of opt-in and opt-out counts, and an opt-out in WhatsApp counts in any case.
 */
type Wanted = { numberId: string; country: string; nowMs: number }

export const chooseAudience = (queries: Queries, orgId: OrgId, input: NewBroadcastInput, wanted: Wanted) =>
  input.label === undefined
    ? readList(queries, orgId, input.recipients ?? [], wanted)
    : readLabel(queries, orgId, input.label, wanted)

const PERSON = { variables: null, opt_in_source: null, opt_in_at: null } as const

async function readLabel(queries: Queries, orgId: OrgId, label: string, { numberId }: Wanted): Promise<RecipientRow[]> {
  const found = await listLabelled(queries, orgId, { label, numberId, limit: AUDIENCE_MAX })
  return found.map((candidate, position) => {
    const isElsewhere = candidate.phone === null && candidate.number_id !== numberId
    const reason = isElsewhere ? SKIPPED.otherNumber : refusalOf(candidate, { numberId, consent: candidate.consent })
    return {
      ...PERSON,
      ...{ person: candidate.contact_id, position, contact_id: candidate.contact_id, chat_id: candidate.chat_id },
      ...{ phone: candidate.phone, status: reason === null ? 'pending' : 'skipped', reason },
    }
  })
}

type Line = NonNullable<NewBroadcastInput['recipients']>[number]

async function readList(
  queries: Queries,
  orgId: OrgId,
  lines: readonly Line[],
  { numberId, country, nowMs }: Wanted,
): Promise<RecipientRow[]> {
  const phones = lines.map(({ to }) => parsePhone(to, country)?.digits ?? null)
  const spellings = phones.flatMap((phone) => (phone === null ? [] : phoneVariants(phone)))
  const known = new Map((await listByPhones(queries, orgId, spellings)).map((one) => [one.asked, one]))
  const seen = new Set<string>()
  return lines.map(({ to, variables = null, opt_in }, position) => {
    const phone = phones[position] ?? null
    const shared = {
      ...{ position, chat_id: null, variables, opt_in_source: opt_in?.source ?? null },
      opt_in_at: opt_in === undefined ? null : new Date(opt_in.at ?? nowMs),
    }
    // A line with an impossible phone, or with the same person as one before, stays in the report under its place.
    const leftOut = (reason: string, contact: Candidate | null): RecipientRow => ({
      ...shared,
      ...{ person: `line ${position}`, contact_id: contact?.contact_id ?? null, phone: phone ?? to },
      ...{ status: 'skipped', reason },
    })
    if (phone === null) return leftOut(SKIPPED.phoneImpossible, null)
    const candidate = phoneVariants(phone).flatMap((spelling) => known.get(spelling) ?? [])[0] ?? null
    const person = candidate?.contact_id ?? [...phoneVariants(phone)].toSorted()[0] ?? phone
    if (seen.has(person)) return leftOut(SKIPPED.duplicate, candidate)
    seen.add(person)
    const given = shared.opt_in_at === null ? null : { is_given: true, at: shared.opt_in_at }
    const consent = latestOf(candidate?.consent ?? null, given)
    const reason = refusalOf(candidate, { numberId, consent })
    return {
      ...shared,
      ...{ person, contact_id: candidate?.contact_id ?? null, phone, reason },
      status: reason === null ? 'pending' : 'skipped',
    }
  })
}

type Consent = { is_given: boolean; at: string | Date }

/** What was said last. */
export function latestOf(known: Consent | null, given: Consent | null): Consent | null {
  if (known === null || given === null) return known ?? given
  return new Date(given.at) >= new Date(known.at) ? given : known
}

export function refusalOf(
  contact: Pick<Candidate, 'marketing_wishes'> | null,
  { numberId, consent }: { numberId: string; consent: Pick<ConsentRow, 'is_given'> | Consent | null },
): string | null {
  if (contact !== null && stoppedSince(contact, numberId) !== null) return SKIPPED.optedOut
  if (consent === null) return SKIPPED.optInMissing
  return consent.is_given ? null : SKIPPED.optedOut
}

import type { ChannelReport } from '../channels/channel-connector.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { type Applying, type BatchApplying, itemsOfKind, type ReportItem } from './applying.ts'
import { contactChanged } from './chat-events.ts'
import { type ContactRow, findRecipient, type MarketingWish, updateWishes } from './contacts.sql.ts'
import { findHolder, lockPersons, lookedFor, personOf } from './contacts.ts'
import type { Happenings } from './happenings.ts'

/**
 * Whether somebody takes marketing messages from a number. They tell the network, and the network tells us in two ways:
 *
 *   a message fails as `recipient_opted_out`    they had stopped them before
 *   a notice of its own                         they stop them, or want them again
 *
 * Of each number the last word counts, in whatever order words arrive. It concerns marketing templates alone: who has
 * stopped them still gets everything else.
 */
export const OPTED_OUT = 'recipient_opted_out'

export const stoppedSince = (
  { marketing_wishes: wishes }: Pick<ContactRow, 'marketing_wishes'>,
  numberId: string,
): string | null => wishes.find((wish) => wish.number_id === numberId && wish.is_stopped)?.at ?? null

type Telling = { tx: Tx; happenings: Happenings }
export type Told = {
  orgId: OrgId
  contactId: Id<'con'>
  numberId: Id<'num'>
  isStopped: boolean
  at: Date
  now: Date
}

/** Whoever locks several people does it in the order of their ids. */
export async function noteWishes(telling: Telling, told: readonly Told[]): Promise<void> {
  for (const one of told.toSorted((a, b) => (a.contactId < b.contactId ? -1 : a.contactId > b.contactId ? 1 : 0)))
    await noteWish(telling, one)
}

async function noteWish({ tx, happenings }: Telling, { orgId, ...told }: Told): Promise<void> {
  const [before] = await lockPersons(tx, orgId, [told.contactId])
  if (before === undefined) return
  const wish = { number_id: told.numberId, at: told.at.toISOString(), is_stopped: told.isStopped }
  const known = before.marketing_wishes.find(({ number_id }) => number_id === wish.number_id)
  if (known !== undefined && known.at >= wish.at) return
  const wishes = [...before.marketing_wishes.filter((one) => one !== known), wish] satisfies MarketingWish[]
  const after = await updateWishes(tx, orgId, { id: before.id, wishes, now: told.now })
  if ((known?.is_stopped ?? false) !== wish.is_stopped) happenings.add(orgId, contactChanged(after))
}

export const isOptOut = ({ report }: ReportItem): boolean =>
  report.kind === 'status' && report.failure?.code === OPTED_OUT

/** After the statuses themselves, which link people to all of their names. */
export async function noteOptOuts(applying: BatchApplying, items: readonly ReportItem[]): Promise<void> {
  const { tx, orgId, now } = applying
  const told: Told[] = []
  for (const { number, report } of itemsOfKind(items, 'status')) {
    const names = { id: report.clientToken, numberId: number.id, providerId: report.providerId }
    const recipient = await findRecipient(tx, orgId, names)
    const contactId = recipient?.contact_id ?? (await findHolder(tx, orgId, lookedFor(personOf(report.recipient))))
    if (contactId !== null)
      told.push({ orgId, contactId, numberId: number.id, isStopped: true, at: report.at ?? now, now })
  }
  await noteWishes(applying, told)
}

/** Of somebody nobody here knows there is nothing to remember. */
export async function applyPreference(
  applying: Applying,
  report: Extract<ChannelReport, { kind: 'preference' }>,
): Promise<void> {
  const { tx, orgId, number, now } = applying
  const contactId = await findHolder(tx, orgId, lookedFor({ ...personOf(report.person), username: null }))
  if (contactId === null) return
  const { isStopped, at } = report
  await noteWish(applying, { orgId, contactId, numberId: number.id, isStopped, at: at ?? now, now })
}

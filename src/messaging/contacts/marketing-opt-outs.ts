import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { contactChanged } from '../chats/chat-events.ts'
import type { EventBuffer } from '../event-buffer.ts'
import { type Applying, type BatchApplying, itemsOfKind, type ReportItem } from '../receiving/applying.ts'
import { type ContactRow, findRecipient, type MarketingOptOut, updateOptOuts } from './contacts.sql.ts'
import { findHolder, lockPersons, lookedFor, personOf } from './contacts.ts'

/**
 * Whether a contact accepts marketing messages from a number. Customers decide that in WhatsApp, and the network reports it
 * in two ways:
 *
 *   a message fails as `recipient_opted_out`    the customer had opted out before
 *   a preference report                         the customer opts out, or in again
 *
 * The latest report of each number counts, in whatever order reports arrive. It concerns marketing templates alone: a
 * customer who opted out still gets everything else.
 */
export const OPTED_OUT = 'recipient_opted_out'

export const stoppedSince = (
  { marketing_wishes: optOuts }: Pick<ContactRow, 'marketing_wishes'>,
  numberId: string,
): string | null => optOuts.find((optOut) => optOut.number_id === numberId && optOut.is_stopped)?.at ?? null

type OptOutContext = { tx: Tx; events: EventBuffer }
export type ReportedOptOut = {
  orgId: OrgId
  contactId: Id<'con'>
  numberId: Id<'num'>
  isStopped: boolean
  at: Date
  now: Date
}

/** Contacts are locked in the order of their ids. */
export async function saveOptOuts(context: OptOutContext, reported: readonly ReportedOptOut[]): Promise<void> {
  for (const one of reported.toSorted((a, b) => (a.contactId < b.contactId ? -1 : a.contactId > b.contactId ? 1 : 0)))
    await saveOptOut(context, one)
}

async function saveOptOut({ tx, events }: OptOutContext, { orgId, ...reported }: ReportedOptOut): Promise<void> {
  const [before] = await lockPersons(tx, orgId, [reported.contactId])
  if (before === undefined) return
  const optOut = { number_id: reported.numberId, at: reported.at.toISOString(), is_stopped: reported.isStopped }
  const known = before.marketing_wishes.find(({ number_id }) => number_id === optOut.number_id)
  if (known !== undefined && known.at >= optOut.at) return
  const optOuts = [...before.marketing_wishes.filter((one) => one !== known), optOut] satisfies MarketingOptOut[]
  const after = await updateOptOuts(tx, orgId, { id: before.id, optOuts, now: reported.now })
  if ((known?.is_stopped ?? false) !== optOut.is_stopped) events.add(orgId, contactChanged(after))
}

export const isOptOut = ({ report }: ReportItem): boolean =>
  report.kind === 'status' && report.failure?.code === OPTED_OUT

/** Runs after the statuses are applied, because those link people to all of their names. */
export async function applyOptOuts(applying: BatchApplying, items: readonly ReportItem[]): Promise<void> {
  const { tx, orgId, now } = applying
  const reported: ReportedOptOut[] = []
  for (const { number, report } of itemsOfKind(items, 'status')) {
    const names = { id: report.clientToken, numberId: number.id, providerId: report.providerId }
    const recipient = await findRecipient(tx, orgId, names)
    const contactId = recipient?.contact_id ?? (await findHolder(tx, orgId, lookedFor(personOf(report.recipient))))
    if (contactId !== null)
      reported.push({ orgId, contactId, numberId: number.id, isStopped: true, at: report.at ?? now, now })
  }
  await saveOptOuts(applying, reported)
}

/** A preference of an unknown person is ignored. */
export async function applyPreference(
  applying: Applying,
  report: Extract<ChannelReport, { kind: 'preference' }>,
): Promise<void> {
  const { tx, orgId, number, now } = applying
  const contactId = await findHolder(tx, orgId, lookedFor({ ...personOf(report.person), username: null }))
  if (contactId === null) return
  const { isStopped, at } = report
  await saveOptOut(applying, { orgId, contactId, numberId: number.id, isStopped, at: at ?? now, now })
}

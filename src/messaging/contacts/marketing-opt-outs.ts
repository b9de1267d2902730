import type { EventBuffer } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type ContactRow, type MarketingOptOut, updateOptOuts } from './contacts.sql.ts'
import { contactChanged, lockPersons } from './people.ts'

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

export async function saveOptOut({ tx, events }: OptOutContext, { orgId, ...reported }: ReportedOptOut): Promise<void> {
  const [before] = await lockPersons(tx, orgId, [reported.contactId])
  if (before === undefined) return
  const optOut = { number_id: reported.numberId, at: reported.at.toISOString(), is_stopped: reported.isStopped }
  const known = before.marketing_wishes.find(({ number_id }) => number_id === optOut.number_id)
  if (known !== undefined && known.at >= optOut.at) return
  const optOuts = [...before.marketing_wishes.filter((one) => one !== known), optOut] satisfies MarketingOptOut[]
  const after = await updateOptOuts(tx, orgId, { id: before.id, optOuts, now: reported.now })
  if ((known?.is_stopped ?? false) !== optOut.is_stopped) events.add(orgId, contactChanged(after))
}

import type { TemplateContent } from '../channels/content/content.ts'
import { writeOutTemplate } from '../channels/content/template.schemas.ts'
import { type BusinessNumber, findNumberByReference, getDefaultNumber } from '../channels/numbers/numbers.ts'
import type { EventActor } from '../events/events.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { numberNotConnected } from '../messaging/messaging.errors.ts'
import type { Tx } from '../platform/database/database.ts'
import { chooseAudience } from './audience.ts'
import { messageFor } from './broadcast-message.ts'
import { broadcastEmpty } from './broadcasts.errors.ts'
import type { NewBroadcastInput } from './broadcasts.schemas.ts'
import { type BroadcastRow, insertBroadcast, insertRecipients, type RecipientRow } from './broadcasts.sql.ts'
import type { BroadcastsContext } from './broadcasts-context.ts'

/** Creates a draft with its audience. Sends nothing, and refuses what no one could be sent. */
export async function createBroadcast(
  context: BroadcastsContext,
  tx: Tx,
  orgId: OrgId,
  { input, createdBy }: { input: NewBroadcastInput; createdBy: EventActor },
): Promise<BroadcastRow> {
  const { messaging, clock } = context
  const number = await findSendingNumber(tx, orgId, input.from ?? null)
  const nowMs = clock.now()
  const country = await messaging.context.homeCountry(orgId)
  const recipients = await chooseAudience(tx, orgId, input, { numberId: number.id, country, nowMs })
  const [first] = recipients.filter(({ status }) => status === 'pending')
  if (first === undefined) throw broadcastEmpty({ params: { skipped: countReasons(recipients) } })
  const template = writeOutTemplate(input.template) as TemplateContent
  const row = await insertBroadcast(tx, orgId, {
    ...{ id: newId('brd', nowMs), name: input.name, number_id: number.id, template, label: input.label ?? null },
    ...{ status: 'draft', paused_reason: null, per_minute: input.per_minute, unit_price: input.unit_price ?? null },
    daily_max: input.daily_max ?? dailyLimitOf(number),
    send_at: input.send_at === undefined ? null : new Date(input.send_at),
    ...{ created_by: createdBy, created_at: new Date(nowMs), started_at: null, resumed_at: null, ended_at: null },
  })
  // Whether the template can be sent is the same for all of them, save for their own variables.
  await messaging.context.sender.rehearse({ ...messageFor(row, first), from: number.id })
  await insertRecipients(tx, orgId, row, recipients)
  return row
}

async function findSendingNumber(tx: Tx, orgId: OrgId, reference: string | null): Promise<BusinessNumber> {
  const number =
    reference === null ? await getDefaultNumber(tx, orgId) : await findNumberByReference(tx, orgId, reference)
  if (number === null || number.state === 'disconnected') throw numberNotConnected()
  return number
}

function countReasons(recipients: readonly RecipientRow[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { reason } of recipients) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

const TIER = /TIER_(\d+)(K?)\b/

/** How many people a number may write to first in 24 hours, as WhatsApp last reported it; null if it did not, or for no limit. */
export function dailyLimitOf({ reports }: Pick<BusinessNumber, 'reports'>): number | null {
  const [, digits, thousands] = TIER.exec(reports.phone_number_quality_update?.detail ?? '') ?? []
  return digits === undefined ? null : Number(digits) * (thousands === 'K' ? 1000 : 1)
}

import type { z } from 'zod'
import { listApiKeys } from '../../accounts/api-keys.ts'
import { listEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { messageMoved } from '../../messaging/messaging.events.ts'
import { orderEvents } from '../../orders/orders.events.ts'
import type { Database } from '../../platform/database/database.ts'
import { listDeliveries } from '../../webhooks/deliveries.ts'
import type { Checklist } from './figures.schemas.ts'

/** How far somebody has come who is new here, from what really happened. */
type View = z.input<typeof Checklist>

const step = (at: Date | null | undefined): View['key_made'] => ({
  done: at != null,
  at: at?.toISOString() ?? null,
})

/** The key of the first start counts once it is used: nobody made it. */
const FIRST_START = 'first start'

async function keyMadeAt(database: Database, orgId: OrgId): Promise<Date | null> {
  const times = (await listApiKeys(database, orgId)).flatMap((key) =>
    key.created_by === FIRST_START ? (key.last_used_at ?? []) : key.created_at,
  )
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())))
}

export async function readChecklist(database: Database, orgId: OrgId): Promise<View> {
  const first = async (type: string) =>
    (await listEvents(database, orgId, { types: [type], after: 0, limit: 1 }))[0]?.created_at
  const [key, sent, paid, [delivered]] = await Promise.all([
    keyMadeAt(database, orgId),
    first(messageMoved.sent.name),
    first(orderEvents.paid.name),
    listDeliveries(database, orgId, { statuses: ['succeeded'], limit: 1 }),
  ])
  return {
    key_made: step(key),
    message_sent: step(sent),
    order_paid: step(paid),
    webhook_delivered: step(delivered?.completed_at),
  }
}

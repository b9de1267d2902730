import type { OrganizationProfile, OrganizationProfiles } from '../accounts/organization-profiles.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Payments } from '../payments/payments.ts'
import type { HeldOrder } from '../payments/payments-context.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type LatePolicy, latePolicies } from './order-decision.ts'
import type { OrderRow } from './orders.sql.ts'

export type Order = OrderRow

/** An order under its lock, with its money (locked-order.ts). */
export type LockedOrder = HeldOrder & { row: OrderRow }

export type OrdersContext = {
  database: Database
  clock: Clock
  profiles: OrganizationProfiles
  payments: Payments
  /** The chat that somebody names as that of an order, and whose it is. */
  findChat: FindChat
  /** How long a request waits for a provider's answer before it says that there is none yet. */
  answerTimeoutMs: number
  /** Told of every order that was made or changed, in that transaction: for messages in the chat. Before is null for a new one. */
  onOrderMoved: (tx: Tx, order: Order, before: Order | null) => Promise<void>
}

export type FindChat = (orgId: OrgId, id: string) => Promise<ChatOfOrder | null>

/** The phone is in E.164. Orders of chats that went into this one keep the ids of those. */
export type ChatOfOrder = {
  id: Id<'chat'>
  contact: { id: Id<'con'>; name: string | null; phone: string | null }
  mergedIds: readonly Id<'chat'>[]
}

/** What an organization decides about orders, with what holds when it says nothing. */
export type OrderSettings = {
  latePolicy: LatePolicy
  /** How long an order waits for another attempt after its last one ran out. */
  graceSeconds: number
}

export function orderSettingsOf({ settings }: Pick<OrganizationProfile, 'settings'>): OrderSettings {
  const late = settings.late_payment as LatePolicy
  const grace = settings.order_grace_seconds
  return {
    latePolicy: latePolicies.includes(late) ? late : 'review',
    graceSeconds: typeof grace === 'number' && grace > 0 ? Math.min(grace, GRACE_SECONDS_MAX) : 0,
  }
}

export const GRACE_SECONDS_MAX = 7 * 86_400

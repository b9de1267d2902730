import type { OrganizationProfile, OrganizationProfiles } from '../accounts/organizations/organizations.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { MessageView } from '../messaging/messages/messages.schemas.ts'
import type { NewOutboundMessage } from '../messaging/messaging.ts'
import type { Payments } from '../payments/payments.ts'
import type { HeldOrder } from '../payments/payments-context.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { OrderRow } from './orders/orders.sql.ts'
import { type LatePolicy, latePolicies } from './settlement/settlement.ts'

export type Order = OrderRow

/** An order under its lock, with its money (locked-order.ts). */
export type LockedOrder = HeldOrder & { row: OrderRow }

export type OrdersContext = {
  database: Database
  clock: Clock
  profiles: OrganizationProfiles
  payments: Payments
  /** Finds the chat that a request names for an order, with its contact. */
  findChat: FindChat
  /** The WhatsApp number of the shop in E.164, for shops that set no other contact. */
  findShopPhone: (orgId: OrgId) => Promise<string | null>
  sendDocument: SendDocument
  /** How long a request waits for a provider's answer before it responds without one. */
  answerTimeoutMs: number
  /** Called for every order that is created or changed, in that transaction, to send notices. `before` is null for a new order. */
  onOrderMoved: (tx: Tx, order: Order, before: Order | null) => Promise<void>
}

/** Sends a file into the chat of an order, or to the phone number of its customer. The answer is stored with the claim. */
export type SendDocument = (message: DocumentMessage) => Promise<MessageView>

type DocumentMessage = {
  order: Pick<OrderRow, 'org_id' | 'id' | 'chat_id' | 'customer_phone'>
  file: DocumentFile
  caption: string
} & Pick<NewOutboundMessage, 'sender' | 'requestId' | 'claim' | 'companion' | 'location'>

export type DocumentFile = { bytes: Uint8Array; mimeType: string; filename: string }

export type FindChat = (orgId: OrgId, id: string) => Promise<ChatOfOrder | null>

/** The phone is in E.164. Orders of chats that were merged into this one keep the ids of those chats. */
export type ChatOfOrder = {
  id: Id<'chat'>
  contact: { id: Id<'con'>; name: string | null; phone: string | null }
  mergedIds: readonly Id<'chat'>[]
}

/** The order settings of an organization, with defaults. */
export type OrderSettings = {
  latePolicy: LatePolicy
  /** How long an order awaits another attempt after its last one expired. */
  graceSeconds: number
}

export function orderSettingsOf({ settings }: Pick<OrganizationProfile, 'settings'>): OrderSettings {
  const grace = settings.order_grace_seconds
  return {
    latePolicy: latePolicies.find((known) => known === settings.late_payment) ?? 'review',
    graceSeconds: typeof grace === 'number' && grace > 0 ? Math.min(grace, GRACE_SECONDS_MAX) : 0,
  }
}

export const GRACE_SECONDS_MAX = 7 * 86_400

import { recordEvents } from '../../events/events.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { orderEvents } from '../orders.events.ts'
import type { Order, OrdersContext } from '../orders-context.ts'
import { presentOrder } from './order-view.ts'
import { insertOrders, lockCounters, type OrderRow, saveCounters } from './orders.sql.ts'
import { computeTotals, type ItemInput } from './totals.ts'

/**
 * Creates a draft order from a customer's cart: numbered, with its items and its chat, and not payable until an attempt is
 * opened. The prices come from the cart, so staff check them before the customer pays.
 */
export type DraftFromCart = {
  id?: Id<'ord'>
  items: readonly ItemInput[]
  customer: { name: string | null; phone: string | null }
  contactId: Id<'con'> | null
  chatId: Id<'chat'> | null
  note: string | null
  metadata?: Record<string, string>
}

/** Throws when the cart cannot be counted. The cart then stays a message without an order. */
export async function createDraftFromCart(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  cart: DraftFromCart,
): Promise<Order> {
  const result = computeTotals({ items: cart.items })
  if (!result.ok) throw new Error(`the cart cannot be counted: ${result.problem.detail}`)
  const [counter] = await lockCounters(tx, [orgId])
  const number = (counter?.last_number as number) + 1
  const nowMs = context.clock.now()
  const now = new Date(nowMs)
  const order: OrderRow = {
    org_id: orgId,
    id: cart.id ?? newId('ord', nowMs),
    number,
    status: 'draft',
    billing_type: null,
    customer_name: cart.customer.name,
    customer_phone: cart.customer.phone,
    contact_id: cart.contactId,
    chat_id: cart.chatId,
    ...result.totals,
    payment_status: 'unpaid',
    amount_paid: 0,
    amount_returned: 0,
    amount_remaining: result.totals.total,
    accepted_at: null,
    payment_id: null,
    review_reasons: [],
    review_since: null,
    notify: true,
    reference: null,
    note: cart.note,
    metadata: cart.metadata ?? {},
    created_at: now,
    updated_at: now,
  }
  await Promise.all([saveCounters(tx, [{ org_id: orgId, last_number: number }]), insertOrders(tx, [order])])
  await context.onOrderMoved(tx, order, null)
  const data = presentOrder(context.payments.context, order, { payment: null, refunds: [] })
  const actor = cart.contactId === null ? undefined : { type: 'contact' as const, id: cart.contactId }
  await recordEvents(
    tx,
    orgId,
    [{ type: orderEvents.created, subject: order.id, data, ...(actor && { actor }) }],
    nowMs,
  )
  return order
}

import { z } from 'zod'
import { recordEvents } from '../events/events.ts'
import type { OrgId } from '../kernel/ids.ts'
import { isLive } from '../payments/payments.states.ts'
import { listPayments } from '../payments/payments.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { isShort } from './order-decision.ts'
import { changeOrder, type OrderMove } from './order-moves.ts'
import { lockOrder, type OrderRow } from './orders.sql.ts'
import { orderStates } from './orders.states.ts'
import type { OrdersContext } from './orders-context.ts'
import { isSettled } from './settlement.ts'

/**
 * The end of an order's time of grace: unless somebody opened another attempt or money came, it expires now. Where only a
 * part came, nothing is open to pay the rest with, and somebody has to look.
 */
export const EXPIRE_JOB = 'orders.expire'

export const expirePayload = z.object({ order: z.string() })

export type Grace = { order: OrderRow; payment: PaymentRow; graceSeconds: number }

export const enqueueExpiry = (tx: Tx, { order, payment, graceSeconds }: Grace): Promise<unknown> =>
  enqueue(tx, [
    {
      id: `${order.id}:expire:${payment.id}`,
      laneId: payment.account_id,
      orgId: order.org_id,
      job: EXPIRE_JOB,
      dueAt: new Date(payment.updated_at.getTime() + graceSeconds * 1000),
      payload: { order: order.id },
    },
  ])

export const expireOrder = (context: OrdersContext, orgId: OrgId, orderId: string): Promise<void> =>
  context.database.transaction(async (tx) => {
    const order = await lockOrder(tx, orgId, orderId)
    if (order === null || !orderStates.can(order.status, 'expire')) return
    if ((await listPayments(tx, orgId, orderId)).some(({ status }) => isLive(status))) return
    const change = changeAfterGrace(order)
    if (change === null) return
    const { events } = await changeOrder(context, tx, order, change)
    await recordEvents(tx, orgId, events, context.clock.now())
  })

function changeAfterGrace(order: OrderRow): OrderMove | null {
  const { status, review_reasons: reasons } = order
  const kept = order.amount_paid - order.amount_returned
  if (kept <= 0) return { status: 'expired' }
  const isNews = isShort({ status, kept, isComplete: isSettled(order) }) && !reasons.includes('underpaid')
  return isNews ? { review_reasons: [...reasons, 'underpaid'] } : null
}

import { recordEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isLive } from '../../payments/attempts/payments.states.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import type { OrdersContext } from '../orders-context.ts'
import { findLockedOrder } from '../settlement/locked-order.ts'
import { isShort } from '../settlement/order-decision.ts'
import { changeOrder, type OrderMove } from '../settlement/order-moves.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { isSettled } from '../settlement/settlement.ts'
import { EXPIRE_JOB, expirePayload } from './order-expiry.ts'
import type { OrderRow } from './orders.sql.ts'

export const createExpireJob = (context: OrdersContext): Job =>
  defineJob<{ order: string }>({
    name: EXPIRE_JOB,
    payload: expirePayload,
    retry: { delaysMs: [1_000, 10_000, 60_000, 600_000, 3_600_000], jitter: 0.2 },
    async run({ orgId, payload }) {
      await expireOrder(context, orgId as OrgId, payload.order)
      return { kind: 'done', verdict: 'neutral' }
    },
  })

const expireOrder = (context: OrdersContext, orgId: OrgId, orderId: string): Promise<void> =>
  context.database.transaction(async (tx) => {
    const order = await findLockedOrder(context, tx, orgId, orderId)
    if (order === null || !orderStates.can(order.row.status, 'expire')) return
    if (order.payments.some(({ status }) => isLive(status))) return
    const change = changeAfterGrace(order.row)
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

import { z } from 'zod'
import { recordEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isLive } from '../../payments/payments.states.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import type { OrdersContext } from '../orders-context.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { decideChange, moneyOf } from '../settlement/settlement.ts'
import { EXPIRE_JOB, findLockedOrder } from './locked-order.ts'
import { changeOrder } from './order-changes.ts'

/**
 * The end of an order's grace period: the order expires unless another attempt was opened or money was received. After a
 * partial payment no attempt is open for the remaining amount, so the order is flagged for review.
 */
export const createExpireJob = (context: OrdersContext): Job =>
  defineJob<{ order: string }>({
    name: EXPIRE_JOB,
    payload: z.object({ order: z.string() }),
    retry: { delaysMs: [1_000, 10_000, 60_000, 600_000, 3_600_000], jitter: 0.2 },
    async run({ orgId, payload }) {
      await expireOrder(context, orgId, payload.order)
      return { kind: 'done', verdict: 'neutral' }
    },
  })

const expireOrder = (context: OrdersContext, orgId: OrgId, orderId: string): Promise<void> =>
  context.database.transaction(async (tx) => {
    const order = await findLockedOrder(context, tx, orgId, orderId)
    if (order === null || !orderStates.can(order.row.status, 'expire')) return
    if (order.payments.some(({ status }) => isLive(status))) return
    const decision = decideChange(order.row, { ...LAPSED, money: moneyOf(order.row) }, null)
    const { status, reasons } = decision
    if (status === order.row.status && reasons.length === order.row.review_reasons.length) return
    const { events } = await changeOrder(context, tx, order, { status, review_reasons: reasons })
    await recordEvents(tx, orgId, events, context.clock.now())
  })

/** No money was received, so the policy for late money does not matter. */
const LAPSED = { order: 'awaiting', payment: 'nothing', attempt: 'lapsed', policy: 'review' } as const

import { z } from 'zod'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import type { OrderRow } from './orders.sql.ts'

/**
 * The end of an order's grace period: the order expires unless another attempt was opened or money was received. After a
 * partial payment no attempt is open for the remaining amount, so the order is flagged for review.
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

import type { OrgId } from '../kernel/ids.ts'
import { defineJob, type Job } from '../platform/outbox/job.ts'
import { EXPIRE_JOB, expireOrder, expirePayload } from './order-expiry.ts'
import type { OrdersContext } from './orders-context.ts'

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

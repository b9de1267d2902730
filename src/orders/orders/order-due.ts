import { z } from 'zod'
import { recordEvents } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import type { OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { isSettled } from '../settlement/settlement.ts'
import { findLockedOrder } from './locked-order.ts'
import { changeOrder } from './order-changes.ts'
import type { OrderRow } from './orders.sql.ts'

/**
 * The due date of an order. A job looks at the order when the date has passed: if an amount remains to be paid, the order is
 * overdue, and `order.overdue` is recorded once. An edit of the date clears that and enqueues another job; a job
 * that runs before the date of the order does nothing.
 */
const DUE_JOB = 'orders.due'

const laneOf = (orgId: OrgId) => `${orgId}:due`

/** Orders of one organization. */
export async function enqueueDue(tx: Tx, orders: readonly OrderRow[]): Promise<void> {
  const dated = orders.flatMap(({ org_id: orgId, id, due_at: dueAt }) => (dueAt === null ? [] : [{ orgId, id, dueAt }]))
  const [first] = dated
  if (first === undefined) return
  const { orgId } = first
  const laneId = laneOf(orgId)
  // The job calls no other system, so the lane needs neither a breaker nor an adaptive rate.
  await ensureLane(tx, { id: laneId, orgId, kind: 'due dates', hasBreaker: false, isAdaptive: false })
  await enqueue(
    tx,
    dated.map(({ id, dueAt }) => ({
      id: newId('job'),
      laneId,
      orgId,
      job: DUE_JOB,
      dueAt,
      payload: { order: id },
    })),
  )
}

export const createDueJob = (context: OrdersContext): Job =>
  defineJob<{ order: string }>({
    name: DUE_JOB,
    payload: z.object({ order: z.string() }),
    retry: { delaysMs: [1_000, 10_000, 60_000, 600_000, 3_600_000], jitter: 0.2 },
    async run({ orgId, payload }) {
      await markOverdue(context, orgId, payload.order)
      return { kind: 'done', verdict: 'neutral' }
    },
  })

const markOverdue = (context: OrdersContext, orgId: OrgId, orderId: string) =>
  context.database.transaction(async (tx) => {
    const locked = await findLockedOrder(context, tx, orgId, orderId)
    const now = new Date(context.clock.now())
    if (locked === null || locked.row.due_at === null || locked.row.due_at > now || !isUnpaid(locked.row)) return
    const { events } = await changeOrder(context, tx, locked, { overdue_at: now })
    await recordEvents(tx, orgId, events, context.clock.now())
  })

const isUnpaid = (row: OrderRow): boolean =>
  row.overdue_at === null && row.status !== 'draft' && !isGivenUp(row.status) && !isSettled(row)

import { isDeepStrictEqual } from 'node:util'
import { type Initiator, type NewEvent, recordEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isLive } from '../../payments/payments.states.ts'
import { refundsOf } from '../../payments/payments.ts'
import { openRefund, refundableOf } from '../../payments/refunds/refunds.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  orderNotCancellable,
  orderNotCompletable,
  orderNotShippable,
  orderPaymentReversed,
  orderReviewNotNeeded,
} from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { deliveryStates, isGoing, orderStates } from '../settlement/orders.states.ts'
import { decideAcceptance, isReversalOpen, moneyOf, orderFact } from '../settlement/settlement.ts'
import { getLockedOrder } from './locked-order.ts'
import { changeOrder, endLive } from './order-changes.ts'
import { mergeDelivery } from './order-input.ts'
import type { DeliveryInput } from './order-requests.schemas.ts'
import type { OrderRow } from './orders.sql.ts'

/** The actions of staff and integrators on an order. Each runs in one transaction under the order's lock. */
type Act = { id: string; initiator: Initiator }

/** Moves an order from confirmed to processing or completed. A draft with a total of 0 is confirmed here, because no payment can do it. */
export async function advanceOrder(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator, to }: Act & { to: 'processing' | 'completed' },
): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const before = locked.row
  if (before.status === to) return locked
  const free = isFreeDraft(before) ? FREE : {}
  const processing = orderStates.next({ ...before, ...free }.status, 'process') ?? before.status
  const status = to === 'completed' ? orderStates.next(processing, 'complete') : processing
  if (status !== to) throw orderNotCompletable({ params: { status: before.status } })
  if (to === 'completed' && isReversalOpen(before))
    throw orderPaymentReversed({ params: { amount_remaining: before.amount_remaining } })
  const { events } = await changeOrder(context, tx, locked, { ...free, status, initiator })
  await recordEvents(tx, orgId, events, context.clock.now())
  return locked
}

/** Records that the goods left, or arrived. `status` stays: goods may be paid before or after that. A repeat changes nothing. */
export async function moveDelivery(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator, to, details }: Act & { to: 'shipped' | 'delivered'; details: DeliveryInput },
): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const { status, delivery: before } = locked.row
  const delivery = mergeDelivery(before, details) ?? mergeDelivery(null, {})
  if (before?.status === to && isDeepStrictEqual(delivery, before)) return locked
  const from = before?.status ?? 'pending'
  const isPossible = deliveryStates.next(from, to === 'shipped' ? 'ship' : 'deliver') === to && isGoing(status)
  if (delivery === null || !isPossible)
    throw orderNotShippable({ params: { status, delivery_status: before?.status ?? null } })
  if (isReversalOpen(locked.row))
    throw orderPaymentReversed({ params: { amount_remaining: locked.row.amount_remaining } })
  const now = new Date(context.clock.now()).toISOString()
  const moved = { ...delivery, status: to, ...(to === 'shipped' ? { shipped_at: now } : { delivered_at: now }) }
  const { events } = await changeOrder(context, tx, locked, { delivery: moved, initiator })
  await recordEvents(tx, orgId, events, context.clock.now())
  return locked
}

const isFreeDraft = ({ status, total }: OrderRow): boolean => status === 'draft' && total === 0

/** The state in which a free order is created. */
const FREE = { status: 'confirmed', billing_type: 'free', payment_status: 'paid' } as const

/** The caller has ended the open attempt. Received money is refunded, or flagged as `refund_due` where the provider cannot refund it. */
export async function cancelOrder(context: OrdersContext, tx: Tx, orgId: OrgId, act: Act): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, act.id)
  const before = locked.row
  if (before.status === 'cancelled') return locked
  const isOpen = locked.payments.some(({ status }) => isLive(status))
  if (!orderStates.can(before.status, 'cancel') || isOpen)
    throw orderNotCancellable({ params: { status: before.status, payment_status: before.payment_status } })
  const unrefundable = await refundAll(context, tx, locked, act.initiator)
  const reasons = new Set(before.review_reasons)
  if (unrefundable > 0) reasons.add('refund_due')
  const { events } = await changeOrder(context, tx, locked, {
    status: 'cancelled',
    review_reasons: [...reasons],
    initiator: act.initiator,
  })
  await recordEvents(tx, orgId, events, context.clock.now())
  return locked
}

/** Returns the amount that no provider can refund. */
async function refundAll(context: OrdersContext, tx: Tx, locked: LockedOrder, initiator: Initiator): Promise<number> {
  const refunds = await refundsOf(tx, locked)
  let unrefundable = 0
  for (const payment of locked.payments) {
    const own = refunds.filter(({ payment_id }) => payment_id === payment.id)
    const amount = refundableOf(payment, own)
    if (amount <= 0) continue
    if (!payment.is_refundable) unrefundable += amount
    else await openRefund(context.payments.context, tx, payment, { ...ORDER_CANCELLED, amount, initiator })
    locked.refunds = null
  }
  return unrefundable
}

const ORDER_CANCELLED = { reason: 'The order was cancelled', note: null, isManual: false }

/**
 * Closes the review of an order. Accepting treats the received amount as enough: an order that waits for more is confirmed,
 * and an order whose payment a bank reversed may be completed.
 */
export async function reviewOrder(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator, decision }: Act & { decision: 'accept' | 'dismiss' },
): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const before = locked.row
  if (before.review_reasons.length === 0 && !isReversalOpen(before)) throw orderReviewNotNeeded()
  const situation = { order: orderFact(before.status), money: moneyOf(before) }
  const { status, reasons, settles, endsAttempt } =
    decision === 'accept' ? decideAcceptance(before, situation) : { ...UNCHANGED, status: before.status }
  const { events } = await changeOrder(context, tx, locked, {
    status,
    ...(settles && { accepted_at: new Date(context.clock.now()), amount_remaining: noneOf(before) }),
    review_reasons: reasons,
    isAccepted: decision === 'accept' && before.amount_paid > before.amount_returned,
    initiator,
  })
  if (endsAttempt) await endLive(context, tx, locked.payments)
  await recordEvents(tx, orgId, events satisfies NewEvent[], context.clock.now())
  return locked
}

/** Dismissing closes the review and changes nothing else. */
const UNCHANGED = { reasons: [], settles: false, endsAttempt: false }

const noneOf = ({ amount_remaining }: OrderRow): number | null => (amount_remaining === null ? null : 0)

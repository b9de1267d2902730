import { type Initiator, listEvents, type NewEvent } from '../../events/events.ts'
import { endEntry } from '../../payments/attempts/attempts.ts'
import { isLive } from '../../payments/payments.states.ts'
import { refundsOf } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { orderEvents } from '../orders.events.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { type DeliveryStatus, isGivenUp, isGoing } from '../settlement/orders.states.ts'
import { isSettled, type ReviewReason } from '../settlement/settlement.ts'
import { staysCheckout } from './checkouts.ts'
import { movePieces } from './order-products.ts'
import { presentOrder, presentReview } from './order-view.ts'
import { findPaidRecorded, type OrderChange, type OrderRow, saveDelivery, saveOrder } from './orders.sql.ts'

/**
 * Changes an order: the only place that writes its row after it was created. The caller holds the lock and has checked the
 * table of states. The events of the change are returned, because they are recorded last.
 */
export type OrderMove = Partial<
  Omit<OrderChange, 'id' | 'review_since' | 'updated_at'> & Pick<OrderRow, 'delivery'>
> & {
  /** Money was refunded. */
  isMoneyBack?: boolean
  /** A person accepted the received amount as enough. */
  isAccepted?: boolean
  /** The reason for a review that this change reports. */
  problem?: ReviewReason | null
  initiator?: Initiator
  /** The events of the payment that changed, recorded before those of the order. */
  paymentEvents?: readonly NewEvent[]
  /** The order before an edit in the same transaction, which has changed its row already. */
  before?: OrderRow
}

/** Ends the open attempt at its provider, as a job, so that it can no longer be paid. */
export async function endLive({ payments: { context } }: OrdersContext, tx: Tx, payments: readonly PaymentRow[]) {
  const live = payments.filter(({ status }) => isLive(status))
  if (live.length === 0) return
  await enqueue(tx, live.map(endEntry))
  tx.afterCommit(() => context.wake(live.map(({ org_id }) => org_id)))
}

export type MovedOrder = { order: OrderRow; payment: PaymentRow | null; events: NewEvent[] }

export async function changeOrder(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  {
    isMoneyBack = false,
    isAccepted = false,
    problem = null,
    initiator,
    paymentEvents = [],
    before = locked.row,
    ...change
  }: OrderMove,
): Promise<MovedOrder> {
  const now = new Date(context.clock.now())
  const next = await movePieces(context, tx, { before, after: { ...locked.row, ...change } })
  const named = eventNames(before, next, { isMoneyBack, isAccepted, problem })
  const isRepeat = named.includes('paid') && (await wasPaidRecorded(tx, before))
  const names = isRepeat ? named.filter((name) => name !== 'paid') : named
  const order = {
    ...next,
    is_checkout: staysCheckout(next, locked.payments),
    review_since: next.review_reasons.length === 0 ? null : (before.review_since ?? now),
    updated_at: now,
  }
  locked.row = order
  const payment = locked.payments.find(({ id }) => id === order.payment_id) ?? null
  const [refunds] = await Promise.all([
    names.length === 0 ? [] : refundsOf(tx, locked),
    saveOrder(tx, before.org_id, { ...order, paid_told_at: names.includes('paid') ? now : null }),
    ...(change.delivery === undefined ? [] : [saveDelivery(tx, before.org_id, order)]),
    order.is_checkout ? null : context.onOrderMoved(tx, order, before),
  ])
  if (order.is_checkout) return { order, payment, events: [] }
  const isCreated = before.is_checkout
  if (names.length === 0 && !isCreated) return { order, payment, events: [...paymentEvents] }
  const data = presentOrder(context.payments.context, order, { payment, refunds })
  const previous = previousOf(before, order)
  const about = { subject: order.id, data, ...initiator }
  const created = isCreated ? [{ type: orderEvents.created, ...about }] : []
  const changes = names.map((name) => ({ type: orderEvents[name], ...about, previous }))
  return { order, payment, events: [...created, ...paymentEvents, ...changes] }
}

/** `order.paid` is recorded once: after an acceptance, the remaining amount or a surplus must not trigger a second shipment. */
async function wasPaidRecorded(
  tx: Tx,
  { org_id, id, status, amount_paid, amount_returned, accepted_at }: OrderRow,
): Promise<boolean> {
  if (!isGoing(status) || amount_paid === 0) return false
  // Money that was returned and is paid again pays the order anew, unless a person had accepted the order without it.
  if (amount_returned > 0 && accepted_at === null) return false
  if ((await findPaidRecorded(tx, org_id, id)).paid_told_at !== null) return true
  // Orders from before the column existed are found by their event, for as long as it is retained.
  return (await listEvents(tx, org_id, { subject: id, types: [orderEvents.paid.name], limit: 1 })).length > 0
}

type Circumstances = { isMoneyBack: boolean; isAccepted: boolean; problem: ReviewReason | null }

/** Each of these is reported, even if an earlier one is still under review, because no other event reports it. */
const REPORTED_EACH_TIME: readonly ReviewReason[] = ['refund_failed', 'reversed']

function eventNames(
  before: OrderRow,
  after: OrderRow,
  { isMoneyBack, isAccepted, problem }: Circumstances,
): (keyof typeof orderEvents)[] {
  const names: (keyof typeof orderEvents)[] = []
  const isNew = (status: OrderRow['status']) => after.status === status && before.status !== status
  // One report may contain the payment and its refund. When no money is left, the goods must not be sent.
  const isLeft = !isMoneyBack || after.amount_paid > after.amount_returned
  // An accepted loss settles an order, but does not pay it.
  const isPaid = (order: OrderRow) => isSettled(order) && order.payment_status !== 'reversed'
  // What was received for an order that had been given up pays it when the order goes on.
  const isPaidNow = isPaid(after) && (!isPaid(before) || isGivenUp(before.status)) && isLeft
  const isAcceptedNow = isAccepted && (isNew('confirmed') || before.review_reasons.includes('late_payment'))
  if ((isPaidNow || isAcceptedNow) && isGoing(after.status) && after.payment_status !== 'reversed') names.push('paid')
  for (const status of ['expired', 'cancelled', 'completed'] as const) if (isNew(status)) names.push(status)
  const isDeliveryNew = (status: DeliveryStatus) =>
    after.delivery?.status === status && before.delivery?.status !== status
  for (const status of ['shipped', 'delivered'] as const) if (isDeliveryNew(status)) names.push(status)
  if (after.overdue_at !== null && before.overdue_at === null) names.push('overdue')
  if (isMoneyBack) names.push('refunded')
  const isReportedAgain = (reason: ReviewReason) => reason === problem && REPORTED_EACH_TIME.includes(reason)
  if (after.review_reasons.some((reason) => !before.review_reasons.includes(reason) || isReportedAgain(reason)))
    names.push('needsReview')
  return names
}

const PREVIOUS_FIELDS = [
  'status',
  'unique_amount',
  'total',
  'payment_status',
  'amount_paid',
  'amount_returned',
  'amount_remaining',
] as const

const previousOf = (before: OrderRow, after: OrderRow): Record<string, unknown> => ({
  ...Object.fromEntries(
    PREVIOUS_FIELDS.flatMap((name) => (before[name] === after[name] ? [] : [[name, before[name]]])),
  ),
  ...(before.delivery !== after.delivery && { delivery: before.delivery }),
  ...(before.overdue_at !== after.overdue_at && { overdue: before.overdue_at !== null }),
  ...(before.review_reasons.join() !== after.review_reasons.join() && { needs_review: presentReview(before) }),
})

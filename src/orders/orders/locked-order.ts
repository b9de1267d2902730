import type { NewEvent } from '../../events/events.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import { receivedUniqueAmount } from '../../payments/attempts/attempts.ts'
import { readHeldMoney, refundsOf } from '../../payments/payments.ts'
import type { PaymentFollower, PaymentMove, PaymentRow } from '../../payments/payments-context.ts'
import { openRefund, refundableOf } from '../../payments/refunds/refunds.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { orderNotFound } from '../orders.errors.ts'
import { type LockedOrder, type OrdersContext, orderSettingsOf } from '../orders-context.ts'
import {
  booksOf,
  chooseCurrent,
  type Decision,
  decideChange,
  isSettled,
  settle,
  situationOf,
} from '../settlement/settlement.ts'
import { changeOrder, endLive } from './order-changes.ts'
import { findOrder, findOrderByNumber, lockOrder, type OrderRow } from './orders.sql.ts'

const NUMBER = /^#?(\d{1,15})$/

/** Finds an order by its id or by its printed number, with or without the #. */
export async function findOrderByName(queries: Queries, orgId: OrgId, name: string): Promise<OrderRow | null> {
  if (isId('ord', name)) return findOrder(queries, orgId, name)
  const digits = NUMBER.exec(name)?.[1]
  return digits === undefined ? null : findOrderByNumber(queries, orgId, Number(digits))
}

/** Resolves the id in a path. Ids are not looked up here, because the caller looks them up anyway. */
export async function resolveOrderId(queries: Queries, orgId: OrgId, name: string): Promise<string> {
  if (isId('ord', name)) return name
  const order = await findOrderByName(queries, orgId, name)
  if (order === null) throw orderNotFound({ params: { id: name } })
  return order.id
}

export async function getOrder(queries: Queries, orgId: OrgId, id: string): Promise<OrderRow> {
  const row = await findOrderByName(queries, orgId, id)
  if (row === null || row.is_checkout) throw orderNotFound({ params: { id } })
  return row
}

/**
 * Locks an order and reads it with its money, in one round trip. Functions that change the order in this transaction take this
 * value and keep it current, so nothing is read twice.
 */
export async function findLockedOrder(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  id: string,
): Promise<LockedOrder | null> {
  const [row, money] = await Promise.all([lockOrder(tx, orgId, id), readHeldMoney(tx, orgId, id)])
  if (row === null) return null
  const order: LockedOrder = {
    row,
    ...money,
    onPaymentMoved: (move, events) => followPayment(context, tx, order, { move, events }),
  }
  return order
}

export async function getLockedOrder(context: OrdersContext, tx: Tx, orgId: OrgId, id: string): Promise<LockedOrder> {
  const order = isId('ord', id) ? await findLockedOrder(context, tx, orgId, id) : null
  if (order === null || order.row.is_checkout) throw orderNotFound({ params: { id } })
  return order
}

export const createOrderFollower = (context: OrdersContext): PaymentFollower => ({
  async lockOrder(tx, orgId, orderId) {
    const order = await findLockedOrder(context, tx, orgId, orderId)
    if (order === null) throw new Error(`there is no order ${orderId}`)
    return order
  },
})

/**
 * Updates an order in the transaction that changes one of its payments: the sums first, then the decision about the order
 * (settlement.ts).
 */
async function followPayment(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { move, events: paymentEvents }: { move: PaymentMove; events: readonly NewEvent[] },
): Promise<NewEvent[]> {
  const { row: order, payments } = locked
  const sums = sumsWithUniqueAmount(locked, move)
  const { latePolicy, graceSeconds } = orderSettingsOf(await context.profiles.read(order.org_id))
  const books = booksOf({ ...locked, row: sums })
  // An acceptance does not cover money that is reversed afterwards.
  const isReversal = move.after.amount_reversed > move.before.amount_reversed
  const acceptedAt = isReversal ? null : order.accepted_at
  const settlement = settle(books, acceptedAt !== null)
  const after = { ...settlement, accepted_at: acceptedAt, total: sums.total }
  const situation = situationOf({ before: order, after, books, payments, move, latePolicy })
  const decision = decideChange(order, situation, move.problem)
  const status = await statusAfterGrace(tx, { order, payment: move.after, status: decision.status, graceSeconds })
  // The attempt lapsed after the order had ended: the order's row, and with it updated_at, stays the same.
  const isSame = status === order.status && decision.reasons.length === order.review_reasons.length
  if (move.isLapsed && move.before.status === move.after.status && isSame)
    return order.is_checkout ? [] : [...paymentEvents]
  await followUp(context, tx, locked, { move, decision })
  const { events } = await changeOrder(context, tx, locked, {
    ...sums,
    ...settlement,
    accepted_at: acceptedAt,
    payment_id: chooseCurrent(payments, isSettled(after))?.id ?? null,
    status,
    review_reasons: decision.reasons,
    isMoneyBack: move.after.amount_refunded > move.before.amount_refunded,
    problem: move.problem,
    initiator: move.initiator,
    paymentEvents,
  })
  return events
}

/** The prices stay as they are; what was received of a unique amount is a line of the total, so that it is no surplus. */
function sumsWithUniqueAmount(
  { row, payments }: LockedOrder,
  { before, after }: PaymentMove,
): Pick<OrderRow, 'unique_amount' | 'total'> {
  if (row.total === null) return { unique_amount: 0, total: null }
  const priced = row.total - row.unique_amount
  const received = after.amount_paid - before.amount_paid
  const unique_amount = receivedUniqueAmount(payments, {
    priced,
    known: row.unique_amount,
    last: { received, remaining: row.amount_remaining ?? 0, unique_amount: after.unique_amount },
  })
  return { unique_amount, total: priced + unique_amount }
}

/** The job that ends an order's grace period. */
export const EXPIRE_JOB = 'orders.expire'

type Lapsing = { order: OrderRow; payment: PaymentRow; status: OrderRow['status']; graceSeconds: number }

/** With a grace period the order awaits another attempt first, and a job checks it when the period ends. */
async function statusAfterGrace(tx: Tx, { order, payment, status, graceSeconds }: Lapsing) {
  const isExpiring = status === 'expired' && order.status !== 'expired'
  if (!isExpiring || graceSeconds === 0) return status
  await enqueue(tx, [
    {
      id: `${order.id}:expire:${payment.id}`,
      laneId: payment.account_id,
      orgId: order.org_id,
      job: EXPIRE_JOB,
      dueAt: new Date(payment.updated_at.getTime() + graceSeconds * 1000),
      payload: { order: order.id },
    },
  ])
  return order.status
}

async function followUp(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { move, decision }: { move: PaymentMove; decision: Decision },
): Promise<void> {
  if (decision.refunds) await refundLate(context, tx, locked, move)
  if (!decision.endsAttempt) return
  await endLive(
    context,
    tx,
    locked.payments.filter(({ id }) => id !== move.after.id),
  )
}

/** Refunds the money that was just received, except for what a bank reversed in the same report. */
async function refundLate(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { after, moneyIn }: PaymentMove,
): Promise<void> {
  const own = (await refundsOf(tx, locked)).filter(({ payment_id }) => payment_id === after.id)
  const amount = Math.min(moneyIn, refundableOf(after, own))
  if (amount <= 0) return
  const reason = 'Paid after the order was given up'
  await openRefund(context.payments.context, tx, after, { amount, reason, note: null, isManual: false, initiator: {} })
  locked.refunds = null
}

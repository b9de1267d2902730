import { type NewEvent, recordEvents } from '../events/events.ts'
import type { Initiator } from '../events/initiator.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { MONEY_MAX } from '../kernel/money.ts'
import type { AttemptPlan } from '../payments/payment-attempts.ts'
import { captureKey, type LedgerLine, sumsOf } from '../payments/payment-books.ts'
import type { PaymentMethod } from '../payments/payment-connector.ts'
import { type LockedPayment, movePayment, paymentOf } from '../payments/payment-moves.ts'
import { isLive, isOver, isPaymentMove } from '../payments/payments.states.ts'
import { refundsOf } from '../payments/payments.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import { openRefund, refundableOf } from '../payments/refunds.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { refuseValues } from '../platform/http/field-refusals.ts'
import { getLockedOrder } from './locked-order.ts'
import { openOnTop } from './money-on-top.ts'
import { findOrderByName } from './named-orders.ts'
import { isGivenUp } from './order-decision.ts'
import { booksOf } from './order-money.ts'
import { changeOrder, endLive, GOING } from './order-moves.ts'
import {
  orderAlreadyPaid,
  orderNotCancellable,
  orderNotCompletable,
  orderNotFound,
  orderNotManual,
  orderPaymentReversed,
  orderReviewNotNeeded,
} from './orders.errors.ts'
import type { OrderRow } from './orders.sql.ts'
import { orderStates } from './orders.states.ts'
import type { LockedOrder, OrdersContext } from './orders-context.ts'
import { isReversalOpen, isSettled, type OrderBooks, reachesTotal } from './settlement.ts'

/** What staff and integrators do to an order, each in one transaction under the order's lock. */
export async function getOrder(queries: Queries, orgId: OrgId, id: string): Promise<OrderRow> {
  const row = await findOrderByName(queries, orgId, id)
  if (row === null) throw orderNotFound({ params: { id } })
  return row
}

type Act = { id: string; initiator: Initiator }

/** From confirmed through processing, one step or both. A draft that comes to nothing has nothing to be confirmed by. */
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

const isFreeDraft = ({ status, total }: OrderRow): boolean => status === 'draft' && total === 0

/** As an order that is made free begins. */
const FREE = { status: 'confirmed', billing_type: 'free', payment_status: 'paid' } as const

/** Its open attempt has been ended before. Money that is in goes back, or waits for staff to give it back. */
export async function cancelOrder(context: OrdersContext, tx: Tx, orgId: OrgId, act: Act): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, act.id)
  const before = locked.row
  if (before.status === 'cancelled') return locked
  const isOpen = locked.payments.some(({ status }) => isLive(status))
  if (!orderStates.can(before.status, 'cancel') || isOpen)
    throw orderNotCancellable({ params: { status: before.status, payment_status: before.payment_status } })
  const owed = await refundAll(context, tx, locked, act.initiator)
  const reasons = new Set(before.review_reasons)
  if (owed > 0) reasons.add('refund_due')
  const { events } = await changeOrder(context, tx, locked, {
    status: 'cancelled',
    review_reasons: [...reasons],
    initiator: act.initiator,
  })
  await recordEvents(tx, orgId, events, context.clock.now())
  return locked
}

/** Answers with what no provider can refund. */
async function refundAll(context: OrdersContext, tx: Tx, locked: LockedOrder, initiator: Initiator): Promise<number> {
  const refunds = await refundsOf(tx, locked)
  let owed = 0
  for (const payment of locked.payments) {
    const own = refunds.filter(({ payment_id }) => payment_id === payment.id)
    const amount = refundableOf(payment, own)
    if (amount <= 0) continue
    if (!payment.is_refundable) owed += amount
    else await openRefund(context.payments.context, tx, payment, { ...ORDER_CANCELLED, amount, initiator })
    locked.refunds = null
  }
  return owed
}

const ORDER_CANCELLED = { reason: 'The order was cancelled', note: null, isManual: false }

export type SeenMoney = {
  /** What was still to be paid when absent. */
  amount: number | null
  /** Whoever says so knows that nothing may be owed any more, and that the customer paid all the same. */
  isAgain: boolean
  /** How it came, with an attempt for it where the order has none by that method; null where nobody said. */
  onTop: AttemptPlan | null
  note: string | null
}

/** Money that staff have seen, for an attempt that nobody else reports on. */
export async function markPaid(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator, amount, isAgain, onTop, note }: Act & SeenMoney,
): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const order = locked.row
  if (isSettled(order) && !isAgain) throw orderAlreadyPaid({ params: { payment_status: order.payment_status } })
  const books = booksOf(locked)
  const wanted = { isAgain, method: onTop?.wish.method ?? null }
  const chosen = chooseMarkable(order, { payments: locked.payments, books }, wanted)
  const attempt = chosen ?? (await openOnTop(context, tx, locked, { plan: onTop as AttemptPlan, initiator }))
  const payment = paymentOf(locked, attempt.id)
  const due = dueFor(payment, books)
  const received = amount ?? (attempt.amount === null ? null : due)
  if (received === null || received === 0) throw amountNeeded(received === null ? OPEN_AMOUNT : NOTHING_DUE)
  if (order.amount_paid + received > MONEY_MAX) throw amountTooLarge()
  const line: LedgerLine = { kind: 'capture', key: captureKey(newId('job')), amount: received, reported: received }
  await movePayment(context.payments.context, tx, payment, {
    lines: [line],
    status: received >= (due ?? 0) && isPaymentMove(attempt.status, 'paid') ? 'paid' : attempt.status,
    // For an order that goes on, whoever marks it has looked already.
    isLate: isOver(attempt.status) && isGivenUp(order.status),
    source: 'staff',
    note,
    initiator,
  })
  return locked
}

/** What the attempt still asks for, and no more than the order still needs; null for an open amount. */
function dueFor({ payment, lines }: LockedPayment, { left }: OrderBooks): number | null {
  const { paid, refunded, reversed } = sumsOf(lines)
  if (left === null || payment.amount === null) return null
  return Math.max(0, Math.min(payment.amount - (paid - refunded - reversed), left))
}

/**
 * The open attempt; where none is open, the last manual one that ended without all of its money: a transfer may be seen
 * late. A payment beyond the total goes to the last manual attempt, whatever its state, and only with `again`: the same
 * call sent twice must not count twice. Null where it needs an attempt of its own.
 */
function chooseMarkable(
  order: OrderRow,
  { payments, books }: { payments: readonly PaymentRow[]; books: OrderBooks },
  { isAgain, method }: { isAgain: boolean; method: PaymentMethod | null },
): PaymentRow | null {
  const params = { status: order.status, payment_status: order.payment_status }
  const live = payments.find(({ status }) => isLive(status))
  if (live !== undefined && !live.is_manual) throw orderNotManual({ params })
  const byHand = payments.filter(({ is_manual }) => is_manual)
  const isPaid = reachesTotal(books)
  const ended = isPaid ? undefined : byHand.findLast(hasEndedShort)
  const last = byHand.findLast((payment) => method === null || payment.method === method)
  const chosen = live ?? ended ?? (isAgain ? last : undefined)
  if (chosen !== undefined) return chosen
  if (method === null || order.status === 'draft') throw orderNotManual({ params, says: NOTHING_TO_MARK })
  // A bank that took it gives it back where the shop wins the dispute, and no provider tells of that.
  const isTakenBack = books.reversed > 0
  if (!isPaid && !isTakenBack && !isGivenUp(order.status)) throw orderNotManual({ params, says: STILL_OWED })
  return null
}

const hasEndedShort = ({ status, amount, amount_paid }: PaymentRow): boolean =>
  isOver(status) || (status === 'paid' && amount !== null && amount_paid < amount)

const NOTHING_TO_MARK =
  'No attempt of this order waits for money that staff record: none was opened by a manual method. If the customer paid by hand once more, say "again", the amount and, where nothing was to be paid by hand before, the "method".'

const STILL_OWED =
  'This order waits for money, and for none that staff record. Open a way to pay it by hand first, with POST /orders/{id}/payments.'

const amountTooLarge = () =>
  refuseValues([
    { pointer: '#/amount', code: 'amount_too_large', detail: `All that came in may be ${MONEY_MAX} rupiah at most.` },
  ])

const OPEN_AMOUNT = 'The amount is open: say how much came in.'
const NOTHING_DUE = 'Nothing is left to be paid: say how much came in.'

const amountNeeded = (detail: string) => refuseValues([{ pointer: '#/amount', code: 'amount_required', detail }])

/**
 * A person has looked. Accepting takes what was received as enough, so an order that waited for more is confirmed, and one
 * that goes on without money that a bank reversed may be completed.
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
  const isTaken = decision === 'accept' && before.amount_paid > before.amount_returned
  const isLoss = decision === 'accept' && isReversalOpen(before) && GOING.includes(before.status)
  const status = isTaken ? (orderStates.next(before.status, 'confirm') ?? before.status) : before.status
  const isAccepted = (isTaken || isLoss) && GOING.includes(status) && !isSettled(before)
  const { events } = await changeOrder(context, tx, locked, {
    status,
    ...(isAccepted && { accepted_at: new Date(context.clock.now()), amount_remaining: noneOf(before) }),
    review_reasons: [],
    isAccepted: isTaken,
    initiator,
  })
  if (isAccepted) await endLive(context, tx, locked.payments)
  await recordEvents(tx, orgId, events satisfies NewEvent[], context.clock.now())
  return locked
}

const noneOf = ({ amount_remaining }: OrderRow): number | null => (amount_remaining === null ? null : 0)

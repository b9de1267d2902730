import { type Initiator, type NewEvent, recordEvents } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import type { AttemptPlan } from '../../payments/attempts/attempts.ts'
import { type LockedPayment, movePayment, paymentOf } from '../../payments/attempts/attempts.ts'
import { captureKey, type LedgerLine, sumsOf } from '../../payments/ledger/ledger.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import { isLive, isOver, isPaymentMove } from '../../payments/payments.states.ts'
import { refundsOf } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { openRefund, refundableOf } from '../../payments/refunds/refunds.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuseValues } from '../../platform/http/pipeline/field-refusals.ts'
import {
  orderAlreadyPaid,
  orderNotCancellable,
  orderNotCompletable,
  orderNotManual,
  orderPaymentReversed,
  orderReviewNotNeeded,
} from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { isGivenUp, orderStates } from '../settlement/orders.states.ts'
import {
  booksOf,
  decideAcceptance,
  isReversalOpen,
  isSettled,
  moneyOf,
  type OrderBooks,
  orderFact,
  reachesTotal,
} from '../settlement/settlement.ts'
import { getLockedOrder } from './locked-order.ts'
import { openOnTop } from './money-on-top.ts'
import { changeOrder, endLive } from './order-changes.ts'
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

export type SeenMoney = {
  /** Null means the remaining amount. */
  amount: number | null
  /** The caller confirms that the customer paid again, even if the order is paid in full. */
  isAgain: boolean
  /** The plan of a separate attempt, used when the order has no attempt by that method; null when the request names no method. */
  onTop: AttemptPlan | null
  note: string | null
}

/** Records money that staff received, for an attempt that no provider reports on. */
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
  const wanted = { isAgain, method: onTop?.terms.method ?? null }
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
    // Late money needs no review when the order is active: the member of staff who records it has seen it.
    isLate: isOver(attempt.status) && isGivenUp(order.status),
    source: 'staff',
    note,
    initiator,
  })
  return locked
}

/** The remaining amount of the attempt, capped at the remaining amount of the order; null for an open amount. */
function dueFor({ payment, lines }: LockedPayment, { left }: OrderBooks): number | null {
  const { paid, refunded, reversed } = sumsOf(lines)
  if (left === null || payment.amount === null) return null
  return Math.max(0, Math.min(payment.amount - (paid - refunded - reversed), left))
}

/**
 * Chooses the open attempt. If none is open, it chooses the last manual attempt that ended short, because staff may see a
 * transfer late. A payment beyond the total goes to the last manual attempt in any state, and only with `again`, so that the
 * same call sent twice does not count twice. Returns null when a separate attempt is needed.
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
  // A bank pays a chargeback out again when the shop wins the dispute, and no provider reports that.
  const hasReversal = books.reversed > 0
  if (!isPaid && !hasReversal && !isGivenUp(order.status)) throw orderNotManual({ params, says: STILL_DUE })
  return null
}

const hasEndedShort = ({ status, amount, amount_paid }: PaymentRow): boolean =>
  isOver(status) || (status === 'paid' && amount !== null && amount_paid < amount)

const NOTHING_TO_MARK =
  'No attempt of this order waits for money that staff record: none was opened by a manual method. If the customer paid by hand once more, say "again", the amount and, where nothing was to be paid by hand before, the "method".'

const STILL_DUE =
  'This order waits for money, and for none that staff record. Open a way to pay it by hand first, with POST /orders/{id}/payments.'

const amountTooLarge = () =>
  refuseValues([
    { pointer: '#/amount', code: 'amount_too_large', detail: `All that came in may be ${MONEY_MAX} rupiah at most.` },
  ])

const OPEN_AMOUNT = 'The amount is open: say how much came in.'
const NOTHING_DUE = 'Nothing is left to be paid: say how much came in.'

const amountNeeded = (detail: string) => refuseValues([{ pointer: '#/amount', code: 'amount_required', detail }])

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

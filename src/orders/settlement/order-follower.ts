import type { NewEvent } from '../../events/events.ts'
import { isLive, isOver } from '../../payments/attempts/payments.states.ts'
import { refundsOf } from '../../payments/payments.ts'
import type { PaymentMove, PaymentRow } from '../../payments/payments-context.ts'
import { openRefund, refundableOf } from '../../payments/refunds/refunds.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueueExpiry } from '../orders/order-expiry.ts'
import type { OrderRow } from '../orders/orders.sql.ts'
import { type LockedOrder, type OrderSettings, type OrdersContext, orderSettingsOf } from '../orders-context.ts'
import { decideOrder, type OrderDecision } from './order-decision.ts'
import { booksOf } from './order-money.ts'
import { changeOrder, endLive } from './order-moves.ts'
import { asksTooMuch, chooseCurrent, isPaidUp, isSettled, type OrderBooks, reachesTotal, settle } from './settlement.ts'

/**
 * Updates an order in the transaction that changes one of its payments: the sums first, then the decision about the order.
 * Money is always recorded, whatever the decision is. Returns the events of the order.
 */
export async function followPayment(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  move: PaymentMove,
): Promise<NewEvent[]> {
  const { row: order, payments } = locked
  const settings = orderSettingsOf(await context.profiles.read(order.org_id))
  const books = booksOf(locked)
  // An acceptance does not cover money that is reversed afterwards.
  const isReversal = move.after.amount_reversed > move.before.amount_reversed
  const acceptedAt = isReversal ? null : order.accepted_at
  const settlement = settle(books, acceptedAt !== null)
  const isComplete = isSettled({ ...settlement, accepted_at: acceptedAt })
  const decision = decideOrder(
    {
      status: order.status,
      reviewReasons: order.review_reasons,
      paymentStatus: settlement.payment_status,
      kept: keptOf(books),
      isComplete,
      isOpenAmount: order.total === null,
    },
    {
      moneyIn: move.moneyIn,
      wasPaidUp: isPaidUp(order.payment_status),
      completesPayment: completesPayment(books, move.moneyIn),
      isLate: move.isLate,
      isSecond: isSecond({ order, payments, move }),
      isUnexpected: isUnexpected({ order, payments, move }, books),
      problem: move.problem,
      hasLiveAttempt: books.hasLiveAttempt,
      isLiveTooHigh: payments.some(
        (payment) => isLive(payment.status) && isTooHigh(payment, settlement.amount_remaining),
      ),
      isLapsed: move.isLapsed || isEmptied({ order, payments, move }, books),
      isRefundable: move.after.is_refundable,
      latePolicy: settings.latePolicy,
    },
  )
  const status = await statusAfterGrace(tx, { order, payment: move.after, decision, settings })
  // The attempt lapsed after the order had ended: the order's row, and with it updated_at, stays the same.
  const isSame = status === order.status && decision.reasons.length === order.review_reasons.length
  if (move.isLapsed && move.before.status === move.after.status && isSame) return []
  await followUp(context, tx, locked, { move, decision })
  const { events } = await changeOrder(context, tx, locked, {
    ...settlement,
    accepted_at: acceptedAt,
    payment_id: chooseCurrent(payments, isComplete)?.id ?? null,
    status,
    review_reasons: decision.reasons,
    isMoneyBack: move.after.amount_refunded > move.before.amount_refunded,
    problem: move.problem,
    initiator: move.initiator,
  })
  return events
}

type Following = { order: OrderRow; payments: readonly PaymentRow[]; move: PaymentMove }

/** The partial payment that kept the order open after its time was returned, so the order awaits nothing. */
const isEmptied = ({ payments, move }: Following, books: OrderBooks): boolean => {
  if (move.moneyBack === 0 || keptOf(books) > 0) return false
  const hasEnded = ({ status }: PaymentRow) => isOver(status) || status === 'paid'
  return payments.every((one) => hasEnded(one) && one.expires_at !== null && one.expires_at <= move.now)
}

const keptOf = ({ paid, refunded, reversed }: OrderBooks): number => paid - refunded - reversed

/** Repeated payments of one code without an amount are intended; only another attempt or a manual payment counts as another way. */
const isByAnotherWay = ({ payments, move: { after } }: Following): boolean =>
  after.is_manual || payments.some(({ id, amount_paid }) => id !== after.id && amount_paid > 0)

const isSecond = (following: Following): boolean => {
  const { order, move } = following
  return order.total === null && move.moneyIn > 0 && isPaidUp(order.payment_status) && isByAnotherWay(following)
}

/** A reversed amount is due again, so paying it is expected. With an open amount, any payment by the same code is expected. */
const isUnexpected = (following: Following, { left, standing, refunded }: OrderBooks): boolean => {
  const { order, move } = following
  if (isPaidUp(order.payment_status)) return false
  if (left !== null) return left + move.moneyIn <= 0
  return standing > move.moneyIn && refunded > 0 && isByAnotherWay(following)
}

const isTooHigh = (payment: PaymentRow, remaining: number | null): boolean =>
  remaining === 0 || asksTooMuch(payment, remaining)

const completesPayment = (books: OrderBooks, moneyIn: number): boolean => {
  const { standing, left } = books
  const before = { standing: standing - moneyIn, left: left === null ? null : left + moneyIn }
  return moneyIn > 0 && reachesTotal(books) && !reachesTotal(before)
}

type Lapsing = { order: OrderRow; payment: PaymentRow; decision: OrderDecision; settings: OrderSettings }

/** With a grace period the order awaits another attempt first, and a job checks it when the period ends. */
async function statusAfterGrace(tx: Tx, { order, payment, decision, settings }: Lapsing) {
  const isExpiring = decision.status === 'expired' && order.status !== 'expired'
  if (!isExpiring || settings.graceSeconds === 0) return decision.status
  await enqueueExpiry(tx, { order, payment, graceSeconds: settings.graceSeconds })
  return order.status
}

async function followUp(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { move, decision }: { move: PaymentMove; decision: OrderDecision },
): Promise<void> {
  if (decision.isRefundDue) await refundLate(context, tx, locked, move)
  if (!decision.isLiveAttemptToEnd) return
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

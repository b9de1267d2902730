import type { Initiator } from '../../events/events.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import {
  type AttemptPlan,
  draftAttempt,
  type LockedPayment,
  movePayment,
  paymentOf,
  planAttempt,
} from '../../payments/attempts/attempts.ts'
import { captureKey, type LedgerLine, sumsOf } from '../../payments/ledger/ledger.ts'
import { isLive, isOver, isPaymentMove } from '../../payments/payments.states.ts'
import { insertAttempts } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/validation.ts'
import { orderAlreadyPaid, orderLimitReached, orderNotManual } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { booksOf, isSettled, type OrderBooks, reachesTotal } from '../settlement/settlement.ts'
import { getLockedOrder } from './locked-order.ts'
import { changeOrder } from './order-changes.ts'
import { readMethod } from './order-input.ts'
import type { OrderRow } from './orders.sql.ts'

type SeenMoney = {
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
  { id, initiator, amount, isAgain, onTop, note }: { id: string; initiator: Initiator } & SeenMoney,
): Promise<LockedOrder> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const order = locked.row
  if (isSettled(order) && !isAgain) throw orderAlreadyPaid({ params: { payment_status: order.payment_status } })
  const books = booksOf(locked)
  const chosen = chooseMarkable(order, { payments: locked.payments, books }, { isAgain, onTop })
  const attempt = 'plan' in chosen ? await openOnTop(context, tx, locked, { ...chosen, initiator }) : chosen.payment
  const payment = paymentOf(locked, attempt.id)
  const due = dueFor(payment, books)
  const received = amount ?? (attempt.amount === null ? null : due)
  if (received === null || received === 0) throw amountNeeded(received === null ? OPEN_AMOUNT : NOTHING_DUE)
  if (order.amount_paid + received > MONEY_MAX) throw amountTooLarge()
  const line: LedgerLine = { kind: 'capture', key: captureKey(newId('job')), amount: received, reported: received }
  await movePayment(context.payments.context, tx, payment, {
    lines: [line],
    status: hasPaid(attempt, { received, due }) ? 'paid' : attempt.status,
    // Late money needs no review when the order is active: the member of staff who records it has seen it.
    isLate: isOver(attempt.status) && isGivenUp(order.status),
    source: 'staff',
    note,
    initiator,
  })
  return locked
}

/** The payer may leave the unique amount out. A cancelled attempt is paid by the first part, as with providers. */
const hasPaid = (
  { status, unique_amount }: PaymentRow,
  { received, due }: { received: number; due: number | null },
): boolean => isPaymentMove(status, 'paid') && (status === 'cancelled' || received >= (due ?? 0) - unique_amount)

/** The remaining amount of the attempt, capped at the remaining amount of the order and its unique amount; null for an open amount. */
function dueFor({ payment, lines }: LockedPayment, { left }: OrderBooks): number | null {
  const { paid, refunded, reversed } = sumsOf(lines)
  if (left === null || payment.amount === null) return null
  return Math.max(0, Math.min(payment.amount - (paid - refunded - reversed), left + payment.unique_amount))
}

/**
 * Chooses the open attempt. If none is open, it chooses the last manual attempt that ended short, because staff may see a
 * transfer late. A payment beyond the total goes to the last manual attempt in any state, and only with `again`, so that the
 * same call sent twice does not count twice. Returns the plan when a separate attempt is needed.
 */
function chooseMarkable(
  order: OrderRow,
  { payments, books }: { payments: readonly PaymentRow[]; books: OrderBooks },
  { isAgain, onTop }: Pick<SeenMoney, 'isAgain' | 'onTop'>,
): { payment: PaymentRow } | { plan: AttemptPlan } {
  const params = { status: order.status, payment_status: order.payment_status }
  const live = payments.find(({ status }) => isLive(status))
  if (live !== undefined && !live.is_manual) throw orderNotManual({ params })
  const byHand = payments.filter(({ is_manual }) => is_manual)
  const isPaid = reachesTotal(books)
  const ended = isPaid ? undefined : byHand.findLast(hasEndedShort)
  const last = byHand.findLast((payment) => onTop === null || payment.method === onTop.terms.method)
  const chosen = live ?? ended ?? (isAgain ? last : undefined)
  if (chosen !== undefined) return { payment: chosen }
  if (onTop === null || order.status === 'draft') throw orderNotManual({ params, says: NOTHING_TO_MARK })
  // A bank pays a chargeback out again when the shop wins the dispute, and no provider reports that.
  const hasReversal = books.reversed > 0
  if (!isPaid && !hasReversal && !isGivenUp(order.status)) throw orderNotManual({ params, says: STILL_DUE })
  return { plan: onTop }
}

const hasEndedShort = ({ status, amount, amount_paid }: PaymentRow): boolean =>
  isOver(status) || (status === 'paid' && amount !== null && amount_paid < amount)

const NOTHING_TO_MARK =
  'This order has no open payment with a manual method. If the customer paid once more, send "again" with the amount and, unless the order already has a manual payment, the "method".'

const STILL_DUE =
  'This order is awaiting payment through a provider. First open a payment with a manual method with POST /orders/{id}/payments.'

const amountTooLarge = () =>
  refuseValues([
    {
      pointer: '#/amount',
      code: 'amount_too_large',
      detail: `All payments of an order together may be at most ${MONEY_MAX} rupiah.`,
    },
  ])

const OPEN_AMOUNT = 'The order has no fixed amount. Send the `amount` you received.'
const NOTHING_DUE = 'Nothing is left to pay. Send the `amount` you received.'

const amountNeeded = (detail: string) => refuseValues([{ pointer: '#/amount', code: 'amount_required', detail }])

/**
 * Money that staff received after the order was paid in full, for an order without a manual attempt to record it on, because
 * it was paid through a provider. A separate attempt is opened for just this money.
 */
type MoneyOnTop = { method: string; amount: number | undefined; isAgain: boolean }

const POINTERS = { amount: '#/amount', bank: '#/method', expiry: '#/method', phone: '#/method' }

/** Throws the refusal, before anything is locked. */
export async function planOnTop(
  context: OrdersContext,
  orgId: OrgId,
  { method: name, amount, isAgain }: MoneyOnTop,
): Promise<AttemptPlan> {
  const method = await readMethod(context, orgId, { name, pointer: '#/method' })
  if (method === 'free') throw breaksSchema([NOT_FREE])
  if (!isAgain) throw breaksSchema([NOT_AGAIN])
  if (amount === undefined) throw breaksSchema([AMOUNT_UNSAID])
  const terms = { method, bank: null, amount, expiresInSeconds: null, phone: null, pointers: POINTERS }
  const plan = await planAttempt(context.payments.context, orgId, terms)
  if (!plan.capability.isManual) throw refuseValues([notByHand(method)])
  return plan
}

const NOT_FREE = {
  pointer: '#/method',
  code: 'not_allowed',
  detail: 'A payment you received cannot have the method "free".',
}

const NOT_AGAIN = {
  pointer: '#/method',
  code: 'not_allowed',
  detail: 'The remaining amount is recorded for the open payment. Send "method" only together with "again".',
}

export const AMOUNT_UNSAID = { pointer: '#/amount', code: 'required', detail: 'Send the `amount` you received.' }

const notByHand = (method: string) => ({
  pointer: '#/method',
  code: 'method_not_manual',
  detail: `The provider reports payments with "${method}". Record only what staff received directly, such as cash or a transfer.`,
})

/** Bounds the work of a change: every change of an order reads all of its attempts. */
const ATTEMPTS_MAX = 100

export function refuseTooMany({ length }: readonly PaymentRow[]): void {
  if (length >= ATTEMPTS_MAX) throw orderLimitReached({ params: { of: 'payments', max: ATTEMPTS_MAX } })
}

/** Requires the order's lock and no open attempt. The caller records the money in the same transaction. */
async function openOnTop(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { plan, initiator }: { plan: AttemptPlan; initiator: Initiator },
): Promise<PaymentRow> {
  const { row: order, payments } = locked
  refuseTooMany(payments)
  const profile = await context.profiles.read(order.org_id)
  const { row } = draftAttempt(plan, {
    orgId: order.org_id,
    orderId: order.id,
    orderNumber: String(order.number),
    merchantName: profile.name,
    customer: { name: order.customer_name, phone: order.customer_phone },
    links: context.payments.context,
    now: new Date(context.clock.now()),
  })
  // The money was received already, so the attempt has no payment details and never expires.
  const payment: PaymentRow = { ...row, status: 'pending', details: null, error: null, expires_at: null }
  await insertAttempts(tx, payment.org_id, [payment])
  locked.payments = [...payments, payment]
  await changeOrder(context, tx, locked, { payment_id: payment.id, initiator })
  return payment
}

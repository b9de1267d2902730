import { type Initiator, type NewEvent, recordEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import {
  type AttemptPlan,
  chooseUniqueAmount,
  draftAttempt,
  endAttemptAtOnce,
  pauseMsOf,
  planAttempt,
  presentPayment,
  readUsedAmounts,
} from '../../payments/attempts/attempts.ts'
import { paymentNotEndable, paymentProviderUnavailable } from '../../payments/payments.errors.ts'
import { paymentEvents } from '../../payments/payments.events.ts'
import { isLive } from '../../payments/payments.states.ts'
import { getPaymentById, insertAttempts, listMoney, listPayments } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { enqueueAhead } from '../../platform/outbox/entries.ts'
import { hurryProbe, leftAloneUntil } from '../../platform/outbox/lanes.ts'
import { orderNotFound, orderNotPayable } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { booksOf, isSettled, type OrderBooks, settle } from '../settlement/settlement.ts'
import { findLockedOrder, getOrder } from './locked-order.ts'
import { refuseTooMany } from './mark-paid.ts'
import { changeOrder } from './order-changes.ts'
import { assertPart, isAwaited, readChannel, readMethod, readPayerPhone } from './order-input.ts'
import { findOrder, type OrderRow } from './orders.sql.ts'

/**
 * Opens another attempt to pay an order. The old attempt is ended at its provider first, so that the customer cannot pay
 * twice. If that reveals a payment, the payment counts and no attempt is opened.
 */
const CALL_TIMEOUT_MS = 12_000

const RETRY_AFTER_MS = 10_000

/** The one attempt of an order that can still be paid. */
export const findOpenAttempt = async (context: OrdersContext, orgId: OrgId, id: string): Promise<PaymentRow | null> =>
  (await listPayments(context.database, orgId, id)).find(({ status }) => isLive(status)) ?? null

/** Runs outside any transaction. It ends only the given attempt: one that was opened meanwhile belongs to another request. */
export async function endOpenAttempt(
  context: OrdersContext,
  live: PaymentRow | null,
  initiator: Initiator,
): Promise<void> {
  if (live === null) return
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
  const ending = await endAttemptAtOnce(context.payments.context, live, { how: 'cancel', signal, initiator })
  if (ending.kind === 'settled') return
  const { class: failureClass, code, detail } = ending.failure
  const params = { payment_id: live.id, provider: live.provider, code, detail }
  if (failureClass !== 'unavailable') throw paymentNotEndable({ params })
  const seconds = Math.ceil((pauseMsOf(ending.failure) ?? RETRY_AFTER_MS) / 1000)
  throw paymentProviderUnavailable({ headers: { 'Retry-After': String(seconds) }, params })
}

export type AttemptInput = {
  id: string
  method: string
  bank: string | null
  channel?: string | null
  /** A part of the remaining amount; null for all of it. */
  amount: number | null
  expiresInSeconds: number | null
  /** The payer's, for a wallet that asks in its app; the customer's by default. */
  phone?: string | null
  /** On the payment page, which shows checkouts too. */
  isByPayer?: boolean
}

/** Checks everything that can be refused before the old attempt is ended. The request is checked first, as in every route. */
export async function planNewAttempt(context: OrdersContext, orgId: OrgId, input: AttemptInput): Promise<AttemptPlan> {
  const method = await readMethod(context, orgId, { name: input.method, pointer: '#/method' })
  if (method === 'free') throw breaksSchema([NOT_FREE])
  const order = input.isByPayer
    ? await findOrder(context.database, orgId, input.id)
    : await getOrder(context.database, orgId, input.id)
  if (order === null) throw orderNotFound({ params: { id: input.id } })
  const payments = await listPayments(context.database, orgId, order.id)
  const due = dueOf(order, await readBooks(context.database, order, payments))
  refuseTooMany(payments)
  if (input.amount !== null) assertPart(input.amount, due, '#/amount')
  const { channel: bank, pointer } = readChannel(method, { bank: input.bank, channel: input.channel ?? null, at: '#' })
  const phone = await readPayerPhone(context, orgId, { phone: input.phone ?? null, pointer: '#/phone' })
  const pointers = { ...POINTERS, bank: pointer, ...(input.amount !== null && { amount: '#/amount' }) }
  const { expiresInSeconds } = input
  const payer = phone ?? order.customer_phone
  const terms = { method, bank, amount: input.amount ?? due, expiresInSeconds, phone: payer, pointers }
  return planAttempt(context.payments.context, orgId, terms)
}

/** The ledger is read only when money was returned, because only then does the sequence matter. */
async function readBooks(queries: Queries, order: OrderRow, payments: readonly PaymentRow[]): Promise<OrderBooks> {
  const isReturned = payments.some(({ amount_refunded, amount_reversed }) => amount_refunded + amount_reversed > 0)
  return booksOf({ row: order, payments, ledger: isReturned ? await listMoney(queries, order.org_id, order.id) : [] })
}

const POINTERS = { amount: '#/method', expiry: '#/expires_in_seconds', phone: '#/phone' }
const NOT_FREE = { pointer: '#/method', code: 'not_allowed', detail: 'Only an order with a total of 0 can be free.' }

const PAYABLE: readonly OrderRow['status'][] = ['draft', 'pending_payment', 'confirmed', 'processing', 'completed']

const TOTAL_IS_ZERO =
  'The total of this draft is 0, so there is nothing to pay. Continue with POST /orders/{id}/process or /complete, or cancel the draft and create an order with prices.'

/** The remaining amount; null for an open amount. */
function dueOf(order: OrderRow, books: OrderBooks): number | null {
  const settlement = settle(books, order.accepted_at !== null)
  const isComplete = isSettled({ ...settlement, accepted_at: order.accepted_at })
  const params = { status: order.status, payment_status: order.payment_status }
  if (order.status === 'draft' && order.total === 0) throw orderNotPayable({ params, says: TOTAL_IS_ZERO })
  if (!PAYABLE.includes(order.status) || isComplete) throw orderNotPayable({ params })
  return settlement.amount_remaining
}

const OPENED_MEANWHILE = 'Another payment was opened at the same time. Fetch the order again.'
const MONEY_MEANWHILE = 'A payment or refund changed the remaining amount at the same time. Fetch the order again.'

export type OpenedAttempt = { order: LockedOrder; payment: PaymentRow }

/** Requires the order's lock, and that the old attempt was ended. */
export async function openAttempt(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, plan, isPart = false, initiator }: { id: string; plan: AttemptPlan; isPart?: boolean; initiator: Initiator },
): Promise<OpenedAttempt> {
  const locked = await findLockedOrder(context, tx, orgId, id)
  if (locked === null) throw orderNotFound({ params: { id } })
  const { row: before, payments } = locked
  const params = { status: before.status, payment_status: before.payment_status }
  const due = dueOf(before, booksOf(locked))
  const { amount } = plan.terms
  const isDue = amount === due || (isPart && amount !== null && due !== null && amount <= due)
  if (!isDue) throw orderNotPayable({ params, says: MONEY_MEANWHILE })
  if (payments.some(({ status }) => isLive(status))) throw orderNotPayable({ params, says: OPENED_MEANWHILE })
  const payment = await insertAttempt(context, tx, locked, plan)
  const { events } = await changeOrder(context, tx, locked, {
    ...submitted(before, plan),
    ...overdueSince(before, context.clock.now()),
    payment_id: payment.id,
    ...settle(booksOf(locked), before.accepted_at !== null),
    initiator,
    paymentEvents: attemptEvents(context, payment, initiator),
  })
  await recordEvents(tx, orgId, events, context.clock.now())
  return { order: locked, payment }
}

/** Requires the order's lock. The caller has ended the attempt before it, and shows this one as the payment of the order. */
export async function insertAttempt(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  plan: AttemptPlan,
): Promise<PaymentRow> {
  const { row: order, payments } = locked
  const now = new Date(context.clock.now())
  const profile = await context.profiles.read(order.org_id)
  const uniqueAmount = chooseUniqueAmount(await readUsedAmounts(tx, order.org_id, [plan]), plan, order.number)
  const { row: payment, entries } = draftAttempt(plan, {
    orgId: order.org_id,
    orderId: order.id,
    orderNumber: String(order.number),
    merchantName: profile.name,
    customer: { name: order.customer_name, phone: order.customer_phone },
    links: context.payments.context,
    now,
    uniqueAmount,
  })
  await insertAttempts(tx, payment.org_id, [payment])
  await enqueueAhead(tx, entries, now)
  if (payment.status === 'created') tx.afterCommit(() => context.payments.context.wake([payment.org_id]))
  locked.payments = [...payments, payment]
  return payment
}

/** The due date of a draft may pass before it is submitted; the job of that date left it alone. */
const overdueSince = ({ status, due_at: dueAt }: OrderRow, nowMs: number): Partial<Pick<OrderRow, 'overdue_at'>> =>
  status === 'draft' && dueAt !== null && dueAt.getTime() <= nowMs ? { overdue_at: new Date(nowMs) } : {}

/** Submits a draft. An order that awaits payment is confirmed when the new method awaits none. */
function submitted(order: OrderRow, { terms }: AttemptPlan): Pick<OrderRow, 'status' | 'billing_type'> {
  const waiting = orderStates.next(order.status, 'submit') ?? order.status
  const isWaiting = waiting === 'pending_payment' && !isAwaited(terms.method)
  return {
    status: isWaiting ? (orderStates.next(waiting, 'confirm') ?? waiting) : waiting,
    billing_type: order.billing_type ?? terms.method,
  }
}

export function attemptEvents(context: OrdersContext, payment: PaymentRow, initiator: Initiator): NewEvent[] {
  if (payment.status !== 'pending' && payment.status !== 'failed') return []
  const data = presentPayment(context.payments.context, payment)
  return [{ type: paymentEvents[payment.status], subject: payment.id, data, ...initiator }]
}

/**
 * Waits a limited time for the provider's answer. If the breaker is open, the probe runs now: otherwise orders could not be
 * paid for minutes after the provider recovers. A provider that asked for a longer pause is not waited for.
 */
export async function awaitAnswer(context: OrdersContext, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.status !== 'created') return payment
  const now = new Date(context.clock.now())
  const lane = { orgId: payment.org_id, id: payment.account_id }
  const until = await leftAloneUntil(context.database, lane, now)
  if (until !== null && until.getTime() - now.getTime() > context.answerTimeoutMs) return payment
  const isHurried = await hurryProbe(context.database, lane, now)
  if (isHurried) context.payments.context.wake([payment.org_id])
  await context.payments.waiter.waitForAnswer(payment.org_id, payment.id, context.answerTimeoutMs)
  return (await getPaymentById(context.database, payment.org_id, payment.id)) ?? payment
}

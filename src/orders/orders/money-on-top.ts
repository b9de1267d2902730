import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type AttemptPlan, draftAttempt, planAttempt } from '../../payments/attempts/attempts.ts'
import { insertAttempts } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/field-refusals.ts'
import { orderLimitReached } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { changeOrder } from './order-changes.ts'
import { readMethod } from './order-input.ts'

/**
 * Money that staff received after the order was paid in full, for an order without a manual attempt to record it on, because
 * it was paid through a provider. A separate attempt is opened for just this money.
 */
export type MoneyOnTop = { method: string; amount: number | undefined; isAgain: boolean }

const POINTERS = { amount: '#/amount', bank: '#/method', expiry: '#/method' }

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
  const terms = { method, bank: null, amount, expiresInSeconds: null, pointers: POINTERS }
  const plan = await planAttempt(context.payments.context, orgId, terms)
  if (!plan.capability.isManual) throw refuseValues([notByHand(method)])
  return plan
}

const NOT_FREE = { pointer: '#/method', code: 'not_allowed', detail: 'Money that came in is not free.' }

const NOT_AGAIN = {
  pointer: '#/method',
  code: 'not_allowed',
  detail: 'Money that is owed is recorded for the open attempt. Say "method" only together with "again".',
}

export const AMOUNT_UNSAID = { pointer: '#/amount', code: 'required', detail: 'Say how much came in.' }

const notByHand = (method: string) => ({
  pointer: '#/method',
  code: 'method_not_manual',
  detail: `What comes by "${method}" is reported by the provider. Staff record what they took themselves: cash, a transfer.`,
})

/** Bounds the work of a change: every change of an order reads all of its attempts. */
const ATTEMPTS_MAX = 100

export function refuseTooMany({ length }: readonly PaymentRow[]): void {
  if (length >= ATTEMPTS_MAX) throw orderLimitReached({ params: { of: 'payments', max: ATTEMPTS_MAX } })
}

/** Requires the order's lock and no open attempt. The caller records the money in the same transaction. */
export async function openOnTop(
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
    now: new Date(context.clock.now()),
  })
  // The money was received already, so the attempt has no payment details and never expires.
  const payment: PaymentRow = { ...row, status: 'pending', details: null, error: null, expires_at: null }
  await insertAttempts(tx, [payment])
  locked.payments = [...payments, payment]
  await changeOrder(context, tx, locked, { payment_id: payment.id, initiator })
  return payment
}

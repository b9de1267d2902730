import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { movePayment, paymentOf } from '../../payments/attempts/attempts.ts'
import { refundLine } from '../../payments/ledger/ledger.ts'
import { refundNotPossible, refundTooLarge } from '../../payments/payments.errors.ts'
import { refundsOf } from '../../payments/payments.ts'
import type { PaymentRow, RefundRow } from '../../payments/payments-context.ts'
import { assertRefundableInPart, type NewRefund, openRefund, refundableOf } from '../../payments/refunds/refunds.ts'
import type { Tx } from '../../platform/database/database.ts'
import { orderHasNoMoney, orderLimitReached } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { getLockedOrder } from './locked-order.ts'

/**
 * Refunds an order. Each refund belongs to one payment, so an amount that spans several payments is split over those that
 * hold money, the newest first. All parts are opened in one transaction, or none.
 */
export type RefundRequest = Omit<NewRefund, 'initiator'> & { paymentId: string | null }

/** Returns the opened refunds: one for each payment that is refunded. */
export async function refundOrder(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator, request }: { id: string; initiator: Initiator; request: RefundRequest },
): Promise<RefundRow[]> {
  const locked = await getLockedOrder(context, tx, orgId, id)
  const before = await refundsOf(tx, locked)
  const parts = splitRefund(locked.payments, before, request)
  if (before.length + parts.length > REFUNDS_MAX)
    throw orderLimitReached({ params: { of: 'refunds', max: REFUNDS_MAX } })
  const refunds: RefundRow[] = []
  for (const { payment, amount } of parts)
    refunds.push(await refundPayment(context, tx, { locked, payment }, { ...request, amount, initiator }))
  return refunds
}

const REFUNDS_MAX = 500

function splitRefund(payments: readonly PaymentRow[], refunds: readonly RefundRow[], request: RefundRequest): Held[] {
  if (request.paymentId !== null) {
    const payment = payments.find(({ id }) => id === request.paymentId)
    if (payment === undefined) throw orderHasNoMoney({ params: { payment: request.paymentId } })
    return [{ payment, amount: request.amount ?? refundableOf(payment, refundsOfPayment(refunds, payment)) }]
  }
  const held = payments
    .toSorted((one, other) => paidMsOf(other) - paidMsOf(one))
    .map((payment) => ({ payment, amount: refundableOf(payment, refundsOfPayment(refunds, payment)) }))
    .filter(({ amount }) => amount > 0)
  const [newest] = held
  if (newest === undefined) throw orderHasNoMoney({ params: { payment: null } })
  const wanted = request.amount ?? sumOf(held)
  if (wanted > sumOf(held)) throw refundTooLarge({ params: { refundable: sumOf(held), payment_id: newest.payment.id } })
  const usable = request.isManual ? held : held.filter(({ payment }) => payment.is_refundable)
  if (wanted > sumOf(usable)) throw refundNotPossible({ params: notRefundable(held, sumOf(usable)) })
  return takeFrom(usable, wanted)
}

type Held = { payment: PaymentRow; amount: number }

const sumOf = (held: readonly Held[]): number => held.reduce((sum, { amount }) => sum + amount, 0)

/** Names a payment that its provider cannot refund, and the refundable amount of the others. */
const notRefundable = (held: readonly Held[], refundable: number) => ({
  payment_id: held.find(({ payment }) => !payment.is_refundable)?.payment.id,
  refundable,
})

function takeFrom(held: readonly Held[], wanted: number): Held[] {
  const parts: Held[] = []
  let missing = wanted
  for (const { payment, amount } of held) {
    if (missing === 0) break
    parts.push({ payment, amount: Math.min(amount, missing) })
    missing -= Math.min(amount, missing)
  }
  return parts
}

async function refundPayment(
  { payments: { context } }: OrdersContext,
  tx: Tx,
  { locked, payment }: { locked: LockedOrder; payment: PaymentRow },
  input: NewRefund,
): Promise<RefundRow> {
  if (!input.isManual) await assertRefundableInPart(context, payment, input.amount)
  const refund = await openRefund(context, tx, payment, input)
  locked.refunds = null
  if (!refund.is_manual) return refund
  const own = paymentOf(locked, payment.id)
  const { line, problem } = refundLine(own.lines, refund)
  const lines = line === null ? [] : [line]
  await movePayment(context, tx, own, { lines, problem, source: 'staff', note: input.note, initiator: input.initiator })
  return refund
}

const refundsOfPayment = (refunds: readonly RefundRow[], payment: PaymentRow): RefundRow[] =>
  refunds.filter((refund) => refund.payment_id === payment.id)

const paidMsOf = ({ paid_at }: PaymentRow): number => paid_at?.getTime() ?? 0

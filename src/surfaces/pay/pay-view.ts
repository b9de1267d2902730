import { canChoose, type PayPageFacts, type PayPageRow, type PayWay } from '../../orders/pay-page/pay-page.ts'
import { isFixedCode, stageOf } from '../../orders/settlement/settlement.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import { isLive } from '../../payments/payments.states.ts'
import { hashOf } from '../../platform/http/static-content.ts'
import { SIMULATOR } from './simulated-payer.ts'

/**
 * An order as the payer sees it. What its money means is decided in orders/settlement.ts; only an order that awaits money is
 * split further, by its attempt.
 *
 *   preparing    the provider has not answered yet, or there is no attempt
 *   choosing     the payer chooses how to pay
 *   payable      it can be paid now
 *   partly_paid  some money was received; the remaining amount can be paid
 *   paid         the money is complete
 *   reversed     a bank reversed the payment; the remaining amount can be paid
 *   late         money was received after the order had expired: the shop decides
 *   expired      the time to pay is over, from the very second, although the provider is asked a little later
 *   failed       the attempt failed
 *   cancelled, refunded
 */
export type PayState =
  | 'preparing'
  | 'choosing'
  | 'payable'
  | 'partly_paid'
  | 'paid'
  | 'reversed'
  | 'late'
  | 'expired'
  | 'failed'
  | 'cancelled'
  | 'refunded'

type Details = NonNullable<NonNullable<PayPageRow['payment']>['details']>

/** The payment details; only when the order is payable. */
export type PayMeans = {
  /** No money moves, and the page of the simulator plays the payer. */
  isSimulated: boolean
  method: PaymentMethod
  bank: string | null
  /** Null when the payer chooses the amount. */
  amount: number | null
  /** The part of the amount that identifies the transfer. */
  uniqueAmount: number
  expiresAt: Date | null
  details: Details
}

export type PayLines = Pick<
  PayPageRow,
  'items' | 'subtotal' | 'discount' | 'shipping' | 'tax' | 'tax_included' | 'unique_amount' | 'total'
>

export type PayView = {
  merchantName: string
  orderNumber: string
  state: PayState
  total: number | null
  received: number
  refunded: number
  reversed: number
  /** Still to be paid; null for an open amount. */
  remaining: number | null
  /** Until when the shop expects the remaining amount; null when nothing remains. */
  due: { at: Date; isOver: boolean } | null
  means: PayMeans | null
  /** Courier and tracking once the goods are on their way. The address is the customer's and is not shown. */
  parcel: Parcel | null
  /** How the remaining amount can be paid: a form where no attempt is open, else a change of mind. */
  ways: readonly PayWay[]
  /** How the last attempt ended, where the payer chooses again. */
  lastEnd: 'failed' | 'expired' | null
  /** What was ordered. */
  lines: PayLines
  /** How and when a paid order was paid; null before that. */
  receipt: { method: PaymentMethod; bank: string | null; paidAt: Date } | null
  /** An attempt was opened, and its provider has not answered yet. */
  isPreparing: boolean
  /** Another one whenever the page would look different. */
  version: string
}

export type Parcel = {
  status: 'shipped' | 'delivered'
  carrier: string | null
  trackingNumber: string | null
  trackingUrl: string | null
}

function parcelOf({ delivery, status }: PayPageRow): Parcel | null {
  if (delivery === null || delivery.status === 'pending' || status === 'cancelled' || status === 'expired') return null
  const carrier = [delivery.courier, delivery.service].filter((part) => part !== null && part !== '').join(' ')
  const { status: now, tracking_number: trackingNumber, tracking_url: trackingUrl } = delivery
  return { status: now, carrier: carrier || null, trackingNumber, trackingUrl }
}

/** States in which an open attempt can be paid. */
const PAYABLE: readonly PayState[] = ['payable', 'partly_paid', 'reversed']

export function viewPayPage({ row, profile, ways }: PayPageFacts, nowMs: number): PayView {
  const isOpen = isAttemptOpen(row, nowMs)
  const state = stateOf(row, { isOpen, nowMs })
  const due = dueOf(row, state, nowMs)
  const isPayable = isOpen && PAYABLE.includes(state) && row.amount_remaining !== 0 && !asksTooMuch(row)
  return {
    merchantName: profile.name,
    orderNumber: String(row.number),
    state,
    total: row.total,
    received: row.amount_paid,
    refunded: row.amount_returned - row.amount_reversed,
    reversed: row.amount_reversed,
    remaining: row.amount_remaining,
    due,
    means: isPayable ? meansOf(row) : null,
    parcel: parcelOf(row),
    ways,
    lastEnd: state === 'choosing' ? lastEndOf(row) : null,
    lines: row,
    receipt: state === 'paid' ? receiptOf(row) : null,
    isPreparing: row.payment?.status === 'created',
    version: versionOf({ row, ways, state, isPayable, due }),
  }
}

/** States in which nothing is expected from the payer any more. */
const ENDED: readonly PayState[] = ['paid', 'refunded', 'cancelled', 'expired', 'late']

function dueOf(
  { due_at: at, amount_remaining: remaining }: PayPageRow,
  state: PayState,
  nowMs: number,
): PayView['due'] {
  if (at === null || remaining === 0 || ENDED.includes(state)) return null
  return { at, isOver: at.getTime() <= nowMs }
}

type Shown = Pick<PayPageFacts, 'row' | 'ways'> & Pick<PayView, 'state' | 'due'> & { isPayable: boolean }

const versionOf = ({ row, ways, state, isPayable, due }: Shown): string =>
  hashOf(
    [
      ...[state, isPayable, row.payment?.id, row.payment?.status],
      ...[row.amount_paid, row.amount_returned, row.amount_remaining, due?.isOver, due?.at.getTime()],
      ...ways.map(({ method, bank }) => `${method}:${bank}`),
      ...Object.values(parcelOf(row) ?? {}),
    ].join(' '),
  )

function isAttemptOpen({ payment }: PayPageRow, nowMs: number): boolean {
  if (payment === null || payment.status !== 'pending' || payment.details === null) return false
  return payment.expires_at === null || payment.expires_at.getTime() > nowMs
}

function stateOf(row: PayPageRow, { isOpen, nowMs }: { isOpen: boolean; nowMs: number }): PayState {
  const stage = stageOf(row)
  if (stage !== 'awaiting') return stage
  if (isOpen) return 'payable'
  const status = row.payment?.status ?? (row.billing_type === 'choice' ? 'expired' : 'created')
  if (row.amount_paid > 0 && !isLive(status)) return 'refunded'
  return canChoose(row, nowMs) && status !== 'created' ? 'choosing' : stateWithoutMoney(status)
}

/** A time that has passed ends an attempt here, although the provider is asked a little later. */
function lastEndOf({ payment }: PayPageRow): PayView['lastEnd'] {
  if (payment === null || payment.status === 'cancelled') return null
  return payment.status === 'failed' ? 'failed' : 'expired'
}

const receiptOf = ({ payment }: PayPageRow): PayView['receipt'] =>
  payment === null || payment.paid_at === null
    ? null
    : { method: payment.method, bank: payment.bank, paidAt: payment.paid_at }

function stateWithoutMoney(status: NonNullable<PayPageRow['payment']>['status']): PayState {
  if (status === 'created') return 'preparing'
  return status === 'failed' ? 'failed' : 'expired'
}

function meansOf(row: PayPageRow): PayMeans | null {
  const { payment } = row
  if (payment === null || payment.details === null) return null
  const { provider, method, bank, unique_amount: uniqueAmount, expires_at: expiresAt, details } = payment
  return {
    isSimulated: provider === SIMULATOR,
    method,
    bank,
    amount: askedOf(row, payment),
    uniqueAmount,
    expiresAt,
    details,
  }
}

type Attempt = NonNullable<PayPageRow['payment']>

const leftOf = ({ amount, amount_kept }: Attempt): number | null =>
  amount === null ? null : Math.max(0, amount - amount_kept)

/** A manual payment asks for the remaining amount of the order and its unique amount, whatever was received by other ways meanwhile. */
function askedOf({ amount_remaining: remaining }: PayPageRow, payment: Attempt): number | null {
  const left = leftOf(payment)
  return left === null || remaining === null || isFixedCode(payment)
    ? left
    : Math.min(left, remaining + payment.unique_amount)
}

/** Its end is under way; until then a code that takes more than the remaining amount is not shown. */
function asksTooMuch({ payment, amount_remaining: remaining }: PayPageRow): boolean {
  if (payment === null || remaining === null || !isFixedCode(payment)) return false
  return (leftOf(payment) ?? 0) > remaining
}

/** Which steps the page shows a payer. */
export type StepsName =
  | 'qris'
  | 'virtual_account'
  | 'bill'
  | 'account_page'
  | 'bank_transfer'
  | 'retail'
  | 'ewallet'
  | 'push'
  | 'card'
  | 'in_person'
  | 'invoice'
  | 'other'

import type { KnownAttempt, PaymentAccount, RawNotice } from '../../payment-connector.ts'
import { simulatedIdOf } from './simulated-payables.ts'
import { SIGNATURE_HEADER, signNotice } from './simulator.notice.ts'

/**
 * Simulates the payment network: builds the notifications that it would send about an attempt, as bytes that are received like
 * those of a real provider. A scenario is a list in the sequence of arrival. Building a notification changes nothing.
 */
export const simulatedScenarios = [
  'paid',
  'duplicate',
  'reordered',
  'short',
  'excess',
  'twice',
  'late',
  'forged',
  'tampered',
  'failed',
  'expired',
  'cancelled',
  'reversed',
  'partly_reversed',
] as const
export type SimulatedScenario = (typeof simulatedScenarios)[number]

export type SimulatedPayment = {
  account: PaymentAccount
  attempt: Pick<KnownAttempt, 'id' | 'amount'>
  now: Date
  /** The amount that the payer pays; the amount of the attempt by default. */
  amount?: number
}

type NoticeFacts = {
  type: string
  amount?: number | null
  occurredAt: Date
  /** Set when one code is paid several times. */
  captureId?: string | null
  /** The total reversed so far, for a partial reversal. */
  reversed?: number
  refund?: { id: string; reference: string | null; amount: number }
}

/** The default payment of an open amount. */
const OPEN_AMOUNT_DEFAULT = 50_000
const DIFFERENCE = 1000

export function simulatePay(payment: SimulatedPayment, scenario: SimulatedScenario = 'paid'): RawNotice[] {
  const { account, attempt, now } = payment
  const amount = payment.amount ?? attempt.amount ?? OPEN_AMOUNT_DEFAULT
  // An open code can be paid again, so each of its payments has an id.
  const captureId = attempt.amount === null ? captureIdAt(now, 1) : null
  const notice = (facts: Partial<NoticeFacts> & { type: string }) =>
    buildNotice(account, attempt.id, { amount, captureId, occurredAt: now, ...facts })
  const paid = () => notice({ type: 'payment.paid' })
  switch (scenario) {
    case 'paid':
    case 'late':
      return [paid()]
    case 'duplicate':
      return [paid(), paid(), paid()]
    case 'reordered':
      return [paid(), notice({ type: 'payment.pending' })]
    case 'short':
      return [notice({ type: 'payment.paid', amount: Math.max(1, amount - DIFFERENCE) })]
    case 'excess':
      return [notice({ type: 'payment.paid', amount: amount + DIFFERENCE })]
    case 'twice':
      return [1, 2].map((count) => notice({ type: 'payment.paid', captureId: captureIdAt(now, count) }))
    case 'forged':
      return [forgeNotice(paid())]
    case 'tampered':
      return [tamperNotice(notice({ type: 'payment.pending' }))]
    case 'reversed':
      return [paid(), notice({ type: 'payment.reversed' })]
    case 'partly_reversed':
      return [paid(), notice({ type: 'payment.reversed', reversed: Math.min(DIFFERENCE, amount) })]
    default:
      return [notice({ type: `payment.${scenario}` })]
  }
}

const captureIdAt = (now: Date, count: number): string => `${now.getTime()}-${count}`

/** Builds the notification about a refund that was accepted before. */
export const simulateRefund = (
  payment: Omit<SimulatedPayment, 'amount'>,
  refund: { id: string; amount: number; hasFailed?: boolean },
): RawNotice =>
  buildNotice(payment.account, payment.attempt.id, {
    type: refund.hasFailed ? 'refund.failed' : 'refund.succeeded',
    amount: payment.attempt.amount,
    occurredAt: payment.now,
    refund: { id: simulatedRefundIdOf(refund.id), reference: refund.id, amount: refund.amount },
  })

export const simulatedRefundIdOf = (refundId: string): string => `sim_${refundId}`

/** What a network charges for QRIS, rounded up. */
const FEE_PER_MILLE = 7
const feeOf = (amount: number) => Math.ceil((amount * FEE_PER_MILLE) / 1000)
const hasFee = ({ type, amount }: NoticeFacts) => type === 'payment.paid' && amount != null

function buildNotice(account: PaymentAccount, attemptId: string, facts: NoticeFacts): RawNotice {
  const message = {
    type: facts.type,
    occurred_at: facts.occurredAt.toISOString(),
    payment: {
      reference: attemptId,
      transaction: simulatedIdOf(attemptId),
      capture: facts.captureId ?? null,
      amount: facts.amount ?? null,
      currency: 'IDR',
      ...(hasFee(facts) && { fee: feeOf(facts.amount ?? 0) }),
      ...(facts.reversed !== undefined && { reversed: facts.reversed }),
    },
    refund: facts.refund ?? null,
  }
  const body = new TextEncoder().encode(JSON.stringify(message))
  const signature = signNotice(account.credentials.notice_key ?? '', body)
  const headers = new Headers({ 'content-type': 'application/json', [SIGNATURE_HEADER]: signature })
  return { method: 'POST', headers, query: new URLSearchParams(), body }
}

/** Signs a notification without the right key. */
export function forgeNotice(notice: RawNotice): RawNotice {
  const headers = new Headers(notice.headers)
  headers.set(SIGNATURE_HEADER, signNotice('not the key of this account', notice.body))
  return { ...notice, headers }
}

/** Changes the state of a genuine notification without signing it again. */
function tamperNotice(notice: RawNotice): RawNotice {
  const text = new TextDecoder().decode(notice.body).replace(/"type":"payment\.\w+"/, '"type":"payment.paid"')
  return { ...notice, body: new TextEncoder().encode(text) }
}

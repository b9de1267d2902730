import type { KnownAttempt, PaymentAccount, RawNotice } from '../../payment-connector.ts'
import { simulatedIdOf } from './simulated-payables.ts'
import { SIGNATURE_HEADER, signNotice } from './simulator.notice.ts'

/**
 * Playing the payment network: the notices it would send about an attempt, as bytes that go through the same door as a real
 * provider's. A scenario is a list, in the order of arrival. Nothing here changes anything by itself.
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
  /** What the payer pays; the attempt's own amount by default, which an open one does not have. */
  amount?: number
}

type Told = {
  type: string
  amount?: number | null
  occurredAt: Date
  /** Set where one code is paid several times. */
  captureId?: string | null
  /** Of a reversal: all that was reversed so far, where it is a part. */
  reversed?: number
  refund?: { id: string; reference: string | null; amount: number }
}

/** For an open amount when nobody says how much. */
const OPEN_AMOUNT_DEFAULT = 50_000
const DIFFERENCE = 1000

export function simulatePay(payment: SimulatedPayment, scenario: SimulatedScenario = 'paid'): RawNotice[] {
  const { account, attempt, now } = payment
  const amount = payment.amount ?? attempt.amount ?? OPEN_AMOUNT_DEFAULT
  // An open code can be paid again, so each of its payments is told apart.
  const captureId = attempt.amount === null ? captureIdAt(now, 1) : null
  const tell = (told: Partial<Told> & { type: string }) =>
    buildNotice(account, attempt.id, { amount, captureId, occurredAt: now, ...told })
  const paid = () => tell({ type: 'payment.paid' })
  switch (scenario) {
    case 'paid':
    case 'late':
      return [paid()]
    case 'duplicate':
      return [paid(), paid(), paid()]
    case 'reordered':
      return [paid(), tell({ type: 'payment.pending' })]
    case 'short':
      return [tell({ type: 'payment.paid', amount: Math.max(1, amount - DIFFERENCE) })]
    case 'excess':
      return [tell({ type: 'payment.paid', amount: amount + DIFFERENCE })]
    case 'twice':
      return [1, 2].map((count) => tell({ type: 'payment.paid', captureId: captureIdAt(now, count) }))
    case 'forged':
      return [forgeNotice(paid())]
    case 'tampered':
      return [tamperNotice(tell({ type: 'payment.pending' }))]
    case 'reversed':
      return [paid(), tell({ type: 'payment.reversed' })]
    case 'partly_reversed':
      return [paid(), tell({ type: 'payment.reversed', reversed: Math.min(DIFFERENCE, amount) })]
    default:
      return [tell({ type: `payment.${scenario}` })]
  }
}

const captureIdAt = (now: Date, count: number): string => `${now.getTime()}-${count}`

/** The answer to a refund that was accepted before. */
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

function buildNotice(account: PaymentAccount, attemptId: string, told: Told): RawNotice {
  const message = {
    type: told.type,
    occurred_at: told.occurredAt.toISOString(),
    payment: {
      reference: attemptId,
      transaction: simulatedIdOf(attemptId),
      capture: told.captureId ?? null,
      amount: told.amount ?? null,
      currency: 'IDR',
      ...(told.reversed !== undefined && { reversed: told.reversed }),
    },
    refund: told.refund ?? null,
  }
  const body = new TextEncoder().encode(JSON.stringify(message))
  const signature = signNotice(account.credentials.notice_key ?? '', body)
  const headers = new Headers({ 'content-type': 'application/json', [SIGNATURE_HEADER]: signature })
  return { method: 'POST', headers, query: new URLSearchParams(), body }
}

/** Signed by somebody who does not have the key. */
export function forgeNotice(notice: RawNotice): RawNotice {
  const headers = new Headers(notice.headers)
  headers.set(SIGNATURE_HEADER, signNotice('not the key of this account', notice.body))
  return { ...notice, headers }
}

/** A genuine notice whose state was changed on the way. */
function tamperNotice(notice: RawNotice): RawNotice {
  const text = new TextDecoder().decode(notice.body).replace(/"type":"payment\.\w+"/, '"type":"payment.paid"')
  return { ...notice, body: new TextEncoder().encode(text) }
}

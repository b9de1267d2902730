import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../../kernel/same-secret.ts'
import type {
  NoticeVerdict,
  PaymentAccount,
  PaymentReport,
  RawNotice,
  ReportedPaymentState,
} from '../../payment-connector.ts'
import {
  asRecord,
  type LooseRecord,
  lookUp,
  readJsonObject,
  readRupiah,
  readText,
  readTime,
} from '../../provider-calls/provider-calls.ts'

/**
 * The wire format of the simulator: a JSON object, signed as a whole, so that a genuine notification proves its state.
 *
 *   x-simulator-signature: sha256=<hex of HMAC-SHA256 over the raw bytes, with the account's notification key>
 *   {"type": "payment.paid", "occurred_at": "…", "payment": {"reference": "pay_…", "transaction": "sim_…",
 *     "capture": null, "amount": 25000, "currency": "IDR"}, "refund": null}
 *
 * A partial reversal has `payment.reversed`: the total reversed so far. A payment has `payment.fee`, what the network keeps.
 */
export const SIGNATURE_HEADER = 'x-simulator-signature'

export const signNotice = (key: string, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`

const STATES: Readonly<Record<string, ReportedPaymentState>> = {
  'payment.pending': 'pending',
  'payment.paid': 'paid',
  'payment.failed': 'failed',
  'payment.expired': 'expired',
  'payment.cancelled': 'cancelled',
  'payment.reversed': 'reversed',
  'refund.succeeded': 'paid',
  'refund.failed': 'paid',
}

const refuse = (status: 400 | 401 | 405 | 422, detail: string): NoticeVerdict => ({ kind: 'refused', status, detail })

export function readSimulatorNotice(account: PaymentAccount, notice: RawNotice): NoticeVerdict {
  if (notice.method !== 'POST') return refuse(405, 'notices are sent with POST')
  const key = account.credentials.notice_key
  const given = notice.headers.get(SIGNATURE_HEADER)
  if (key === undefined || given === null || !isSameSecret(given, signNotice(key, notice.body)))
    return refuse(401, 'the signature does not match')
  const body = readJsonObject(notice.body)
  if (body === null) return refuse(400, 'the body is not a JSON object')
  const type = readText(body, 'type') ?? ''
  if (type === 'ping') return { kind: 'irrelevant', detail: 'a ping' }
  const state = lookUp(STATES, type)
  return state === null ? refuse(422, `there is no notice of type ${type}`) : readReport(body, type, state)
}

function readReport(body: LooseRecord, type: string, state: ReportedPaymentState): NoticeVerdict {
  const payment = asRecord(body.payment)
  const [amount, currency] = [readRupiah(payment.amount), readText(payment, 'currency') ?? 'IDR']
  const transaction = readText(payment, 'transaction')
  if (transaction === null) return refuse(400, 'payment.transaction is missing')
  const named = { attemptId: readText(payment, 'reference'), providerId: transaction }
  if (payment.amount != null && amount === null)
    return { kind: 'unreadable', report: named, detail: 'payment.amount is not whole rupiah' }
  const reversed = readRupiah(payment.reversed)
  if (payment.reversed != null && reversed === null) return refuse(422, 'payment.reversed is not whole rupiah')
  const refunds = readRefunds(body, type)
  if (refunds === null) return refuse(400, 'the refund of a refund notice is missing or unreadable')
  const captureId = readText(payment, 'capture')
  const fee = readRupiah(payment.fee)
  const hasMoney = state === 'paid' || state === 'reversed'
  const report: PaymentReport = {
    ...named,
    state,
    amountPaid: hasMoney ? amount : null,
    currency,
    occurredAt: readTime(readText(body, 'occurred_at')),
    dedupKey: [transaction, type, captureId, reversed, refunds[0]?.providerRefundId]
      .filter((part) => part != null)
      .join(':'),
    captureId,
    refunds,
    ...(state === 'reversed' && reversed !== null && { amountReversed: reversed }),
    facts: { issuer: 'Simulator', ...(fee !== null && hasMoney && { fee: String(fee) }) },
  }
  return { kind: 'genuine', report, isStateProven: true }
}

/** Returns null when a refund notification has no readable refund. */
function readRefunds(body: LooseRecord, type: string): PaymentReport['refunds'] | null {
  if (!type.startsWith('refund.')) return []
  const refund = asRecord(body.refund)
  const [amount, id] = [readRupiah(refund.amount), readText(refund, 'id')]
  if (amount === null || id === null) return null
  const state = type === 'refund.succeeded' ? 'succeeded' : 'failed'
  return [{ refundId: readText(refund, 'reference'), providerRefundId: id, amount, state }]
}

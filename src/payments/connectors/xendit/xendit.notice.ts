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
  readText,
  readTime,
} from '../../provider-calls/provider-calls.ts'
import {
  attemptIdOf,
  capturedAtOf,
  dedupKeyOf,
  factsOf,
  paidAmountOf,
  paymentIdOf,
  readRefunds,
} from './xendit-report.ts'

/**
 * Reads notifications of three API versions, which are distinguished by their format:
 *
 *   v3         {event: "payment.capture", data: {payment_request_id, reference_id, captures, …}}
 *   v2         {event: "payment.succeeded", data: {payment_request_id, …}}, {event: "qr.payment", data: {qr_id, …}}
 *   v1         {event: "qr.payment", qr_code: {external_id}, …}; a paid virtual account, flat and without any event
 *
 * A token in a header proves the sender, but not the body. So every notification is confirmed with Xendit before it is applied. A
 * notification finds its attempt by payment_request_id first; a reference counts only if it has the form of our ids.
 */
const refuse = (status: 400 | 401 | 405, detail: string): NoticeVerdict => ({ kind: 'refused', status, detail })

const TOKEN_HEADER = 'x-callback-token'

export function readXenditNotice(account: PaymentAccount, notice: RawNotice): NoticeVerdict {
  if (notice.method !== 'POST') return refuse(405, 'notices are sent with POST')
  const [token, given] = [account.credentials.callback_token, notice.headers.get(TOKEN_HEADER)]
  if (token === undefined || given === null || !isSameSecret(given, token))
    return refuse(401, 'the callback token does not match')
  const body = readJsonObject(notice.body)
  if (body === null) return refuse(400, 'the body is not a JSON object')
  const event = readText(body, 'event')
  if (event === null) return readFlatNotice(body)
  const state = lookUp(EVENT_STATES, event)
  if (state === null) return { kind: 'irrelevant', detail: `an event ${event.slice(0, 60)}` }
  return readEvent(body, event, state)
}

const EVENT_STATES: Readonly<Record<string, ReportedPaymentState>> = {
  'payment.capture': 'paid',
  'payment.succeeded': 'paid',
  'qr.payment': 'paid',
  'payment.authorization': 'pending',
  'payment.pending': 'pending',
  'payment.failure': 'failed',
  'payment.failed': 'failed',
  'payment_request.expiry': 'expired',
  'payment_session.completed': 'paid',
  'payment_session.expired': 'expired',
  'refund.succeeded': 'paid',
  'refund.failed': 'paid',
}

/** The states of a paid payment in the older formats. */
const PAID_STATUSES = ['SUCCEEDED', 'COMPLETED']

function readEvent(body: LooseRecord, event: string, claimed: ReportedPaymentState): NoticeVerdict {
  const data = Object.hasOwn(body, 'data') ? asRecord(body.data) : body
  const isRefund = event.startsWith('refund.')
  const status = readText(data, 'status')?.toUpperCase() ?? null
  const state = event === 'qr.payment' && !PAID_STATUSES.includes(status ?? '') ? 'pending' : claimed
  const qrCode = asRecord(data.qr_code)
  const references = [readText(data, 'reference_id'), readText(qrCode, 'external_id')]
  return verdictOf({
    state,
    providerId: requestIdOf(data),
    attemptId: isRefund ? null : (references.map(attemptIdOf).find((id) => id !== null) ?? null),
    amountPaid: isRefund ? null : paidAmountOf(data),
    hasAmount: !isRefund,
    currency: readText(data, 'currency') ?? 'IDR',
    occurredAt: capturedAtOf(data) ?? readTime(readText(data, 'created')) ?? readTime(readText(body, 'created')),
    refunds: isRefund ? readRefunds([{ ...data, status: status ?? event.slice('refund.'.length) }]) : [],
    facts: factsOf(data),
    ...paymentIdOf(data),
    subject: readText(data, 'id') ?? readText(data, 'payment_id') ?? '',
  })
}

/** In refunds of the previous API version, `payment_id` holds the id of the request. An attempt by card has the id of its session. */
function requestIdOf(data: LooseRecord): string | null {
  const session = readText(data, 'payment_session_id')
  if (session !== null) return session
  const ids = [readText(data, 'payment_request_id'), readText(data, 'payment_id')]
  return ids.find((id) => id?.startsWith('pr-')) ?? null
}

/** Virtual accounts of the first API version: a payment has a payment_id and no status; created and changed accounts are ignored. */
function readFlatNotice(body: LooseRecord): NoticeVerdict {
  const paymentId = readText(body, 'payment_id')
  if (paymentId === null || readText(body, 'account_number') === null)
    return { kind: 'irrelevant', detail: 'a notice without event and payment' }
  return verdictOf({
    state: 'paid',
    providerId: null,
    attemptId: attemptIdOf(readText(body, 'external_id')),
    amountPaid: paidAmountOf(body),
    hasAmount: true,
    currency: readText(body, 'currency') ?? 'IDR',
    occurredAt: readTime(readText(body, 'transaction_timestamp')),
    refunds: [],
    facts: factsOf(body),
    subject: paymentId,
  })
}

type NoticeFacts = Omit<PaymentReport, 'dedupKey' | 'captureId'> & { hasAmount: boolean; subject: string }

function verdictOf({ subject, hasAmount, ...facts }: NoticeFacts): NoticeVerdict {
  if (facts.providerId === null && facts.attemptId === null)
    return { kind: 'irrelevant', detail: 'about a payment that is not ours' }
  const currency = facts.currency.toUpperCase()
  if (facts.state === 'paid' && hasAmount && facts.amountPaid === null)
    return { kind: 'unreadable', report: facts, detail: 'the amount is not whole rupiah' }
  if (!hasAmount && facts.refunds.length === 0)
    return { kind: 'unreadable', report: facts, detail: 'the amount of the refund is not whole rupiah' }
  const report: PaymentReport = {
    ...facts,
    currency,
    amountPaid: facts.state === 'paid' ? facts.amountPaid : null,
    dedupKey: dedupKeyOf(facts, facts.providerId ?? facts.attemptId ?? subject),
    captureId: null,
  }
  return { kind: 'genuine', report, isStateProven: false }
}

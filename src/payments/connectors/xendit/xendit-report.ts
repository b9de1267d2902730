import { isId } from '../../../kernel/ids.ts'
import { soundText } from '../../../kernel/sound-text.ts'
import type { PayableDetails, PaymentReport, ReportedPaymentState, ReportedRefund } from '../../payment-connector.ts'
import { NO_DETAILS } from '../payable-details.ts'
import {
  asRecord,
  asRecords,
  type LooseRecord,
  lookUp,
  readRupiah,
  readStatedRupiah,
  readText,
  readTime,
} from '../provider-values.ts'
import { bankOfChannel } from './xendit-capabilities.ts'

/**
 * Xendit's objects in our words. A payment request is what can be paid; a payment is what was. A request stays EXPIRED even
 * when money came after it, so where there is a payment, the payment decides.
 */
const REQUEST_STATES: Readonly<Record<string, ReportedPaymentState>> = {
  REQUIRES_ACTION: 'pending',
  ACCEPTING_PAYMENTS: 'pending',
  PENDING: 'pending',
  AUTHORIZED: 'pending',
  SUCCEEDED: 'paid',
  FAILED: 'failed',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
}

export const stateOfRequest = (status: string | null): ReportedPaymentState | null =>
  lookUp(REQUEST_STATES, (status ?? '').toUpperCase())

/** Only an id of ours is an attempt id: developers report events whose reference is not theirs. */
export const attemptIdOf = (reference: string | null): string | null =>
  reference !== null && isId('pay', reference) ? reference : null

/** The sum of the captures; without any, what the payment or request is over. Null where a number cannot be read. */
export function paidAmountOf(object: LooseRecord): number | null {
  const captures = asRecords(object.captures)
  if (captures.length === 0) return readRupiah(object.request_amount ?? object.amount)
  const amounts = captures.map((capture) => readRupiah(capture.capture_amount))
  return amounts.reduce<number | null>((sum, amount) => (sum === null || amount === null ? null : sum + amount), 0)
}

export const capturedAtOf = (object: LooseRecord): Date | null =>
  readTime(readText(asRecords(object.captures).at(-1) ?? {}, 'capture_timestamp'))

export function readRefunds(rows: readonly LooseRecord[]): ReportedRefund[] {
  return rows.flatMap((row) => {
    const amount = readRupiah(row.amount)
    if (amount === null) return []
    return [
      {
        // Also one that is not ours: it says that somebody else made this refund, of whatever amount.
        refundId: readText(row, 'reference_id'),
        providerRefundId: readText(row, 'id') ?? readText(row, 'refund_id'),
        amount,
        state: refundStateOf(readText(row, 'status')),
      },
    ]
  })
}

function refundStateOf(status: string | null): ReportedRefund['state'] {
  const known = (status ?? '').toUpperCase()
  if (known === 'SUCCEEDED') return 'succeeded'
  return known === 'FAILED' || known === 'CANCELLED' || known === 'CANCELED' ? 'failed' : 'pending'
}

const KEY_LENGTH_MAX = 500

/**
 * The same fact has the same key, whether it was told in any of the shapes or asked for: what was paid, by the request and the payment;
 * refunds each with its own state.
 */
export function dedupKeyOf(report: Pick<PaymentReport, 'state' | 'refunds' | 'paymentId'>, subject: string): string {
  const told = report.refunds.map((refund) => `${refund.providerRefundId ?? refund.refundId ?? ''}=${refund.state}`)
  const payment = report.paymentId === undefined || told.length > 0 ? [] : [report.paymentId]
  return soundText([subject, ...payment, report.state, ...told.sort()].join(':'), KEY_LENGTH_MAX)
}

const FACT_LENGTH_MAX = 200

export function factsOf(object: LooseRecord): Record<string, string> {
  const details = { ...asRecord(object.payment_details), ...asRecord(object.payment_detail) }
  const candidates = {
    channel: readText(object, 'channel_code'),
    failure: readText(object, 'failure_code'),
    payment_id: readText(object, 'payment_id'),
    sender: readText(object, 'sender_name') ?? readText(details, 'sender_name'),
    issuer: readText(details, 'source') ?? readText(details, 'issuer_name'),
    receipt: readText(details, 'receipt_id'),
  }
  return Object.fromEntries(
    Object.entries(candidates).flatMap(([name, text]) =>
      text === null ? [] : [[name, soundText(text, FACT_LENGTH_MAX)] as const],
    ),
  )
}

/** A payment request, with the payment made under it where there is one. Null where it cannot be read. */
export function readRequestReport(
  request: LooseRecord,
  payment: LooseRecord | null,
  refunds: readonly LooseRecord[],
): PaymentReport | null {
  const requestState = stateOfRequest(readText(request, 'status'))
  if (requestState === null) return null
  const hasMoney =
    payment === null ? requestState === 'paid' : readText(payment, 'status')?.toUpperCase() === 'SUCCEEDED'
  const state = hasMoney ? 'paid' : requestState === 'paid' ? 'pending' : requestState
  const amountPaid = hasMoney ? paidAmountOf(payment ?? request) : null
  if (hasMoney && amountPaid === null) return null
  const providerId = readText(request, 'payment_request_id')
  const partial = { state, refunds: readRefunds(refunds), ...paymentIdOf(hasMoney ? (payment ?? {}) : {}) } as const
  return {
    ...partial,
    attemptId: attemptIdOf(readText(request, 'reference_id')),
    providerId,
    amountPaid,
    currency: (readText(payment ?? {}, 'currency') ?? readText(request, 'currency') ?? 'IDR').toUpperCase(),
    occurredAt: capturedAtOf(payment ?? {}) ?? readTime(readText(request, 'updated')),
    dedupKey: dedupKeyOf(partial, providerId ?? ''),
    captureId: null,
    facts: { ...factsOf(request), ...factsOf(payment ?? {}) },
  }
}

/** Only what is one: in refunds of the generation before, it holds the id of a request. */
export function paymentIdOf(payment: LooseRecord): { paymentId?: string } {
  const id = readText(payment, 'payment_id')
  return id?.startsWith('py-') ? { paymentId: id } : {}
}

/** Null where the answer holds nothing to pay with. */
export function readDetails(request: LooseRecord): PayableDetails | null {
  const actions = asRecords(request.actions).filter((action) => readText(action, 'type') === 'PRESENT_TO_CUSTOMER')
  const find = (descriptor: string) => {
    const action = actions.find((one) => readText(one, 'descriptor') === descriptor)
    return action === undefined ? null : readText(action, 'value')
  }
  const [qrString, number] = [find('QR_STRING'), find('VIRTUAL_ACCOUNT_NUMBER')]
  if (qrString === null && number === null) return null
  const properties = asRecord(request.channel_properties)
  const bank = bankOfChannel(readText(request, 'channel_code')) ?? ''
  return {
    ...NO_DETAILS,
    providerId: readText(request, 'payment_request_id'),
    qrString,
    virtualAccount: number === null ? null : { bank, number, name: readText(properties, 'display_name') },
    expiresAt: readTime(readText(properties, 'expires_at')),
    stated: {
      attemptId: readText(request, 'reference_id'),
      amount: readStatedRupiah(request.request_amount),
      currency: readText(request, 'currency')?.toUpperCase() ?? null,
    },
  }
}

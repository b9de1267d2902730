import { isId } from '../../../kernel/ids.ts'
import { soundText } from '../../../kernel/text.ts'
import type {
  PayableDetails,
  PaymentReport,
  ReportedPaymentState,
  ReportedRefund,
  WalletDetails,
} from '../../payment-connector.ts'
import {
  asRecord,
  asRecords,
  type LooseRecord,
  lookUp,
  NO_DETAILS,
  readRupiah,
  readStatedRupiah,
  readText,
  readTime,
} from '../../provider-calls/provider-calls.ts'
import { isDrawable } from '../../qris/qris.ts'
import { chargedBy } from './xendit-capabilities.ts'

/**
 * Reads Xendit's objects. A payment request can be paid; a payment is money received for it. A request stays EXPIRED even if
 * money is received later, so the payment decides when there is one.
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

/** Accepts only ids of ours, because Xendit is known to send events with foreign references. */
export const attemptIdOf = (reference: string | null): string | null =>
  reference !== null && isId('pay', reference) ? reference : null

/** The sum of the captures; without captures, the amount of the payment or request. Null when a number cannot be read. */
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
        // A foreign reference is kept, too: it shows that another client created this refund.
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
 * The same fact has the same key in every notification format and in a status answer: request and payment for a payment, and each
 * refund with its state.
 */
export function dedupKeyOf(report: Pick<PaymentReport, 'state' | 'refunds' | 'paymentId'>, subject: string): string {
  const refunds = report.refunds.map((refund) => `${refund.providerRefundId ?? refund.refundId ?? ''}=${refund.state}`)
  const payment = report.paymentId === undefined || refunds.length > 0 ? [] : [report.paymentId]
  return soundText([subject, ...payment, report.state, ...refunds.sort()].join(':'), KEY_LENGTH_MAX)
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

/** Reads a payment request, with its payment if there is one. Returns null when it cannot be read. */
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

/** Accepts only payment ids: in refunds of the previous API version, the member holds the id of a request. */
export function paymentIdOf(payment: LooseRecord): { paymentId?: string } {
  const id = readText(payment, 'payment_id')
  return id?.startsWith('py-') ? { paymentId: id } : {}
}

/** Returns null when the answer contains no payment details. */
export function readDetails(request: LooseRecord): PayableDetails | null {
  const means = readMeans(request)
  if (means === null) return null
  return {
    ...NO_DETAILS,
    ...means,
    providerId: readText(request, 'payment_request_id'),
    expiresAt: readTime(readText(asRecord(request.channel_properties), 'expires_at')),
    stated: {
      attemptId: readText(request, 'reference_id'),
      amount: readStatedRupiah(request.request_amount),
      currency: readText(request, 'currency')?.toUpperCase() ?? null,
    },
  }
}

/** An action shows a value to the payer or opens an address. A request without any action asks in the payer's app. */
function readMeans(request: LooseRecord): Partial<PayableDetails> | null {
  const actions = asRecords(request.actions)
  const find = (type: string, descriptor: string) => {
    const isWanted = (action: LooseRecord) =>
      readText(action, 'type') === type && readText(action, 'descriptor') === descriptor
    const action = actions.find(isWanted)
    return action === undefined ? null : readText(action, 'value')
  }
  const shown = (descriptor: string) => find('PRESENT_TO_CUSTOMER', descriptor)
  const { method = null, bank } = chargedBy(readText(request, 'channel_code')) ?? {}
  const channel = bank ?? ''
  const qrString = shown('QR_STRING')
  const links = {
    webUrl: find('REDIRECT_CUSTOMER', 'WEB_URL') ?? find('REDIRECT_CUSTOMER', 'MOBILE_URL'),
    deeplinkUrl: find('REDIRECT_CUSTOMER', 'DEEPLINK_URL'),
  }
  if (method === 'ewallet') return readWallet({ channel, qrString, ...links })
  if (method === 'card') return links.webUrl === null ? null : { card: { channel, redirectUrl: links.webUrl } }
  const code = shown('PAYMENT_CODE')
  if (code !== null) return { retail: { store: channel, paymentCode: code } }
  const number = shown('VIRTUAL_ACCOUNT_NUMBER')
  const name = readText(asRecord(request.channel_properties), 'display_name')
  if (number !== null) return { virtualAccount: { bank: channel, number, name } }
  return qrString === null ? null : { qrString }
}

const PUSH_WALLET = 'ovo'

type Wallet = WalletDetails & { qrString: string | null }

function readWallet({ qrString, ...ewallet }: Wallet): Partial<PayableDetails> | null {
  const isReachable = ewallet.webUrl !== null || ewallet.deeplinkUrl !== null || ewallet.channel === PUSH_WALLET
  if (!isReachable) return null
  return { ewallet, ...(qrString !== null && isDrawable(qrString) && { qrString }) }
}

import { soundText } from '../../../kernel/text.ts'
import type { KnownAttempt, PaymentReport, ReportedPaymentState, ReportedRefund } from '../../payment-connector.ts'
import {
  asRecords,
  type LooseRecord,
  lookUp,
  readLowerText,
  readRupiah,
  readText,
  readWibTime,
} from '../../provider-calls/provider-calls.ts'
import { isFoundByItsId } from './midtrans-capabilities.ts'

/**
 * Reads the state of a transaction at Midtrans. A status answer and a notification have the same fields.
 *
 *   status_code  transaction_status                               ours
 *   201          pending, authorize                               pending
 *   200          settlement, capture (unless challenged)          paid
 *   200          refund, partial_refund                           paid, with refunds
 *   200          chargeback, partial_chargeback                   reversed, all or a part
 *   202          deny, failure / cancel / expire                  failed / cancelled / expired
 *
 * The last change names the state: a refund after a partial chargeback is `partial_refund`, and `refunds` lists both. A refund
 * has a key, which Midtrans creates when the request has none; a row without a key is a chargeback, and means `reversed`.
 *
 * Midtrans also reports a bank's reversal of a settled transfer as `deny` (Mandiri, within about a minute), hence
 * undoesPayment.
 */
export type ReportReading = { ok: true; report: PaymentReport } | { ok: false; detail: string }

const unreadable = (detail: string): ReportReading => ({ ok: false, detail })

const STATES: Readonly<Record<string, ReportedPaymentState>> = {
  pending: 'pending',
  authorize: 'pending',
  capture: 'paid',
  settlement: 'paid',
  refund: 'paid',
  partial_refund: 'paid',
  partial_chargeback: 'reversed',
  chargeback: 'reversed',
  deny: 'failed',
  failure: 'failed',
  cancel: 'cancelled',
  expire: 'expired',
}

/** The states that each status code allows. If they disagree, neither is trusted. */
const CODES: Readonly<Record<string, readonly ReportedPaymentState[]>> = {
  '200': ['paid', 'reversed'],
  '201': ['pending'],
  '202': ['failed', 'cancelled', 'expired'],
  '407': ['expired'],
}

export function readReport(body: LooseRecord): ReportReading {
  const status = readLowerText(body, 'transaction_status') ?? ''
  const known = lookUp(STATES, status)
  if (known === null) return unreadable(`transaction_status is "${status.slice(0, 40)}"`)
  const grossAmount = readRupiah(body.gross_amount)
  if (grossAmount === null) return unreadable('gross_amount is not whole rupiah')
  const { refundRows, bankRows } = splitRows(body, status)
  const refunds = readRefunds(body, { status, rows: refundRows })
  if (refunds === null) return unreadable('the amount of a refund is not whole rupiah')
  const amountReversed = reversedAmount(body, { status, refunds, bankRows })
  if (amountReversed === null) return unreadable('the amount of the chargeback is not whole rupiah')
  const reported = amountReversed === undefined ? known : 'reversed'
  const isOpen = (reported === 'paid' && !isAccepted(body)) || (reported === 'failed' && isOnPage(body))
  const state = isOpen ? 'pending' : reported
  const providerId = readText(body, 'transaction_id')
  const report: PaymentReport = {
    attemptId: readText(body, 'order_id'),
    providerId,
    state,
    amountPaid: state === 'paid' || state === 'reversed' ? grossAmount : null,
    currency: (readText(body, 'currency') ?? 'IDR').toUpperCase(),
    occurredAt: readWibTime(readText(body, 'settlement_time')) ?? readWibTime(readText(body, 'transaction_time')),
    dedupKey: dedupKeyOf(body, { status, state, refunds, amountReversed }),
    captureId: null,
    refunds,
    ...(status === 'deny' && { undoesPayment: true as const }),
    ...(amountReversed !== undefined && { amountReversed }),
    ...(isFoundByItsId(channelOf(body)) && providerId !== null && { paymentId: providerId }),
    facts: factsOf(body),
  }
  return { ok: true, report }
}

/** The page of a bank reports a transfer to that bank, or the name by which the page was requested. */
function channelOf(body: LooseRecord): Pick<KnownAttempt, 'method' | 'bank'> {
  const type = readLowerText(body, 'payment_type') ?? ''
  const [account] = asRecords(body.va_numbers)
  if (account !== undefined) return { method: 'virtual_account', bank: readLowerText(account, 'bank') }
  return type.endsWith('_va')
    ? { method: 'virtual_account', bank: type.slice(0, -'_va'.length) }
    : { method: 'ewallet', bank: type }
}

/** A challenged card payment awaits the merchant's decision; until it is accepted, no money was received. */
const isAccepted = (body: LooseRecord): boolean => {
  const fraud = readLowerText(body, 'fraud_status')
  return fraud === null || fraud === 'accept'
}

/** A payer whose card is refused stays on the hosted page and may use another one, until the page ends. */
const HOSTED_TYPES = ['credit_card', 'akulaku', 'kredivo', 'dana']

const isOnPage = (body: LooseRecord): boolean => HOSTED_TYPES.includes(readLowerText(body, 'payment_type') ?? '')

export function isConsistent(body: LooseRecord, state: ReportedPaymentState): boolean {
  const code = readText(body, 'status_code') ?? ''
  return lookUp(CODES, code)?.includes(state) ?? false
}

type ReportFacts = {
  status: string
  state: ReportedPaymentState
  refunds: readonly ReportedRefund[]
  amountReversed: number | undefined
}

const KEY_LENGTH_MAX = 500

/**
 * The same fact has the same key in a notification and in a status answer. A refund is reported before and after the bank's
 * confirmation, which are two facts; two partial reversals are two facts, too.
 */
function dedupKeyOf(body: LooseRecord, { status, state, refunds, amountReversed }: ReportFacts): string {
  const transaction = readText(body, 'transaction_id') ?? readText(body, 'order_id') ?? ''
  const keys = refunds.map((refund) => `${refund.refundId ?? refund.providerRefundId ?? refund.amount}=${refund.state}`)
  const taken = amountReversed === undefined ? [] : [`taken=${amountReversed}`]
  return soundText([transaction, status, state, ...taken, ...keys.sort()].join(':'), KEY_LENGTH_MAX)
}

const isChargeback = (status: string) => status === 'partial_chargeback' || status === 'chargeback'

type Rows = { refundRows: LooseRecord[]; bankRows: LooseRecord[] }

/** If no row has a key outside a chargeback, the answer leaves out the keys, and all rows are refunds. */
function splitRows(body: LooseRecord, status: string): Rows {
  const rows = asRecords(body.refunds)
  const hasKey = (row: LooseRecord) => readText(row, 'refund_key') !== null
  if (!isChargeback(status) && !rows.some(hasKey)) return { refundRows: rows, bankRows: [] }
  return { refundRows: rows.filter(hasKey), bankRows: rows.filter((row) => !hasKey(row)) }
}

type ReversalRows = { status: string; refunds: readonly ReportedRefund[]; bankRows: readonly LooseRecord[] }

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** Undefined when nothing or all remaining money was reversed; 0 when the amount is not reported; null when it cannot be read. */
function reversedAmount(body: LooseRecord, { status, refunds, bankRows }: ReversalRows): number | null | undefined {
  const amounts = bankRows.map((row) => readRupiah(row.refund_amount))
  const taken = amounts.every((amount) => amount !== null) ? sumOf(amounts) : null
  const given = sumOf(refunds.map(({ amount }) => amount))
  // A pending refund is not part of the chargeback, even if the chargeback covers all remaining money.
  if (status === 'chargeback') {
    const isAllNamed = bankRows.length > 0 && taken !== null && taken + given === readRupiah(body.gross_amount)
    return isAllNamed ? taken : undefined
  }
  if (bankRows.length > 0) return taken
  if (status !== 'partial_chargeback') return undefined
  // Without a row for the chargeback, this is the sum of refunds and reversals.
  const all = readRupiah(body.refund_amount ?? given)
  return all === null ? null : Math.max(all - given, 0)
}

type RefundRows = { status: string; rows: readonly LooseRecord[] }

/** Only a refund with `bank_confirmed_at` succeeded. Returns null when an amount cannot be read. */
function readRefunds(body: LooseRecord, { status, rows }: RefundRows): ReportedRefund[] | null {
  if (rows.length > 0) {
    const refunds = rows.map(readRefund)
    return refunds.every((refund) => refund !== null) ? refunds : null
  }
  // Older answers contain only the sum.
  if (!['refund', 'partial_refund'].includes(status)) return []
  const single = readRefund(body)
  return single === null ? null : [single]
}

function readRefund(row: LooseRecord): ReportedRefund | null {
  const amount = readRupiah(row.refund_amount)
  if (amount === null) return null
  return {
    refundId: readText(row, 'refund_key'),
    providerRefundId: readText(row, 'refund_chargeback_id'),
    amount,
    state: readText(row, 'bank_confirmed_at') === null ? 'pending' : 'succeeded',
  }
}

const FACTS = [
  'payment_type',
  'masked_card',
  'bank',
  'issuer',
  'acquirer',
  'transaction_type',
  'status_message',
  'channel_response_message',
]
const FACT_LENGTH_MAX = 200

const factsOf = (body: LooseRecord): Record<string, string> =>
  Object.fromEntries(
    FACTS.flatMap((name) => {
      const text = readText(body, name)
      return text === null ? [] : [[name, soundText(text, FACT_LENGTH_MAX)] as const]
    }),
  )

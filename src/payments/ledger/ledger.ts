import type { PaymentReport } from '../payment-connector.ts'
import type { LedgerKind } from './ledger.sql.ts'

export {
  insertLedgerLine,
  LEDGER_SHOWN_MAX,
  type LedgerRow,
  type LedgerSpan,
  type LedgerSum,
  listLedgerLines,
  listLedgerOfOrder,
  listMoneyOfOrder,
  listWholeLedger,
  sumLedger,
} from './ledger.sql.ts'

import { isLive, isOver, isPaymentMove, type PaymentStatus } from '../payments.states.ts'

/**
 * Applies a report to an attempt and its ledger, as a pure function. A repeated report changes nothing, and reports give the
 * same sums in any sequence.
 *
 * A report names money in one of two ways: one capture of a code that can be paid several times (with an id; captures add
 * up), or the total received for the attempt (without an id; the highest total counts). A single payment with an id is both:
 * it is the total, and another payment adds to it. Several reports may name the same money, so the received amount is the
 * larger of the sum of captures and the highest total. A ledger line holds the amount by which a report raised it.
 */
export type LedgerLine = {
  kind: LedgerKind
  /** Unique per attempt and kind. */
  key: string
  /** Signed: the change of the sum. */
  amount: number
  /** The reported amount. */
  reported: number
}

export type Books = {
  status: PaymentStatus
  /** Null for an open amount. */
  amount: number | null
  lines: readonly LedgerLine[]
}

export type BookProblem = 'amount_mismatch' | 'amount_unknown' | 'refund_mismatch' | 'reversed'

export type BookChange = {
  status: PaymentStatus
  lines: LedgerLine[]
  problem: BookProblem | null
  /** The money was received after the attempt had ended. */
  isLate: boolean
}

export type Sums = { paid: number; refunded: number; reversed: number }

const sumOf = (lines: readonly LedgerLine[], kind: LedgerKind) =>
  lines.reduce((sum, line) => (line.kind === kind ? sum + line.amount : sum), 0)

export const sumsOf = (lines: readonly LedgerLine[]): Sums => ({
  paid: sumOf(lines, 'capture'),
  refunded: -sumOf(lines, 'refund') || 0,
  reversed: -sumOf(lines, 'reversal') || 0,
})

const CAPTURE = 'capture:'
const PAYMENT = 'payment:'
const WHOLE = 'whole:'

export const captureKey = (captureId: string) => `${CAPTURE}${captureId}`

/** Lists the provider's ids of the recorded payments. */
export const paymentIdsOf = (lines: readonly LedgerLine[]): string[] =>
  lines.flatMap(({ kind, key }) => (kind === 'capture' && key.startsWith(PAYMENT) ? key.slice(PAYMENT.length) : []))

type ReportFacts = Pick<
  PaymentReport,
  'state' | 'amountPaid' | 'captureId' | 'paymentId' | 'refunds' | 'undoesPayment' | 'amountReversed'
>

export function applyReport(books: Books, reported: ReportFacts): BookChange {
  // Some banks report a reversal with the word for a payment that was never made.
  const isUndone = reported.undoesPayment === true && books.status === 'paid'
  const report: ReportFacts = isUndone ? { ...reported, state: 'reversed' } : reported
  const hasMoney = report.state === 'paid' || report.state === 'reversed' || report.refunds.length > 0
  if (!hasMoney) return withoutMoney(books, report)
  const { captured, problem } = captureOf(books, report)
  const lines = captured === null ? [] : [captured]
  const all = [...books.lines, ...lines]
  const settled = settledStatus(books, all)
  const isLate = captured !== null && captured.amount > 0 && isOver(books.status)
  if (report.state !== 'reversed' || settled !== 'paid') return { status: settled, lines, problem, isLate }
  const reversal = reversalOf(all, report.amountReversed ?? null)
  if (reversal === null) return { status: settled, lines, problem, isLate }
  const after = [...lines, reversal]
  if (report.amountReversed === 0)
    return { status: settled, lines: after, problem: problem ?? 'amount_unknown', isLate }
  const isAllGone = keptOf([...all, reversal]) === 0
  return { status: isAllGone ? 'reversed' : settled, lines: after, problem: 'reversed', isLate }
}

/**
 * `pending` changes nothing, because the answer to the charge brings that state together with the payment details. An attempt
 * that ended before its details were shown has failed, whatever the provider calls its end.
 */
function withoutMoney({ status, lines }: Books, { state }: ReportFacts): BookChange {
  // An attempt that ends with a part of its money received was paid in part, not cancelled.
  const isPaidInPart = state === 'cancelled' && isLive(status) && keptOf(lines) > 0
  const next = isPaidInPart ? 'paid' : status === 'created' && isOver(state) ? 'failed' : state
  const isMove = next !== 'pending' && isPaymentMove(status, next)
  return { status: isMove ? next : status, lines: [], problem: null, isLate: false }
}

type Capture = { captured: LedgerLine | null; problem: BookProblem | null }

const NOTHING_NEW: Capture = { captured: null, problem: null }

function captureOf(books: Books, report: ReportFacts): Capture {
  const { captureId } = report
  const known = books.lines.filter((line) => line.kind === 'capture')
  const amount = report.amountPaid ?? impliedAmount(books, report, known)
  if (amount === null) return known.length > 0 ? NOTHING_NEW : { captured: null, problem: 'amount_unknown' }
  const key = keyOf(report, amount)
  if (known.some((line) => line.key === key)) return NOTHING_NEW
  if (amount <= 0) return { captured: null, problem: known.length > 0 ? null : 'amount_mismatch' }
  const line: LedgerLine = { kind: 'capture', key, amount: 0, reported: amount }
  line.amount = sumReceived([...known, line]) - sumReceived(known)
  if (key.startsWith(WHOLE) && line.amount <= 0) return NOTHING_NEW
  const isMismatch = captureId === null && books.amount !== null && amount !== books.amount
  return { captured: line, problem: isMismatch ? 'amount_mismatch' : null }
}

function keyOf({ captureId, paymentId }: ReportFacts, amount: number): string {
  if (captureId !== null) return captureKey(captureId)
  return paymentId === undefined ? `${WHOLE}${amount}` : `${PAYMENT}${paymentId}`
}

/** A report of a refund or a reversal may leave out the received amount: then the amount of the attempt is assumed. */
function impliedAmount(books: Books, report: ReportFacts, known: readonly LedgerLine[]): number | null {
  if (known.length > 0) return null
  if (books.amount !== null) return books.amount
  const returned = report.refunds.reduce((sum, refund) => sum + refund.amount, 0)
  return returned > 0 ? returned : null
}

function sumReceived(captures: readonly LedgerLine[]): number {
  let [sum, whole] = [0, 0]
  for (const { key, reported } of captures)
    if (key.startsWith(WHOLE)) whole = Math.max(whole, reported)
    else sum += reported
  return Math.max(sum, whole)
}

/** A code that can be paid in parts is paid once the parts reach the amount, or with the first part after it was cancelled. */
function settledStatus({ status, amount }: Books, lines: readonly LedgerLine[]): PaymentStatus {
  const { paid } = sumsOf(lines)
  if (paid === 0 || !isPaymentMove(status, 'paid')) return status
  const isWhole = ({ kind, key }: LedgerLine) =>
    kind === 'capture' && (key.startsWith(WHOLE) || key.startsWith(PAYMENT))
  const isPaidInPart = status === 'cancelled' && keptOf(lines) > 0
  return amount === null || lines.some(isWhole) || paid >= amount || isPaidInPart ? 'paid' : status
}

const keptOf = (lines: readonly LedgerLine[]): number => {
  const { paid, refunded, reversed } = sumsOf(lines)
  return paid - refunded - reversed
}

/** Reverses all remaining money, or the new part. A part of 0 is a reversal of an unknown amount. Returns null for a repeat. */
function reversalOf(lines: readonly LedgerLine[], part: number | null): LedgerLine | null {
  const { paid, reversed } = sumsOf(lines)
  if (part === null) return { kind: 'reversal', key: 'reversal', amount: -keptOf(lines) || 0, reported: paid }
  const key = `reversal:${part}`
  if (lines.some((line) => line.kind === 'reversal' && line.key === key)) return null
  if (part === 0) return { kind: 'reversal', key, amount: 0, reported: 0 }
  const amount = Math.min(part - reversed, keptOf(lines))
  return amount <= 0 ? null : { kind: 'reversal', key, amount: -amount, reported: part }
}

/** Records a successful refund. The ledger takes no more than the remaining money; a larger refund is flagged for review. */
export function refundLine(
  lines: readonly LedgerLine[],
  { id, amount }: { id: string; amount: number },
): { line: LedgerLine | null; problem: BookProblem | null } {
  if (lines.some((line) => line.kind === 'refund' && line.key === id)) return { line: null, problem: null }
  const returned = Math.min(amount, keptOf(lines))
  return {
    line: { kind: 'refund', key: id, amount: -returned || 0, reported: amount },
    problem: returned < amount ? 'refund_mismatch' : null,
  }
}

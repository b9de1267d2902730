import { systemActor } from '../events/event-types.ts'
import type { Initiator } from '../events/initiator.ts'
import { newId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { type BookProblem, type LedgerLine, refundLine, sumsOf } from './payment-books.ts'
import type { ReportedRefund } from './payment-connector.ts'
import { refundNotPossible, refundTooLarge } from './payments.errors.ts'
import type { PaymentRow } from './payments.sql.ts'
import { isRefundMove, type RefundStatus } from './payments.states.ts'
import type { PaymentsContext } from './payments-context.ts'
import { actorOf, insertRefund, listRefundsOfPayment, type RefundRow, saveRefund } from './refunds.sql.ts'

/**
 * Giving money back. A refund is written down before the provider is asked, under its own id, which is also the provider's
 * key for it: asking twice gives back once. What the provider cannot do, staff do by other means and record here.
 */
export const REFUND_JOB = 'payments.refund'

export type NewRefund = {
  /** All that is left when absent. */
  amount: number | null
  reason: string | null
  note: string | null
  isManual: boolean
  initiator: Initiator
}

/** What may still be given back: refunds that are under way count. */
export const refundableOf = (payment: PaymentRow, refunds: readonly RefundRow[]): number => {
  const underWay = refunds.filter(({ status }) => status === 'requested' || status === 'pending')
  const promised = underWay.reduce((sum, refund) => sum + refund.amount, 0)
  return payment.amount_paid - payment.amount_refunded - payment.amount_reversed - promised
}

/** Under the order's lock. A manual refund is done when it is recorded; its line in the books is the caller's to write. */
export async function openRefund(
  context: PaymentsContext,
  tx: Tx,
  payment: PaymentRow,
  input: NewRefund,
): Promise<RefundRow> {
  if (!input.isManual && !payment.is_refundable) throw refundNotPossible({ params: { payment_id: payment.id } })
  const refundable = refundableOf(payment, await listRefundsOfPayment(tx, payment.org_id, payment.id))
  const amount = input.amount ?? refundable
  if (amount <= 0 || amount > refundable) throw refundTooLarge({ params: { refundable, payment_id: payment.id } })
  const row = newRefund(context, payment, { ...input, amount })
  const refund = await insertRefund(tx, payment.org_id, row)
  if (!input.isManual) await enqueueRefund(context, tx, payment, refund)
  return refund
}

async function enqueueRefund({ wake }: PaymentsContext, tx: Tx, payment: PaymentRow, refund: RefundRow): Promise<void> {
  const payload = { refund: refund.id, order: refund.order_id }
  const entry = { id: refund.id, laneId: payment.account_id, orgId: payment.org_id, job: REFUND_JOB, payload }
  await enqueue(tx, [entry])
  tx.afterCommit(() => wake([payment.org_id]))
}

type RefundDraft = Omit<NewRefund, 'amount'> & { amount: number; providerRefundId?: string | null }

function newRefund({ clock }: PaymentsContext, payment: PaymentRow, draft: RefundDraft): RefundRow {
  const nowMs = clock.now()
  const [now, actor] = [new Date(nowMs), draft.initiator.actor ?? systemActor]
  return {
    org_id: payment.org_id,
    id: newId('rfd', nowMs),
    order_id: payment.order_id,
    payment_id: payment.id,
    status: draft.isManual ? 'succeeded' : 'requested',
    amount: draft.amount,
    reason: draft.reason,
    note: draft.note,
    is_manual: draft.isManual,
    provider_refund_id: draft.providerRefundId ?? null,
    error: null,
    actor_type: actor.type,
    actor_id: actor.id,
    created_at: now,
    updated_at: now,
    succeeded_at: draft.isManual ? now : null,
  }
}

export type RefundAnswer = {
  status: RefundStatus
  providerRefundId: string | null
  error?: RefundRow['error']
}

/** Null when that is nothing new: told before, or overtaken. */
export async function moveRefund(
  { clock }: PaymentsContext,
  tx: Tx,
  refund: RefundRow,
  answer: RefundAnswer,
): Promise<RefundRow | null> {
  if (!isRefundMove(refund.status, answer.status)) return null
  const now = new Date(clock.now())
  return saveRefund(tx, refund.org_id, {
    id: refund.id,
    status: answer.status,
    provider_refund_id: refund.provider_refund_id ?? answer.providerRefundId,
    error: answer.error ?? null,
    updated_at: now,
    succeeded_at: answer.status === 'succeeded' ? now : null,
  })
}

export type RefundsApplied = {
  lines: LedgerLine[]
  problem: BookProblem | 'refund_failed' | null
  /** Who asked for the last of them. */
  initiator: Initiator
}

type Reported = { payment: PaymentRow; lines: readonly LedgerLine[]; refunds: readonly ReportedRefund[] }

/** What a report says of refunds, ours and those made at the provider by hand. */
export async function applyReportedRefunds(
  context: PaymentsContext,
  tx: Tx,
  { payment, lines, refunds }: Reported,
): Promise<RefundsApplied> {
  const applied: RefundsApplied = { lines: [], problem: null, initiator: {} }
  if (refunds.length === 0) return applied
  const before = await listRefundsOfPayment(tx, payment.org_id, payment.id)
  const known = new Map(before.map((refund) => [refund.id, refund]))
  for (const told of refunds) {
    const reported = namedRefund(told, before, sumsOf(lines).reversed)
    if (reported === null) continue
    // Also one that this very report has told of: some name a refund twice, as begun and as done.
    const matched = matchRefund([...known.values()], reported)
    const own = matched ?? (await adoptRefund(context, tx, payment, reported))
    const answer = { status: reported.state, providerRefundId: reported.providerRefundId }
    const moved = await moveRefund(context, tx, own, answer)
    known.set(own.id, moved ?? own)
    // One of ours has its job already; this one is looked at again by the same.
    if (matched === undefined && moved?.status === 'pending') await enqueueRefund(context, tx, payment, moved)
    if (moved !== null) applied.initiator = { actor: actorOf(own) }
    if (moved?.status === 'failed') applied.problem ??= 'refund_failed'
    if (moved?.status !== 'succeeded') continue
    const { line, problem } = refundLine([...lines, ...applied.lines], { id: own.id, amount: own.amount })
    if (line !== null) applied.lines.push(line)
    applied.problem ??= problem
  }
  return applied
}

/**
 * Without any id it is the sum of all that went back, by the bank too: what is new about it is the difference. Null where
 * nothing went back.
 */
function namedRefund(told: ReportedRefund, known: readonly RefundRow[], reversed: number): ReportedRefund | null {
  if (told.amount <= 0) return null
  if (told.providerRefundId !== null || told.refundId !== null)
    return { ...told, providerRefundId: told.providerRefundId ?? told.refundId }
  const settled = known.reduce((sum, refund) => (refund.status === 'succeeded' ? sum + refund.amount : sum), 0)
  const amount = told.amount - settled - reversed
  return amount > 0 ? { ...told, amount, providerRefundId: `sum:${told.amount}` } : null
}

/** By our id, by theirs, or else the one we asked for and have not been told the provider's id of. */
const matchRefund = (known: readonly RefundRow[], { refundId, providerRefundId, amount }: ReportedRefund) =>
  known.find(({ id }) => id === refundId) ??
  known.find((refund) => refund.provider_refund_id === providerRefundId) ??
  known.find(
    (refund) =>
      refundId === null && refund.provider_refund_id === null && !refund.is_manual && refund.amount === amount,
  )

function adoptRefund(
  context: PaymentsContext,
  tx: Tx,
  payment: PaymentRow,
  { amount, providerRefundId }: ReportedRefund,
): Promise<RefundRow> {
  const draft = { amount, reason: null, note: 'Made at the provider', isManual: false, initiator: {}, providerRefundId }
  return insertRefund(tx, payment.org_id, newRefund(context, payment, draft))
}

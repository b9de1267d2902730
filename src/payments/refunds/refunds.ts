import { type Initiator, systemActor } from '../../events/events.ts'
import { newId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { type BookProblem, type LedgerLine, refundLine, sumsOf } from '../ledger/ledger.ts'
import type { ReportedRefund } from '../payment-connector.ts'
import { refundNotPossible, refundOnlyInFull, refundTooLarge } from '../payments.errors.ts'
import type { RefundView } from '../payments.schemas.ts'
import { isRefundMove, type RefundStatus } from '../payments.states.ts'
import type { PaymentRow, PaymentsContext } from '../payments-context.ts'
import { chooseCapability } from '../provider-calls/provider-calls.ts'

export {
  actorOf,
  findRefund,
  listRefundPage,
  listRefundsByOrders,
  listRefundsOfOrder,
  listRefundsOfPayment,
  type RefundFilter,
} from './refunds.sql.ts'

import { actorOf, insertRefund, listRefundsOfPayment, type RefundRow, saveRefund } from './refunds.sql.ts'

/**
 * Refunds a payment. A refund is stored before the provider is called, and its id is the provider's refund key, so that a
 * repeated request refunds once. Refunds that the provider does not support are paid by staff and recorded here.
 */
export const REFUND_JOB = 'payments.refund'

export type NewRefund = {
  /** Null means the remaining refundable amount. */
  amount: number | null
  reason: string | null
  note: string | null
  isManual: boolean
  initiator: Initiator
}

/** The amount that can still be refunded; pending refunds count as refunded. */
export const refundableOf = (payment: PaymentRow, refunds: readonly RefundRow[]): number => {
  const underWay = refunds.filter(({ status }) => status === 'requested' || status === 'pending')
  const promised = underWay.reduce((sum, refund) => sum + refund.amount, 0)
  return payment.amount_paid - payment.amount_refunded - payment.amount_reversed - promised
}

/** Requires the order's lock. A manual refund succeeds when it is recorded; the caller writes its ledger line. */
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

/** Refuses a refund that the provider would refuse, because it refunds a payment in full only. */
export async function assertRefundableInPart(
  { accounts }: PaymentsContext,
  { org_id, account_id, id, method, bank, amount: whole }: PaymentRow,
  amount: number | null,
): Promise<void> {
  // A payment that was refunded has 0 left, which openRefund refuses.
  if (whole === null || amount === whole || amount === 0) return
  const open = await accounts.open(org_id, account_id)
  const able = open === null ? [] : open.connector.capabilities(open.account)
  const capability = chooseCapability(able, { method, bank, defaultBank: null })
  if (capability?.isRefundable === true && !capability.isRefundableInPart)
    throw refundOnlyInFull({ params: { amount: whole, payment_id: id } })
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

/** Returns null when nothing changes: the state is known, or a later one is. */
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
  /** The initiator of the last refund. */
  initiator: Initiator
}

type Reported = { payment: PaymentRow; lines: readonly LedgerLine[]; refunds: readonly ReportedRefund[] }

/** Applies the refunds in a report: ours, and those created at the provider. */
export async function applyReportedRefunds(
  context: PaymentsContext,
  tx: Tx,
  { payment, lines, refunds }: Reported,
): Promise<RefundsApplied> {
  const applied: RefundsApplied = { lines: [], problem: null, initiator: {} }
  if (refunds.length === 0) return applied
  const before = await listRefundsOfPayment(tx, payment.org_id, payment.id)
  const known = new Map(before.map((refund) => [refund.id, refund]))
  for (const entry of refunds) {
    const reported = namedRefund(entry, before, sumsOf(lines).reversed)
    if (reported === null) continue
    // This includes refunds created by this report: some reports name a refund twice, as pending and as succeeded.
    const matched = matchRefund([...known.values()], reported)
    const own = matched ?? (await adoptRefund(context, tx, payment, reported))
    const answer = { status: reported.state, providerRefundId: reported.providerRefundId }
    const moved = await moveRefund(context, tx, own, answer)
    known.set(own.id, moved ?? own)
    // Our own refunds have a job already; a pending refund that was created at the provider gets one here.
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
 * A refund without any id is the sum of all returned money, including reversals; only the difference is new. Returns null
 * when nothing is new.
 */
function namedRefund(reported: ReportedRefund, known: readonly RefundRow[], reversed: number): ReportedRefund | null {
  if (reported.amount <= 0) return null
  if (reported.providerRefundId !== null || reported.refundId !== null)
    return { ...reported, providerRefundId: reported.providerRefundId ?? reported.refundId }
  const settled = known.reduce((sum, refund) => (refund.status === 'succeeded' ? sum + refund.amount : sum), 0)
  const amount = reported.amount - settled - reversed
  return amount > 0 ? { ...reported, amount, providerRefundId: `sum:${reported.amount}` } : null
}

/** Matches by our id, by the provider's id, or else a refund of ours whose provider id is not known yet. */
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

/** Shows a refund as the API does. */
export const presentRefund = (row: RefundRow): RefundView => ({
  object: 'refund',
  id: row.id,
  order_id: row.order_id,
  payment_id: row.payment_id,
  status: row.status,
  amount: row.amount,
  currency: 'IDR',
  manual: row.is_manual,
  reason: row.reason,
  note: row.note,
  error: row.error,
  actor: actorOf(row),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  succeeded_at: row.succeeded_at?.toISOString() ?? null,
})

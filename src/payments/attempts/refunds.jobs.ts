import { z } from 'zod'
import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type ClaimedEntry, defineJob, type Job, type Outcome, unseenOr } from '../../platform/outbox/job.ts'
import { refundLine } from '../ledger/ledger.ts'
import type { PaymentFailure, RefundOutcome } from '../payment-connector.ts'
import type { PaymentsContext, RefundRow } from '../payments-context.ts'
import { actorOf, findRefund, moveRefund, REFUND_JOB } from '../refunds/refunds.ts'
import { bookedAttempt } from './payment-ending.ts'
import { applyReportAlone, movePayment, paymentOf, storedFailure } from './payment-moves.ts'
import { findPayment, type PaymentRow } from './payments.sql.ts'
import { pauseFor, retryAfter, retryUnknown } from './provider-retry.ts'

/**
 * Requests a refund from the provider under the refund's id, so that a repeat after a lost answer refunds once.
 *
 *   requested ── succeeded, pending, refused ──▶ recorded
 *   requested ── no answer, unavailable ──▶ retried; after the last retry `failed`, and flagged for review
 *   pending ── a notification, or a scheduled status query ──▶ succeeded, failed
 *   pending ── three days without a result ──▶ stays pending, and flagged for review; a later notification still counts
 */
const refundPayload = z.object({ refund: z.string(), order: z.string(), asked: z.number().optional() })
type RefundPayload = z.output<typeof refundPayload>

const MINUTE_MS = 60_000
const RETRY = {
  delaysMs: [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS],
  jitter: 0.2,
}
/** The delays between status queries of a pending refund. */
const LOOKS_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS, 1440 * MINUTE_MS, 2880 * MINUTE_MS]

export const createRefundJob = (context: PaymentsContext): Job =>
  defineJob<RefundPayload, PaymentFailure>({
    name: REFUND_JOB,
    payload: refundPayload,
    retry: RETRY,
    run: (entry, { signal }) => run(context, entry, signal),
    record: async (tx, results) => {
      for (const { entry, outcome, disposition } of results) {
        if (disposition !== 'exhausted') continue
        const place = { orgId: entry.orgId, orderId: entry.payload.order, refundId: entry.payload.refund }
        await settleRefund(context, tx, place, { kind: 'refused', failure: outcome.data ?? UNANSWERED })
      }
    },
  })

const UNANSWERED: PaymentFailure = {
  class: 'unavailable',
  code: 'provider_unavailable',
  providerCode: null,
  detail: 'The provider did not respond. Check in its dashboard whether the refund was made before you retry.',
  retryAfterMs: null,
}

async function run(
  context: PaymentsContext,
  entry: ClaimedEntry<RefundPayload>,
  signal: AbortSignal,
): Promise<Outcome<PaymentFailure>> {
  const orgId = entry.orgId
  const refund = await findRefund(context.database, orgId, entry.payload.refund)
  const payment = refund === null ? null : await findPayment(context.database, orgId, refund.payment_id)
  const isUnderWay = refund?.status === 'requested' || refund?.status === 'pending'
  if (refund === null || payment === null) return unseenOr(entry, { kind: 'done', verdict: 'neutral' })
  if (!isUnderWay) return { kind: 'done', verdict: 'neutral' }
  const open = await context.accounts.open(orgId, payment.account_id)
  if (open === null) return { kind: 'failed', reason: 'account_missing' }
  if (refund.status === 'pending') return lookAgain(context, { entry, payment, refund }, signal)
  const { id, amount, reason } = refund
  const attempt = { id, payment: await bookedAttempt(context, payment), amount, reason }
  const outcome = await open.connector.refund(open.account, attempt, signal)
  if (outcome.kind === 'unknown') return retryUnknown(context, outcome)
  if (outcome.kind === 'refused' && outcome.failure.class === 'unavailable') return retryAfter(context, outcome.failure)
  const place = { orgId, orderId: refund.order_id, refundId: refund.id }
  await context.database.transaction((tx) => settleRefund(context, tx, place, outcome))
  return outcome.kind === 'pending' ? nextLook(context, entry) : { kind: 'done' }
}

async function nextLook(
  context: PaymentsContext,
  { orgId, payload }: ClaimedEntry<RefundPayload>,
): Promise<Outcome<PaymentFailure>> {
  const asked = payload.asked ?? 0
  const waitMs = LOOKS_MS[asked]
  if (waitMs !== undefined)
    return { kind: 'repeat', at: new Date(context.clock.now() + waitMs), payload: { ...payload, asked: asked + 1 } }
  await context.database.transaction((tx) => flagSilence(context, tx, orgId, payload))
  return { kind: 'done' }
}

/** Flags the order for review, unless the refund was settled meanwhile. */
async function flagSilence(context: PaymentsContext, tx: Tx, orgId: OrgId, payload: RefundPayload): Promise<void> {
  const order = await context.follower.lockOrder(tx, orgId, payload.order)
  const refund = await findRefund(tx, orgId, payload.refund)
  if (refund?.status !== 'pending') return
  await movePayment(context, tx, paymentOf(order, refund.payment_id), { problem: 'provider_silent', source: 'refund' })
}

type Pending = { entry: ClaimedEntry<RefundPayload>; payment: PaymentRow; refund: RefundRow }

async function lookAgain(context: PaymentsContext, { entry, payment, refund }: Pending, signal: AbortSignal) {
  const open = await context.accounts.open(payment.org_id, payment.account_id)
  const attempt = await bookedAttempt(context, payment)
  const status = await open?.connector.askStatus(open.account, attempt, signal)
  if (status?.kind === 'known') await applyReportAlone(context, payment, { report: status.report, source: 'question' })
  const after = await findRefund(context.database, refund.org_id, refund.id)
  const next = after?.status === 'pending' ? await nextLook(context, entry) : ({ kind: 'done' } satisfies Outcome)
  return status?.kind === 'refused' ? { ...next, ...pauseFor(context.clock, status.failure) } : next
}

type RefundPlace = { orgId: OrgId; orderId: string; refundId: string }

async function settleRefund(
  context: PaymentsContext,
  tx: Tx,
  { orgId, orderId, refundId }: RefundPlace,
  outcome: Exclude<RefundOutcome, { kind: 'unknown' }>,
): Promise<void> {
  const order = await context.follower.lockOrder(tx, orgId, orderId)
  const refund = (await findRefund(tx, orgId, refundId)) as RefundRow
  const locked = paymentOf(order, refund.payment_id)
  const moved = await moveRefund(context, tx, refund, answerOf(outcome))
  if (moved === null) return
  order.refunds = null
  const initiator = { actor: actorOf(refund) }
  if (moved.status === 'failed') {
    await movePayment(context, tx, locked, { problem: 'refund_failed', source: 'refund', initiator })
  } else if (moved.status === 'succeeded') {
    const { line, problem } = refundLine(locked.lines, refund)
    await movePayment(context, tx, locked, { lines: line === null ? [] : [line], problem, source: 'refund', initiator })
  }
}

const answerOf = (outcome: Exclude<RefundOutcome, { kind: 'unknown' }>) => {
  if (outcome.kind !== 'refused') return { status: outcome.kind, providerRefundId: outcome.providerRefundId }
  return { status: 'failed' as const, providerRefundId: null, error: storedFailure(outcome.failure) }
}

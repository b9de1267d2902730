import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { createSweep, deleteByOrganization, type Sweep } from '../../platform/database/sweep.ts'
import {
  type ClaimedEntry,
  defineJob,
  type Job,
  type Outcome,
  standardRetrySchedule,
  unseenOr,
} from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  applyReportTo,
  bookedAttempt,
  findPayment,
  lockForMove,
  movePayment,
  PLANNED_NOTICE_JOB,
  paymentOf,
  retryAfter,
} from '../attempts/attempts.ts'
import type { PaymentReport, ReportedRefund, StatusOutcome } from '../payment-connector.ts'
import { isOver } from '../payments.states.ts'
import type { PaymentRow, PaymentsContext } from '../payments-context.ts'
import { listRefundsOfPayment } from '../refunds/refunds.ts'
import {
  deleteNotices,
  findNotice,
  finishNotice,
  followsAnotherPayment,
  listOldNotices,
  type NoticeRow,
  UNANSWERED,
} from './notifications.sql.ts'
import { APPLY_JOB, receiveNotice } from './notifications.ts'

/**
 * Applies a notification: directly if its signature proves the state, otherwise the provider's answer to a status query. The change
 * and the journal are written in one transaction; applying a notification again changes nothing.
 */
const applyPayload = z.object({ notice: z.string(), order: z.string() })
type ApplyPayload = z.output<typeof applyPayload>

export const createApplyJob = (context: PaymentsContext): Job =>
  defineJob<ApplyPayload>({
    name: APPLY_JOB,
    payload: applyPayload,
    retry: standardRetrySchedule,
    run: (entry, { signal }) => apply(context, entry, signal).catch((error) => doneIfDeleted(context, entry, error)),
    record: async (tx, results) => {
      for (const { entry, disposition } of results)
        if (disposition === 'exhausted' || disposition === 'failed') await abandonNotice(context, tx, entry)
    },
  })

/**
 * Gives up on a notification: the provider gave no answer for three days or cannot give one, or the account is gone. The notification is
 * kept unchanged, so that an operator can retry it. If it reported money, the order is flagged for review.
 */
async function abandonNotice(context: PaymentsContext, tx: Tx, { orgId, payload }: ClaimedEntry<ApplyPayload>) {
  if ((await findNotice(tx, orgId, payload.notice)) === null) return
  const order = await context.follower.lockOrder(tx, orgId, payload.order)
  const notice = await findNotice(tx, orgId, payload.notice)
  if (notice?.status !== 'waiting' || notice.payment_id === null) return
  const now = new Date(context.clock.now())
  await finishNotice(tx, orgId, { id: notice.id, status: 'failed', outcome: UNANSWERED, now })
  const { state, refunds, undoesPayment } = readReport(notice.report)
  const isAboutMoney = state === 'paid' || state === 'reversed' || refunds.length > 0 || undoesPayment === true
  if (!isAboutMoney) return
  await movePayment(context, tx, paymentOf(order, notice.payment_id), {
    problem: 'provider_silent',
    source: 'question',
  })
}

/** A reset of a sandbox deletes a notification and its order while it is applied. */
async function doneIfDeleted(
  { database }: PaymentsContext,
  { orgId, payload }: ClaimedEntry<ApplyPayload>,
  error: unknown,
): Promise<Outcome> {
  if ((await findNotice(database, orgId, payload.notice)) !== null) throw error
  return { kind: 'done', verdict: 'neutral' }
}

async function apply(
  context: PaymentsContext,
  entry: ClaimedEntry<ApplyPayload>,
  signal: AbortSignal,
): Promise<Outcome> {
  const orgId = entry.orgId
  const notice = await findNotice(context.database, orgId, entry.payload.notice)
  const payment = notice?.payment_id == null ? null : await findPayment(context.database, orgId, notice.payment_id)
  if (notice === null || payment === null) return unseenOr(entry, { kind: 'done', verdict: 'neutral' })
  if (notice.is_state_proven) {
    await applyAndFinish(context, payment, { notice, report: readReport(notice.report) })
    return { kind: 'done', verdict: 'neutral' }
  }
  const open = await context.accounts.open(orgId, payment.account_id)
  if (open === null) return { kind: 'failed', reason: 'account_missing' }
  const notified = readReport(notice.report)
  const named = { ...payment, provider_id: payment.provider_id ?? notified.providerId }
  const booked = await bookedAttempt(context, named)
  const attempt = { ...booked, ...(notified.paymentId !== undefined && { paymentId: notified.paymentId }) }
  const answered = await open.connector.askStatus(open.account, attempt, signal)
  if (answered.kind === 'refused') return retryAfter(context, answered.failure)
  const status = await addHiddenRefunds(context, payment, { answered, notified })
  const isShort = !confirmsMoney(status, notified) || (await isUnseenSecond(context, { notice, status, notified }))
  const isBehind = isShort && entry.attempt <= QUERY_RETRIES_MAX && !isInPart(status)
  if (isBehind && !hasMoney(status) && !hasEnded(status)) return PROVIDER_BEHIND
  if (isShort && !isBehind && isLeftUnknown(status, notified)) return MONEY_UNKNOWN
  if (status.kind === 'known') await applyAndFinish(context, payment, { notice, report: status.report, isBehind })
  else await finish(context, notice, 'provider_denies')
  return isBehind ? PROVIDER_BEHIND : { kind: 'done' }
}

/** About an hour by the standard schedule. After that the provider's answer is final. */
const QUERY_RETRIES_MAX = 5

/**
 * Providers send notifications of payments, refunds and reversals before their own status query shows them, and do not send them
 * again. The part that the query shows is applied meanwhile.
 */
const PROVIDER_BEHIND: Outcome = { kind: 'retry', reason: 'provider_behind', verdict: 'neutral' }

/** A notification that the provider does not confirm is not applied; the order is flagged for review. */
const MONEY_UNKNOWN: Outcome = { kind: 'failed', reason: 'money_unknown', verdict: 'neutral' }

type Answered = Exclude<StatusOutcome, { kind: 'refused' }>

/** A provider may never show money for an ended attempt, or money that it hides from this account. */
const isLeftUnknown = (answered: Answered, notified: PaymentReport): boolean =>
  (notified.state === 'paid' && hasEnded(answered)) || isPartial(answered)

const isPartial = (answered: Answered): boolean => answered.kind === 'known' && answered.isPartial === true

const hasMoney = (answered: Answered): boolean =>
  answered.kind === 'known' && (answered.report.state === 'paid' || answered.report.state === 'reversed')

/**
 * Adds refunds that the provider hides from this account, because a query cannot confirm them. A notification is accepted only for
 * a refund that we requested: with its amount, and with the provider's id or, without one, ours.
 */
async function addHiddenRefunds(
  { database }: PaymentsContext,
  payment: PaymentRow,
  { answered, notified }: { answered: Answered; notified: PaymentReport },
): Promise<Answered> {
  if (answered.kind !== 'known' || answered.isPartial !== true || notified.refunds.length === 0) return answered
  const ours = await listRefundsOfPayment(database, payment.org_id, payment.id)
  const isOurs = (refund: ReportedRefund) =>
    ours.some(
      ({ id, amount, provider_refund_id: given }) =>
        amount === refund.amount && (given === null ? id === refund.refundId : given === refund.providerRefundId),
    )
  const { report } = answered
  return { ...answered, report: { ...report, refunds: [...report.refunds, ...notified.refunds.filter(isOurs)] } }
}

/** A partial answer without payment ids may show only the first payment, so a second one is not confirmed by it. */
async function isUnseenSecond(
  { database }: PaymentsContext,
  { notice, status, notified }: { notice: NoticeRow; status: Answered; notified: PaymentReport },
): Promise<boolean> {
  if (status.kind !== 'known' || status.isPartial !== true || status.report.paymentId !== undefined) return false
  if (notified.state !== 'paid' || notified.amountPaid === null || notified.paymentId === undefined) return false
  return followsAnotherPayment(database, notice, notified.paymentId)
}

/** A provider that hides a part from this account gives no better answer later. */
const isInPart = (answered: Answered): boolean => isPartial(answered) && hasEnded(answered)

/** Whether the answer contains all the money that the notification reported. */
function confirmsMoney(answered: Answered, notified: PaymentReport): boolean {
  if (notified.state === 'paid' && !hasMoney(answered)) return false
  if (answered.kind !== 'known') return notified.state !== 'reversed'
  const { report } = answered
  const isAnother =
    notified.paymentId !== undefined && report.paymentId !== undefined && notified.paymentId !== report.paymentId
  // A denial that undoes a payment is not confirmed while the answer still reports the payment as paid.
  const isStillPaid = notified.undoesPayment === true && report.state === 'paid'
  const isReversalMissing = notified.state === 'reversed' && report.state !== 'reversed'
  if (isAnother || isStillPaid || isReversalMissing) return false
  return reversedBy(report) >= reversedBy(notified) && notified.refunds.every((refund) => knowsOf(report, refund))
}

const reversedBy = ({ state, amountReversed = Number.POSITIVE_INFINITY }: PaymentReport): number =>
  state === 'reversed' ? amountReversed : 0

/** A refund without any id is the sum of all returned money, including reversals. */
function knowsOf(report: PaymentReport, { refundId, providerRefundId, state, amount }: ReportedRefund): boolean {
  const known = report.refunds.filter((one) => state === 'pending' || one.state !== 'pending')
  if (refundId === null && providerRefundId === null)
    return known.reduce((sum, one) => sum + one.amount, reversedBy(report)) >= amount
  return known.some(
    (one) =>
      (refundId !== null && one.refundId === refundId) ||
      (providerRefundId !== null && one.providerRefundId === providerRefundId),
  )
}

const hasEnded = (answered: Answered): boolean => answered.kind === 'known' && isOver(answered.report.state)

const applyAndFinish = (
  context: PaymentsContext,
  payment: PaymentRow,
  { notice, report, isBehind = false }: { notice: NoticeRow; report: PaymentReport; isBehind?: boolean },
) =>
  context.database.transaction(async (tx) => {
    const place = { orderId: payment.order_id, paymentId: payment.id }
    const locked = await lockForMove(context, tx, payment.org_id, place)
    const source = notice.is_state_proven ? 'notice' : 'question'
    const after = await applyReportTo(context, tx, locked, { report, source })
    await finishNotice(tx, notice.org_id, {
      id: notice.id,
      // The notification is not confirmed yet. It stays waiting, so that the order is flagged if no confirmation arrives.
      status: isBehind ? 'waiting' : 'applied',
      outcome: after === locked.payment ? 'nothing_new' : after.status,
      now: new Date(context.clock.now()),
    })
  })

/** Closes a genuine notification about a payment that the provider does not know. */
const finish = ({ database, clock }: PaymentsContext, notice: NoticeRow, outcome: string) =>
  finishNotice(database, notice.org_id, { id: notice.id, status: 'failed', outcome, now: new Date(clock.now()) })

/** Reads a report from the journal, which stores the time as text. */
const readReport = (stored: unknown): PaymentReport => {
  const report = stored as Omit<PaymentReport, 'occurredAt'> & { occurredAt: string | null }
  return { ...report, occurredAt: report.occurredAt === null ? null : new Date(report.occurredAt) }
}

const plannedPayload = z.object({ method: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
type PlannedPayload = z.output<typeof plannedPayload>

/** Notifications that the simulator plans are received like those of any provider. */
export const createPlannedNoticeJob = (context: PaymentsContext): Job =>
  defineJob<PlannedPayload>({
    name: PLANNED_NOTICE_JOB,
    payload: plannedPayload,
    retry: { delaysMs: [1000, 5000, 30_000], jitter: 0.2 },
    async run({ laneId, payload }) {
      const notice = {
        method: payload.method,
        headers: new Headers(payload.headers),
        query: new URLSearchParams(),
        body: new Uint8Array(Buffer.from(payload.body, 'base64')),
      }
      const { status } = await receiveNotice(context, { provider: 'simulator', accountId: laneId, notice })
      return status === 503 ? { kind: 'retry', reason: 'unavailable' } : { kind: 'done', verdict: 'neutral' }
    },
  })

/**
 * Deletes old notifications of providers. Their results stay in the ledger, which is kept for ever. The journal cannot be
 * partitioned by day, because a repeated notification must find its row on another day.
 *
 * A notification that is repeated after its row was deleted counts as new and changes nothing, because the ledger has its result.
 */
export const NOTICE_RETENTION_DAYS = 90
const DAY_MS = 86_400_000

export const createNoticeSweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    database: parts.database,
    what: 'old payment notices',
    everyMs: 3600 * 1000,
    biteRows: 1000,
    deleteBites: [
      async (tx, rowsMax) => {
        const old = await listOldNotices(tx, { before: oldestKept(parts.clock), rowsMax })
        return deleteByOrganization(old, (orgId, rows) =>
          deleteNotices(
            tx,
            orgId,
            rows.map(({ id }) => id),
          ),
        )
      },
    ],
    log: parts.log,
  })

const oldestKept = (clock: Clock) => new Date(clock.now() - NOTICE_RETENTION_DAYS * DAY_MS)

import { z } from 'zod'
import type { OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { type ClaimedEntry, defineJob, type Job, type Outcome, unseenOr } from '../platform/outbox/job.ts'
import { standardRetrySchedule } from '../platform/outbox/retry-schedule.ts'
import { findNotice, finishNotice, isToldAfterAnother, type NoticeRow, UNANSWERED } from './notices.sql.ts'
import { APPLY_JOB, receiveNotice } from './notices.ts'
import { PLANNED_NOTICE_JOB } from './payment-attempts.ts'
import type { PaymentReport, ReportedRefund, StatusOutcome } from './payment-connector.ts'
import { bookedAttempt } from './payment-ending.ts'
import { applyReportTo, lockForMove, movePayment, paymentOf } from './payment-moves.ts'
import { findPayment, type PaymentRow } from './payments.sql.ts'
import { isOver } from './payments.states.ts'
import type { PaymentsContext } from './payments-context.ts'
import { retryAfter } from './provider-retry.ts'
import { listRefundsOfPayment } from './refunds.sql.ts'

/**
 * Acting upon a notice: where it proves what it says, by itself; elsewhere by what the provider answers when asked. What is
 * applied and the mark on the journal are one transaction; applying again changes nothing.
 */
const applyPayload = z.object({ notice: z.string(), order: z.string() })
type ApplyPayload = z.output<typeof applyPayload>

export const createApplyJob = (context: PaymentsContext): Job =>
  defineJob<ApplyPayload>({
    name: APPLY_JOB,
    payload: applyPayload,
    retry: standardRetrySchedule,
    run: (entry, { signal }) => apply(context, entry, signal),
    record: async (tx, results) => {
      for (const { entry, disposition } of results)
        if (disposition === 'exhausted' || disposition === 'failed') await giveUp(context, tx, entry)
    },
  })

/**
 * Nobody answered for three days, nobody can, or the account is gone. The notice is kept as it came, for whoever asks again;
 * if it told of money, somebody has to look at the provider's own books.
 */
async function giveUp(context: PaymentsContext, tx: Tx, { orgId: org, payload }: ClaimedEntry<ApplyPayload>) {
  const orgId = org as OrgId
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

async function apply(
  context: PaymentsContext,
  entry: ClaimedEntry<ApplyPayload>,
  signal: AbortSignal,
): Promise<Outcome> {
  const orgId = entry.orgId as OrgId
  const notice = await findNotice(context.database, orgId, entry.payload.notice)
  const payment = notice?.payment_id == null ? null : await findPayment(context.database, orgId, notice.payment_id)
  if (notice === null || payment === null) return unseenOr(entry, { kind: 'done', verdict: 'neutral' })
  if (notice.is_state_proven) {
    await applyAndFinish(context, payment, { notice, report: readReport(notice.report) })
    return { kind: 'done', verdict: 'neutral' }
  }
  const open = await context.accounts.open(orgId, payment.account_id)
  if (open === null) return { kind: 'failed', reason: 'account_missing' }
  const told = readReport(notice.report)
  const named = { ...payment, provider_id: payment.provider_id ?? told.providerId }
  const booked = await bookedAttempt(context, named)
  const attempt = { ...booked, ...(told.paymentId !== undefined && { paymentId: told.paymentId }) }
  const answered = await open.connector.askStatus(open.account, attempt, signal)
  if (answered.kind === 'refused') return retryAfter(context, answered.failure)
  const status = await completed(context, payment, { answered, told })
  const isShort = !tellsAsMuch(status, told) || (await isUnseenSecond(context, { notice, status, told }))
  const isBehind = isShort && entry.attempt <= ASKED_AGAIN_MAX && !isInPart(status)
  if (isBehind && !tellsOfMoney(status) && !tellsOfEnd(status)) return PROVIDER_BEHIND
  if (isShort && !isBehind && isLeftUnknown(status, told)) return MONEY_UNKNOWN
  if (status.kind === 'known') await applyAndFinish(context, payment, { notice, report: status.report, isBehind })
  else await finish(context, notice, 'provider_denies')
  return isBehind ? PROVIDER_BEHIND : { kind: 'done' }
}

/** Over an hour or so, by the standard schedule: then what the provider answers is the answer. */
const ASKED_AGAIN_MAX = 5

/**
 * Providers send a notice of money before all of their own machines know of it, and do not send it again: of a payment, of
 * a second one, of a refund, of what a bank took back. What they do say is applied meanwhile.
 */
const PROVIDER_BEHIND: Outcome = { kind: 'retry', reason: 'provider_behind', verdict: 'neutral' }

/** Nobody believes it unasked; a person can look. */
const MONEY_UNKNOWN: Outcome = { kind: 'failed', reason: 'money_unknown', verdict: 'neutral' }

type Answered = Exclude<StatusOutcome, { kind: 'refused' }>

/** Of money for what is over a provider may never tell, nor of what it does not show to this account. */
const isLeftUnknown = (answered: Answered, told: PaymentReport): boolean =>
  (told.state === 'paid' && tellsOfEnd(answered)) || isPartial(answered)

const isPartial = (answered: Answered): boolean => answered.kind === 'known' && answered.isPartial === true

const tellsOfMoney = (answered: Answered): boolean =>
  answered.kind === 'known' && (answered.report.state === 'paid' || answered.report.state === 'reversed')

/**
 * Refunds that the provider does not show to this account, nobody can ask about. Of these a notice is believed that names one
 * which we asked for, with its amount, by the id that the provider gave it, or by ours where it gave none.
 */
async function completed(
  { database }: PaymentsContext,
  payment: PaymentRow,
  { answered, told }: { answered: Answered; told: PaymentReport },
): Promise<Answered> {
  if (answered.kind !== 'known' || answered.isPartial !== true || told.refunds.length === 0) return answered
  const ours = await listRefundsOfPayment(database, payment.org_id, payment.id)
  const isOurs = (told: ReportedRefund) =>
    ours.some(
      ({ id, amount, provider_refund_id: given }) =>
        amount === told.amount && (given === null ? id === told.refundId : given === told.providerRefundId),
    )
  const { report } = answered
  return { ...answered, report: { ...report, refunds: [...report.refunds, ...told.refunds.filter(isOurs)] } }
}

/** What is shown without the names of its payments is the first of them, for all that anybody can see. */
async function isUnseenSecond(
  { database }: PaymentsContext,
  { notice, status, told }: { notice: NoticeRow; status: Answered; told: PaymentReport },
): Promise<boolean> {
  if (status.kind !== 'known' || status.isPartial !== true || status.report.paymentId !== undefined) return false
  if (told.state !== 'paid' || told.amountPaid === null || told.paymentId === undefined) return false
  return isToldAfterAnother(database, notice, told.paymentId)
}

/** A provider that does not show all of it to this account knows no more when it is asked again. */
const isInPart = (answered: Answered): boolean => isPartial(answered) && tellsOfEnd(answered)

/** Whether the answer knows of all the money that the notice told of. */
function tellsAsMuch(answered: Answered, told: PaymentReport): boolean {
  if (told.state === 'paid' && !tellsOfMoney(answered)) return false
  if (answered.kind !== 'known') return told.state !== 'reversed'
  const { report } = answered
  const isAnother =
    told.paymentId !== undefined && report.paymentId !== undefined && told.paymentId !== report.paymentId
  // A denial that takes a payment back is not known where the payment still stands.
  const isStanding = told.undoesPayment === true && report.state === 'paid'
  const isTakenUnknown = told.state === 'reversed' && report.state !== 'reversed'
  if (isAnother || isStanding || isTakenUnknown) return false
  return takenBy(report) >= takenBy(told) && told.refunds.every((refund) => knowsOf(report, refund))
}

const takenBy = ({ state, amountReversed = Number.POSITIVE_INFINITY }: PaymentReport): number =>
  state === 'reversed' ? amountReversed : 0

/** One without any id is the sum of all that went back, by the bank too. */
function knowsOf(report: PaymentReport, { refundId, providerRefundId, state, amount }: ReportedRefund): boolean {
  const known = report.refunds.filter((one) => state === 'pending' || one.state !== 'pending')
  if (refundId === null && providerRefundId === null)
    return known.reduce((sum, one) => sum + one.amount, takenBy(report)) >= amount
  return known.some(
    (one) =>
      (refundId !== null && one.refundId === refundId) ||
      (providerRefundId !== null && one.providerRefundId === providerRefundId),
  )
}

const tellsOfEnd = (answered: Answered): boolean => answered.kind === 'known' && isOver(answered.report.state)

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
      // Not answered for yet: should nobody answer any more, a person has to hear of it.
      status: isBehind ? 'waiting' : 'applied',
      outcome: after === locked.payment ? 'nothing_new' : after.status,
      now: new Date(context.clock.now()),
    })
  })

/** The notice was genuine, but its provider knows nothing of the payment. */
const finish = ({ database, clock }: PaymentsContext, notice: NoticeRow, outcome: string) =>
  finishNotice(database, notice.org_id, { id: notice.id, status: 'failed', outcome, now: new Date(clock.now()) })

/** As it was put into the journal, with its time as text. */
const readReport = (stored: unknown): PaymentReport => {
  const report = stored as Omit<PaymentReport, 'occurredAt'> & { occurredAt: string | null }
  return { ...report, occurredAt: report.occurredAt === null ? null : new Date(report.occurredAt) }
}

const plannedPayload = z.object({ method: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
type PlannedPayload = z.output<typeof plannedPayload>

/** What the simulator says by itself comes in through the same door as everything else. */
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

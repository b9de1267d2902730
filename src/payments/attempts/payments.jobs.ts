import { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue, type NewEntry } from '../../platform/outbox/entries.ts'
import {
  type ClaimedEntry,
  defineJob,
  type Job,
  type JobResult,
  type Outcome,
  type RetrySchedule,
  storedId,
  unseenOr,
} from '../../platform/outbox/job.ts'
import type { OpenPaymentAccount } from '../accounts/accounts.ts'
import type { ChargeOutcome, PayableDetails, PaymentFailure, StatusOutcome } from '../payment-connector.ts'
import { isLive, isOver } from '../payments.states.ts'
import type { PaymentsContext } from '../payments-context.ts'
import { abandonEntry, CHARGE_JOB, chargeOf, END_JOB, plannedEntries, WATCH_JOB } from './attempts.ts'
import { findMismatch, isAboutAnother } from './charge-agreement.ts'
import { endAbandoned, endAttempt, knownAttempt } from './payment-ending.ts'
import {
  applyReportAlone,
  isPayableWith,
  lockForMove,
  movePayment,
  type PlannedMove,
  storedDetails,
  storedFailure,
} from './payment-moves.ts'
import { payUrlOf } from './payment-view.ts'
import { findPayment, type PaymentRow } from './payments.sql.ts'
import { retryAfter, retryUnknown } from './provider-retry.ts'

/**
 * Jobs that call the provider of one attempt: charge it, end it when its time is over, and end it when the order was paid by
 * another method. Calls run outside any transaction. Their outcome is written in a separate transaction under the order's
 * lock, before the entry is acknowledged. A repeated run finds the outcome and changes nothing.
 */
const paymentPayload = z.object({
  payment: storedId('pay'),
  order: storedId('ord'),
  /** Ends an attempt that failed here but can still be paid at the provider. */
  isAbandoned: z.boolean().optional(),
})
export type PaymentPayload = z.output<typeof paymentPayload>

const chargePayload = paymentPayload.extend({
  orderNumber: z.string(),
  merchantName: z.string(),
  customer: z.object({ name: z.string().nullable(), phone: z.string().nullable() }),
})
type ChargePayload = z.output<typeof chargePayload>

const seconds = (...delays: number[]): RetrySchedule => ({ delaysMs: delays.map((one) => one * 1000), jitter: 0.2 })

/** A customer waits for payment details, so the attempt fails after two minutes. */
const CHARGE_RETRY = seconds(1, 3, 10, 30, 60)
const CALL_TIMEOUT_MS = 30_000

export const createChargeJob = (context: PaymentsContext): Job =>
  defineJob<ChargePayload, PaymentFailure>({
    name: CHARGE_JOB,
    payload: chargePayload,
    retry: CHARGE_RETRY,
    timeoutMs: CALL_TIMEOUT_MS,
    run: (entry, { signal }) => charge(context, entry, signal),
    record: async (tx, results) => {
      for (const result of exhaustedOf(results)) await giveUpCharge(context, tx, result)
    },
  })

const exhaustedOf = <Payload, Data>(results: JobResult<Payload, Data>[]) =>
  results.filter(({ disposition }) => disposition === 'exhausted')

const NOTHING_LEFT = { kind: 'done', verdict: 'neutral' } as const

type ChargeEntry = ClaimedEntry<ChargePayload>

async function charge(
  context: PaymentsContext,
  entry: ChargeEntry,
  signal: AbortSignal,
): Promise<Outcome<PaymentFailure>> {
  const orgId = entry.orgId
  const payment = await findPayment(context.database, orgId, entry.payload.payment)
  if (payment === null) return unseenOr(entry, NOTHING_LEFT)
  if (payment.status !== 'created') return NOTHING_LEFT
  const open = await context.accounts.open(orgId, payment.account_id)
  if (open === null) return refuse(context, payment, ACCOUNT_MISSING)
  const { connector, account } = open
  // An earlier call may have succeeded although its answer was lost. The charge is repeated only after a query has settled that.
  if (entry.attempt > 1) {
    const status = await connector.askStatus(account, knownAttempt(payment), signal)
    if (status.kind === 'refused') return retryAfter(context, status.failure)
    if (status.kind === 'known' && isUndrawable(status)) return refuse(context, payment, QRIS_UNUSABLE)
    const mismatched = status.kind === 'known' && status.report.state === 'pending' ? status.details : null
    const mismatch = mismatched === null ? null : findMismatch(account, payment, mismatched)
    if (mismatched !== null && mismatch !== null) return abandon(context, payment, { details: mismatched, mismatch })
    const isAnswered = status.kind === 'known' && (status.details !== null || status.report.state !== 'pending')
    if (isAnswered) {
      const { report, details } = status
      await applyReportAlone(context, payment, { report, details, source: 'question' })
      return { kind: 'done' }
    }
  }
  const returnUrl = payUrlOf(context, payment)
  const attempt = chargeOf(payment, { ...entry.payload, returnUrl }, entry.attempt)
  const outcome = await connector.charge(account, attempt, signal)
  const planned = plannedEntries(open, attempt, new Date(context.clock.now()))
  return takeAnswer(context, { payment, open, planned }, outcome, signal)
}

const ACCOUNT_MISSING: PaymentFailure = {
  class: 'rejected',
  code: 'account_missing',
  providerCode: null,
  detail: 'The payment account of this payment no longer exists.',
  retryAfterMs: null,
}

const QRIS_UNUSABLE: PaymentFailure = {
  class: 'rejected',
  code: 'qris_unusable',
  providerCode: null,
  detail: 'The provider returned a QR code that cannot be rendered. Open another payment, or choose another method.',
  retryAfterMs: null,
}

/** A paid attempt counts as paid, even if its code cannot be rendered. */
const isUndrawable = ({ report, details }: Extract<StatusOutcome, { kind: 'known' }>): boolean =>
  report.state === 'pending' && details !== null && !isPayableWith(details)

type Charged = { payment: PaymentRow; open: OpenPaymentAccount; planned: NewEntry[] }

async function takeAnswer(
  context: PaymentsContext,
  charged: Charged,
  outcome: ChargeOutcome,
  signal: AbortSignal,
): Promise<Outcome<PaymentFailure>> {
  const { payment, open } = charged
  if (outcome.kind === 'unknown') return retryUnknown(context, outcome)
  if (outcome.kind === 'refused' && outcome.failure.class === 'unavailable') return retryAfter(context, outcome.failure)
  if (outcome.kind === 'refused') return refuse(context, payment, outcome.failure)
  const { details } = outcome
  if (!isPayableWith(details)) return refuse(context, payment, QRIS_UNUSABLE)
  const mismatch = findMismatch(open.account, payment, details)
  if (mismatch !== null) return abandon(context, payment, { details, mismatch })
  const after = await context.database.transaction((tx) => makePayable(context, tx, charged, details))
  // The attempt ended while the provider was charging it, so it is cancelled there. If that fails, money for it is late money.
  if (isOver(after.status)) await open.connector.cancel(open.account, knownAttempt(after), signal).catch(() => {})
  return { kind: 'done' }
}

async function makePayable(
  context: PaymentsContext,
  tx: Tx,
  { payment, planned }: Charged,
  details: PayableDetails,
): Promise<PaymentRow> {
  const locked = await lockForMove(context, tx, payment.org_id, { orderId: payment.order_id, paymentId: payment.id })
  await enqueue(tx, planned)
  return movePayment(context, tx, locked, {
    // A notification may have arrived first: then only the payment details are added.
    status: locked.payment.status === 'created' ? 'pending' : locked.payment.status,
    details: storedDetails(details),
    providerId: details.providerId,
    expiresAt: details.expiresAt ?? payment.expires_at,
    source: 'charge',
  })
}

async function refuse(
  context: PaymentsContext,
  payment: PaymentRow,
  failure: PaymentFailure,
): Promise<Outcome<PaymentFailure>> {
  await context.database.transaction((tx) => failCharge(context, tx, payment, failure))
  return { kind: 'failed', reason: failure.code }
}

/**
 * Fails an attempt whose charge was answered with a contradiction, shows no details, and ends the charge at the provider. If
 * the answer names another order, its provider id is not ended; our charge is then found by the attempt's id.
 */
async function abandon(
  context: PaymentsContext,
  payment: PaymentRow,
  { details, mismatch }: { details: PayableDetails; mismatch: string },
): Promise<Outcome<PaymentFailure>> {
  const failure: PaymentFailure = {
    class: 'rejected',
    code: 'provider_mismatch',
    providerCode: null,
    detail: mismatch,
    retryAfterMs: null,
  }
  const providerId = isAboutAnother(payment, details) ? null : details.providerId
  await context.database.transaction(async (tx) => {
    await failCharge(context, tx, payment, failure, { providerId })
    await enqueue(tx, [abandonEntry(payment)])
    tx.afterCommit(() => context.wake([payment.org_id]))
  })
  return { kind: 'failed', reason: failure.code, verdict: 'neutral' }
}

async function failCharge(
  context: PaymentsContext,
  tx: Tx,
  payment: PaymentRow,
  failure: PaymentFailure,
  more: Pick<PlannedMove, 'providerId'> = {},
) {
  const place = { orderId: payment.order_id, paymentId: payment.id }
  const locked = await lockForMove(context, tx, payment.org_id, place)
  if (locked.payment.status !== 'created') return
  await movePayment(context, tx, locked, { status: 'failed', error: storedFailure(failure), source: 'charge', ...more })
}

async function giveUpCharge(context: PaymentsContext, tx: Tx, result: JobResult<ChargePayload, PaymentFailure>) {
  const payment = await findPayment(tx, result.entry.orgId, result.entry.payload.payment)
  if (payment !== null) await failCharge(context, tx, payment, result.outcome.data ?? UNANSWERED)
}

const UNANSWERED: PaymentFailure = {
  class: 'unavailable',
  code: 'provider_unavailable',
  providerCode: null,
  detail: 'The provider did not respond. Open another payment, or try again later.',
  retryAfterMs: null,
}

const MINUTE = 60
/** The second query follows after two minutes, the next ones with back-off for a day. */
const WATCH_RETRY = seconds(
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  120 * MINUTE,
  240 * MINUTE,
  360 * MINUTE,
  600 * MINUTE,
)

export const createWatchJob = (context: PaymentsContext): Job =>
  defineJob<PaymentPayload>({
    name: WATCH_JOB,
    payload: paymentPayload,
    retry: WATCH_RETRY,
    timeoutMs: CALL_TIMEOUT_MS,
    run: (entry, { signal }) => watch(context, entry, signal),
    record: async (tx, results) => {
      for (const result of exhaustedOf(results)) await giveUpWatching(context, tx, result)
    },
  })

/** Settles an attempt whose time is over. */
async function watch(
  context: PaymentsContext,
  entry: ClaimedEntry<PaymentPayload>,
  signal: AbortSignal,
): Promise<Outcome> {
  const payment = await findPayment(context.database, entry.orgId, entry.payload.payment)
  if (payment === null) return unseenOr(entry, NOTHING_LEFT)
  const nowMs = context.clock.now()
  // The provider may have set a later end than requested, and the order waits for that end either way.
  const isWaitedFor = isLive(payment.status) || isOver(payment.status)
  if (isWaitedFor && payment.expires_at !== null && payment.expires_at.getTime() > nowMs)
    return { kind: 'repeat', at: payment.expires_at }
  if (!isLive(payment.status)) {
    await lapse(context, payment)
    return { kind: 'done', verdict: 'neutral' }
  }
  const ending = await endAttempt(context, payment, { how: 'expire', signal })
  if (ending.kind === 'refused') return retryAfter(context, ending.failure)
  await lapse(context, ending.payment)
  return { kind: 'done' }
}

/**
 * Reports the lapse of an attempt that failed or was cancelled, perhaps at the provider without a notification. The order awaited
 * another attempt until now. An attempt that expires reports its lapse with that change.
 */
const lapse = async (context: PaymentsContext, payment: PaymentRow): Promise<void> => {
  if (payment.status !== 'failed' && payment.status !== 'cancelled') return
  await context.database.transaction(async (tx) => {
    const place = { orderId: payment.order_id, paymentId: payment.id }
    const locked = await lockForMove(context, tx, payment.org_id, place)
    // If another attempt ends later, the order waits for that one.
    const isLast = !locked.order.payments.some(
      ({ expires_at }) => expires_at !== null && expires_at.getTime() > context.clock.now(),
    )
    await movePayment(context, tx, locked, { isLapsed: isLast && isOver(locked.payment.status), source: 'expire' })
  })
}

/** Ends an attempt after a day without an answer and flags the order for review. Late money is still recorded. */
async function giveUpWatching(context: PaymentsContext, tx: Tx, { entry }: JobResult<PaymentPayload>): Promise<void> {
  const place = { orderId: entry.payload.order, paymentId: entry.payload.payment }
  const locked = await lockForMove(context, tx, entry.orgId, place)
  if (!isLive(locked.payment.status)) return
  const status = locked.payment.status === 'created' ? 'failed' : 'expired'
  await movePayment(context, tx, locked, { status, isLapsed: true, problem: 'provider_silent', source: 'expire' })
}

/** Ends an attempt at the provider after the order was paid by another method or the charge was answered with a contradiction. */
export const createEndJob = (context: PaymentsContext): Job =>
  defineJob<PaymentPayload>({
    name: END_JOB,
    payload: paymentPayload,
    retry: seconds(5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE),
    timeoutMs: CALL_TIMEOUT_MS,
    async run(entry, { signal }) {
      const payment = await findPayment(context.database, entry.orgId, entry.payload.payment)
      if (payment === null) return unseenOr(entry, NOTHING_LEFT)
      const isAbandoned = entry.payload.isAbandoned === true && payment.status === 'failed'
      if (!isAbandoned && !isLive(payment.status)) return { kind: 'done', verdict: 'neutral' }
      const ending = isAbandoned
        ? await endAbandoned(context, payment, signal)
        : await endAttempt(context, payment, { how: 'cancel', signal })
      return ending.kind === 'settled' ? { kind: 'done' } : retryAfter(context, ending.failure)
    },
  })

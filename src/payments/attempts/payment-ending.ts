import type { Initiator } from '../../events/events.ts'
import { leftAloneUntil, pauseLane } from '../../platform/outbox/lanes.ts'
import type { OpenPaymentAccount } from '../accounts/accounts.ts'
import { listLedgerLines, paymentIdsOf } from '../ledger/ledger.ts'
import type { EndOutcome, KnownAttempt, PaymentFailure, PaymentReport } from '../payment-connector.ts'
import { isLive } from '../payments.states.ts'
import type { PaymentsContext } from '../payments-context.ts'
import { applyReportAlone, lockForMove, movePayment, type PlannedMove } from './payment-moves.ts'
import { findNotifiedId, type PaymentRow } from './payments.sql.ts'
import { pauseFor } from './provider-retry.ts'

/**
 * Ends an unpaid attempt, so that it can no longer be paid: before an order is cancelled or paid by another method, and when
 * its time is over. The provider is always queried first, and money received meanwhile counts.
 *
 *   ask ── paid, or over already ──▶ that is applied
 *   ask ── pending ──▶ cancel | expire at the provider ──▶ `cancelled` | `expired`
 *   ask ── absent ──▶ `cancelled` | `expired`; `failed` if its charge was never answered
 */
export type Ending =
  /** The attempt is no longer live; its status shows why. */
  { kind: 'settled'; payment: PaymentRow } | { kind: 'refused'; failure: PaymentFailure }

export type EndingOptions = { how: 'cancel' | 'expire'; signal: AbortSignal; initiator?: Initiator }

export const knownAttempt = (row: PaymentRow): KnownAttempt => ({
  id: row.id,
  providerId: row.provider_id,
  method: row.method,
  bank: row.bank,
  amount: row.amount,
})

/** Adds the recorded payment ids, for status queries. */
export async function bookedAttempt({ database }: PaymentsContext, row: PaymentRow): Promise<KnownAttempt> {
  if (row.amount_paid === 0) return knownAttempt(row)
  return { ...knownAttempt(row), paymentIds: paymentIdsOf(await listLedgerLines(database, row.org_id, row.id)) }
}

/** Adds the id that a notification named. A local connector finds its attempts by our id. */
async function notifiedAttempt(
  { database }: PaymentsContext,
  row: PaymentRow,
  { connector }: OpenPaymentAccount,
): Promise<KnownAttempt> {
  const notifiedId = connector.isLocal ? null : await findNotifiedId(database, row.org_id, row.id)
  return { ...knownAttempt(row), ...(notifiedId !== null && { notifiedId }) }
}

/** Runs outside any transaction. */
export async function endAttempt(
  context: PaymentsContext,
  payment: PaymentRow,
  options: EndingOptions,
): Promise<Ending> {
  const open = await context.accounts.open(payment.org_id, payment.account_id)
  if (open === null) return { kind: 'refused', failure: ACCOUNT_GONE }
  const { connector, account } = open
  const attempt = await notifiedAttempt(context, payment, open)
  const status = await connector.askStatus(account, attempt, options.signal)
  if (status.kind === 'refused') return { kind: 'refused', failure: status.failure }
  if (status.kind === 'absent') return close(context, payment, options)
  if (status.report.state !== 'pending') return settle(context, payment, status.report)
  const known = { ...payment, provider_id: payment.provider_id ?? status.report.providerId }
  const asked = { ...attempt, providerId: known.provider_id }
  const outcome = await connector[options.how](account, asked, options.signal)
  return afterEnd(context, { payment: known, open, attempt: asked, outcome }, options)
}

/**
 * Ends an attempt at the provider that has failed here. The status is not queried first, because answers about it are not
 * trusted. Money received before the end is recorded as late money.
 */
export async function endAbandoned(
  context: PaymentsContext,
  payment: PaymentRow,
  signal: AbortSignal,
): Promise<Ending> {
  const open = await context.accounts.open(payment.org_id, payment.account_id)
  if (open === null) return { kind: 'refused', failure: ACCOUNT_GONE }
  const outcome = await open.connector.cancel(open.account, knownAttempt(payment), signal)
  if (outcome.kind === 'refused') return { kind: 'refused', failure: outcome.failure }
  const report = outcome.kind === 'overtaken' ? outcome.report : null
  return report === null ? { kind: 'settled', payment } : settle(context, payment, report)
}

/**
 * Ends an attempt within a request, without the outbox. A pause that the provider asked for in the outbox applies here, and
 * a pause that it asks for here applies to the outbox.
 */
export async function endAttemptAtOnce(
  context: PaymentsContext,
  payment: PaymentRow,
  options: EndingOptions,
): Promise<Ending> {
  const now = new Date(context.clock.now())
  const lane = { orgId: payment.org_id, id: payment.account_id }
  const until = await leftAloneUntil(context.database, lane, now)
  if (until !== null)
    return { kind: 'refused', failure: { ...LEFT_ALONE, retryAfterMs: until.getTime() - now.getTime() } }
  const ending = await endAttempt(context, payment, options)
  const { pauseLane: pause } = ending.kind === 'refused' ? pauseFor(context.clock, ending.failure) : {}
  if (pause !== undefined) await context.database.transaction((tx) => pauseLane(tx, lane, pause))
  return ending
}

const LEFT_ALONE: PaymentFailure = {
  class: 'unavailable',
  code: 'throttled',
  providerCode: null,
  detail: 'The provider asked for a pause, so the request was not sent.',
  retryAfterMs: null,
}

const ACCOUNT_GONE: PaymentFailure = {
  class: 'rejected',
  code: 'account_missing',
  providerCode: null,
  detail: 'The payment account of this payment no longer exists.',
  retryAfterMs: null,
}

type AfterEnd = { payment: PaymentRow; open: OpenPaymentAccount; attempt: KnownAttempt; outcome: EndOutcome }

async function afterEnd(
  context: PaymentsContext,
  { payment, open, attempt, outcome }: AfterEnd,
  options: EndingOptions,
): Promise<Ending> {
  if (outcome.kind === 'refused') return { kind: 'refused', failure: outcome.failure }
  if (outcome.kind === 'ended') return close(context, payment, options)
  if (outcome.report !== null) return settle(context, payment, outcome.report)
  const again = await open.connector.askStatus(open.account, attempt, options.signal)
  if (again.kind === 'refused') return { kind: 'refused', failure: again.failure }
  return again.kind === 'absent' ? close(context, payment, options) : settle(context, payment, again.report)
}

async function settle(context: PaymentsContext, payment: PaymentRow, report: PaymentReport): Promise<Ending> {
  const after = await applyReportAlone(context, payment, { report, source: 'question' })
  return isLive(after.status) ? { kind: 'refused', failure: STILL_OPEN } : { kind: 'settled', payment: after }
}

const STILL_OPEN: PaymentFailure = {
  class: 'unavailable',
  code: 'still_open',
  providerCode: null,
  detail: 'The provider neither ended the payment nor reports it as paid.',
  retryAfterMs: null,
}

function close(context: PaymentsContext, payment: PaymentRow, { how, initiator }: EndingOptions): Promise<Ending> {
  return context.database.transaction(async (tx) => {
    const place = { orderId: payment.order_id, paymentId: payment.id }
    const locked = await lockForMove(context, tx, payment.org_id, place)
    const isStillLive = isLive(locked.payment.status)
    const plan = closing(locked.payment, how)
    const after = isStillLive
      ? await movePayment(context, tx, locked, { ...plan, ...(initiator && { initiator }) })
      : locked.payment
    return { kind: 'settled' as const, payment: after }
  })
}

/** An attempt that is ended with a part of its money received was paid in part, not cancelled. */
const holdsMoney = ({ amount_paid, amount_refunded, amount_reversed }: PaymentRow): boolean =>
  amount_paid > amount_refunded + amount_reversed

function closing(payment: PaymentRow, how: EndingOptions['how']): PlannedMove {
  const isLapsed = how === 'expire'
  if (payment.status === 'created') {
    const detail = 'It was ended before the provider responded.'
    return { status: 'failed', error: { code: 'abandoned', detail, provider_code: null }, isLapsed, source: how }
  }
  if (isLapsed) return { status: 'expired', isLapsed, source: how }
  return { status: holdsMoney(payment) ? 'paid' : 'cancelled', source: how }
}

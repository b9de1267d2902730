import { type Initiator, type NewEvent, recordEvents, systemActor } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { soundText } from '../../kernel/text.ts'
import type { Tx } from '../../platform/database/database.ts'
import { applyReport, insertLedgerLine, type LedgerLine, type LedgerRow, sumsOf } from '../ledger/ledger.ts'
import type {
  PayableDetails,
  PaymentFailure,
  PaymentReport,
  ReportedPaymentState,
  StoredFailure,
  WalletDetails,
} from '../payment-connector.ts'
import { paymentEvents } from '../payments.events.ts'
import type { PaymentView } from '../payments.schemas.ts'
import type { PaymentStatus } from '../payments.states.ts'
import type { HeldOrder, PaymentMove, PaymentsContext } from '../payments-context.ts'
import { isDrawable } from '../qris/qris.ts'
import { applyReportedRefunds } from '../refunds/refunds.ts'
import { presentPayment } from './payment-view.ts'
import { type PaymentRow, type StoredDetails, savePayment } from './payments.sql.ts'

/**
 * Changes an attempt: the only place that writes a payment's row and ledger after it was created. The steps of the transaction
 * are always the same: lock the order and read its money, decide the change by a pure function, write ledger lines, row and
 * order, and record the events of both.
 */
export type LockedPayment = { payment: PaymentRow; lines: LedgerLine[]; order: HeldOrder }

export const lockForMove = async (
  { follower }: PaymentsContext,
  tx: Tx,
  orgId: OrgId,
  { orderId, paymentId }: { orderId: string; paymentId: string },
): Promise<LockedPayment> => paymentOf(await follower.lockOrder(tx, orgId, orderId), paymentId)

/** Returns an attempt of a locked order. */
export function paymentOf(order: HeldOrder, paymentId: string): LockedPayment {
  const payment = order.payments.find(({ id }) => id === paymentId)
  if (payment === undefined) throw new Error(`payment ${paymentId} is not of this order`)
  const own = order.ledger.filter(({ payment_id }) => payment_id === paymentId)
  const lines = own.map(({ kind, key, amount, reported_amount: reported }) => ({ kind, key, amount, reported }))
  return { payment, lines, order }
}

/** The planned change; absent members stay unchanged. */
export type PlannedMove = {
  status?: PaymentStatus
  lines?: readonly LedgerLine[]
  details?: StoredDetails | null
  error?: StoredFailure | null
  providerId?: string | null
  expiresAt?: Date | null
  problem?: PaymentMove['problem']
  isLate?: boolean
  isLapsed?: boolean
  /** The source of the lines: a notification, a status query, staff. */
  source: string
  note?: string | null
  facts?: Record<string, string>
  occurredAt?: Date | null
  initiator?: Initiator
}

/** Returns the changed attempt. A plan without changes writes nothing. */
export async function movePayment(
  context: PaymentsContext,
  tx: Tx,
  { payment: before, lines: known, order }: LockedPayment,
  plan: PlannedMove,
): Promise<PaymentRow> {
  const fresh = plan.lines ?? []
  if (isNothing(before, plan)) return before
  const now = new Date(context.clock.now())
  const initiator = plan.initiator ?? {}
  const rows = fresh.map((line) => ledgerRow(before, line, { plan, initiator, now }))
  const after = { ...before, ...changedRow(before, [...known, ...fresh], { plan, now }) }
  order.payments = order.payments.map((payment) => (payment.id === after.id ? after : payment))
  order.ledger = sortLedger([...order.ledger, ...rows])
  const move: PaymentMove = {
    before,
    after,
    moneyIn: after.amount_paid - before.amount_paid,
    moneyBack: after.amount_refunded + after.amount_reversed - before.amount_refunded - before.amount_reversed,
    isLate: plan.isLate ?? false,
    problem: plan.problem ?? null,
    isLapsed: plan.isLapsed ?? false,
    initiator,
    now,
  }
  const [events] = await Promise.all([
    order.onPaymentMoved(move, eventsOf(context, move)),
    ...rows.map((row) => insertLedgerLine(tx, before.org_id, { ...row, method: before.method })),
    savePayment(tx, before.org_id, after),
  ])
  await recordEvents(tx, before.org_id, events, now.getTime())
  if (before.status === 'created') tx.afterCommit(() => context.onAnswered(after.id))
  return after
}

/** Sorts as the database does: within one report first captures, then refunds, then reversals. */
const sortLedger = (rows: readonly LedgerRow[]): LedgerRow[] => {
  const compare = (one: string, other: string) => Number(one > other) - Number(one < other)
  return rows.toSorted(
    (one, other) =>
      one.recorded_at.getTime() - other.recorded_at.getTime() ||
      compare(one.kind, other.kind) ||
      compare(one.key, other.key),
  )
}

function isNothing(before: PaymentRow, plan: PlannedMove): boolean {
  const isSame = (plan.status ?? before.status) === before.status && (plan.lines ?? []).length === 0
  const isUntold = plan.details === undefined && plan.error === undefined && (plan.problem ?? null) === null
  const isKnown = (plan.providerId ?? before.provider_id) === before.provider_id
  return isSame && isUntold && isKnown && !plan.isLapsed
}

function changedRow(before: PaymentRow, lines: readonly LedgerLine[], { plan, now }: { plan: PlannedMove; now: Date }) {
  const { paid, refunded, reversed } = sumsOf(lines)
  const isFirstMoney = before.amount_paid === 0 && paid > 0
  return {
    id: before.id,
    status: plan.status ?? before.status,
    amount_paid: paid,
    amount_refunded: refunded,
    amount_reversed: reversed,
    provider_id: before.provider_id ?? plan.providerId ?? null,
    details: plan.details === undefined ? before.details : plan.details,
    error: plan.error === undefined ? before.error : plan.error,
    expires_at: plan.expiresAt === undefined ? before.expires_at : plan.expiresAt,
    paid_at: isFirstMoney ? (plan.occurredAt ?? now) : before.paid_at,
    updated_at: now,
  }
}

type LineSource = { plan: PlannedMove; initiator: Initiator; now: Date }

function ledgerRow(payment: PaymentRow, line: LedgerLine, { plan, initiator, now }: LineSource): LedgerRow {
  const actor = initiator.actor ?? systemActor
  return {
    payment_id: payment.id,
    order_id: payment.order_id,
    kind: line.kind,
    key: line.key,
    amount: line.amount,
    reported_amount: line.reported,
    source: plan.source,
    actor_type: actor.type,
    actor_id: actor.id,
    note: plan.note ?? null,
    facts: plan.facts ?? {},
    occurred_at: plan.occurredAt ?? now,
    recorded_at: now,
  }
}

function eventsOf(context: PaymentsContext, { before, after, isLate, moneyIn, initiator }: PaymentMove): NewEvent[] {
  const names: (keyof typeof paymentEvents)[] = []
  const isNew = (status: PaymentStatus) => after.status === status && before.status !== status
  if (isNew('pending')) names.push('pending')
  if (isLate) names.push('late')
  if (moneyIn > 0) names.push('paid')
  if (isNew('failed')) names.push('failed')
  if (isNew('expired')) names.push('expired')
  if (after.amount_refunded > before.amount_refunded) names.push('refunded')
  if (after.amount_reversed > before.amount_reversed) names.push('reversed')
  if (names.length === 0) return []
  const data = presentPayment(context, after)
  const previous = previousOf(presentPayment(context, before), data)
  return names.map((name) => ({ type: paymentEvents[name], subject: after.id, data, previous, ...initiator }))
}

const PREVIOUS_FIELDS = ['status', 'amount_paid', 'amount_refunded', 'amount_reversed', 'paid_at'] as const

const previousOf = (before: PaymentView, after: PaymentView): Record<string, unknown> =>
  Object.fromEntries(PREVIOUS_FIELDS.flatMap((name) => (before[name] === after[name] ? [] : [[name, before[name]]])))

/** Values that a payer types or scans stay unchanged; only names are cut to their published length. */
export const storedDetails = (details: PayableDetails): StoredDetails => ({
  qr_string: details.qrString,
  qr_image_url: details.qrImageUrl,
  virtual_account: details.virtualAccount === null ? null : storedAccount(details.virtualAccount),
  bill: details.bill === null ? null : { biller_code: details.bill.billerCode, bill_key: details.bill.billKey },
  ...(details.accountPage !== null && {
    account_page: { bank: details.accountPage.bank, redirect_url: details.accountPage.redirectUrl },
  }),
  ...(details.ewallet !== null && { ewallet: storedWallet(details.ewallet) }),
  ...(details.retail !== null && {
    retail: { store: details.retail.store, payment_code: details.retail.paymentCode },
  }),
  ...(details.card !== null && {
    card: { channel: details.card.channel, redirect_url: details.card.redirectUrl },
  }),
  instructions: details.instructions,
})

/** A QR string that cannot be rendered is not payable. */
export const isPayableWith = ({ qrString }: PayableDetails): boolean => qrString === null || isDrawable(qrString)

const storedWallet = ({ channel, deeplinkUrl, webUrl }: WalletDetails) => ({
  channel,
  deeplink_url: deeplinkUrl,
  web_url: webUrl,
})

const storedAccount = ({ bank, number, name }: NonNullable<PayableDetails['virtualAccount']>) => ({
  bank,
  number,
  name: name === null ? null : soundText(name, 200),
})

/** Keeps the provider's words, cut to the published length. */
export const storedFailure = ({ code, detail, providerCode }: PaymentFailure): StoredFailure => ({
  code,
  detail: soundText(detail, 1000),
  provider_code: providerCode === null ? null : soundText(providerCode, 200),
})

export type ReportSource = {
  report: PaymentReport
  source: string
  details?: PayableDetails | null
  initiator?: Initiator
}

/** Applies captures, then refunds, then the reversal, because a full reversal covers what the refunds of the same report left. */
async function applyAll(
  context: PaymentsContext,
  tx: Tx,
  { payment, lines, order }: LockedPayment,
  report: PaymentReport,
) {
  const { status, amount } = payment
  const isReversedLast = report.state === 'reversed' && report.refunds.length > 0
  const first = applyReport({ status, amount, lines }, isReversedLast ? { ...report, state: 'paid' } : report)
  const known = [...lines, ...first.lines]
  const refunds = await applyReportedRefunds(context, tx, { payment, lines: known, refunds: report.refunds })
  if (report.refunds.length > 0) order.refunds = null
  if (!isReversedLast) return { change: first, refunds }
  const last = applyReport({ status: first.status, amount, lines: [...known, ...refunds.lines] }, report)
  const change = { ...first, status: last.status, lines: [...first.lines, ...last.lines] }
  return { change: { ...change, problem: last.problem ?? first.problem }, refunds }
}

const ENDS: Partial<Record<ReportedPaymentState, Pick<StoredFailure, 'code' | 'detail'>>> = {
  failed: { code: 'payment_denied', detail: 'The provider reports that the payer could not pay.' },
  expired: { code: 'payment_expired', detail: 'It expired at the provider before the customer could pay.' },
  cancelled: {
    code: 'payment_denied',
    detail: 'It was cancelled at the provider before the customer could pay.',
  },
}

/** The reason of a failure, with the provider's code. Money received afterwards removes it. */
function errorAfter(
  { status: before, error }: PaymentRow,
  status: PaymentStatus,
  { state, facts }: PaymentReport,
): Pick<PlannedMove, 'error'> {
  if (status === before) return {}
  if (status !== 'failed') return error === null ? {} : { error: null }
  const end = ENDS[state]
  return end === undefined
    ? {}
    : { error: { ...end, provider_code: facts.failure === undefined ? null : soundText(facts.failure, 200) } }
}

/** Applies a report from a notification or a status query. Repeated reports in any sequence are safe. */
export async function applyReportTo(
  context: PaymentsContext,
  tx: Tx,
  locked: LockedPayment,
  { report, source, details, initiator }: ReportSource,
): Promise<PaymentRow> {
  const { payment } = locked
  const { change, refunds } = await applyAll(context, tx, locked, report)
  const isAdopted = payment.details === null && details != null && isPayableWith(details)
  const adopted = isAdopted ? storedDetails(details) : undefined
  const isPresented = adopted !== undefined && change.status === 'created' && report.state === 'pending'
  return movePayment(context, tx, locked, {
    status: isPresented ? 'pending' : change.status,
    lines: [...change.lines, ...refunds.lines],
    ...(adopted !== undefined && { details: adopted, expiresAt: details?.expiresAt ?? payment.expires_at }),
    ...errorAfter(payment, change.status, report),
    providerId: report.providerId,
    problem: change.problem ?? refunds.problem,
    isLate: change.isLate,
    isLapsed: change.status === 'expired' && payment.status !== 'expired',
    source,
    facts: report.facts,
    occurredAt: report.occurredAt,
    // A report that contains only refunds is attributed to the initiator of those refunds.
    initiator: initiator ?? (change.lines.length === 0 ? refunds.initiator : {}),
  })
}

/** Applies a report in a separate transaction. */
export const applyReportAlone = (
  context: PaymentsContext,
  payment: Pick<PaymentRow, 'org_id' | 'id' | 'order_id'>,
  source: ReportSource,
): Promise<PaymentRow> =>
  context.database.transaction(async (tx) => {
    const place = { orderId: payment.order_id, paymentId: payment.id }
    const locked = await lockForMove(context, tx, payment.org_id, place)
    return applyReportTo(context, tx, locked, source)
  })

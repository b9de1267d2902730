import { createHash } from 'node:crypto'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { isDatabaseUnavailable } from '../../platform/database/database-errors.ts'
import { enqueue, type NewEntry } from '../../platform/outbox/entries.ts'
import { noteAccountNotice, type OpenPaymentAccount } from '../accounts/accounts.ts'
import { findPayment, findPaymentByProviderId, lockForMove, movePayment } from '../attempts/attempts.ts'
import type { NoticeVerdict, PaymentReport, RawNotice } from '../payment-connector.ts'
import type { PaymentRow, PaymentsContext } from '../payments-context.ts'
import { finishNotice, insertNotice, type RetriedNotice, retryNotices } from './notifications.sql.ts'

export { countWaitingNotices } from './notifications.sql.ts'

/**
 * Receives a notification of a provider: verifies it over the raw bytes, stores it unchanged and answers. A job applies it
 * afterwards (notifications.jobs.ts).
 *
 *   unknown account, unknown payment 404 · bad signature 401 · database away 503 · else 200
 *
 * A genuine notification whose amount cannot be recorded, because it has a fraction or another currency, moves no money. It is
 * stored, and its order is flagged `amount_unknown` in the same transaction, because the provider counts it as delivered.
 *
 * A notification whose signature does not cover the state is never applied directly: the provider is queried each time it arrives.
 * So a forged notification cannot be taken for the genuine one that follows.
 */
export const APPLY_JOB = 'payments.apply'

export type NoticeAnswer = {
  status: number
  body: string
  /** The account that the notification addresses, for the log; null when it is unknown. */
  owner: { orgId: OrgId; id: string } | null
  /** The reason of a refusal, for the log only. */
  detail: string | null
}

const answer = (status: number, says: string, more: Partial<NoticeAnswer> = {}): NoticeAnswer => ({
  status,
  body: JSON.stringify({ status: says }),
  owner: null,
  detail: null,
  ...more,
})

export async function receiveNotice(
  context: PaymentsContext,
  { provider, accountId, notice }: { provider: string; accountId: string; notice: RawNotice },
): Promise<NoticeAnswer> {
  let owner: NoticeAnswer['owner'] = null
  try {
    const open = await context.accounts.openForNotice(provider, accountId)
    if (open === null) return answer(404, 'not_found', { detail: `there is no account ${accountId} of ${provider}` })
    owner = { orgId: open.account.orgId, id: accountId }
    return { ...(await takeNotice(context, open, notice)), owner }
  } catch (error) {
    const fields = { provider, account_id: accountId, err: error }
    context.log[isDatabaseUnavailable(error) ? 'warn' : 'error'](fields, 'payment notice not taken')
    // Providers retry more often after a 503 than after a 500.
    return answer(503, 'unavailable', { owner, detail: error instanceof Error ? error.message : String(error) })
  }
}

async function takeNotice(
  context: PaymentsContext,
  open: OpenPaymentAccount,
  notice: RawNotice,
): Promise<NoticeAnswer> {
  const { account, connector } = open
  const fields = { org_id: account.orgId, account_id: account.id, provider: account.provider }
  const verdict = connector.readNotice(account, notice)
  if (verdict.kind === 'refused') {
    context.log.warn({ ...fields, status: verdict.status, detail: verdict.detail }, 'payment notice refused')
    return answer(verdict.status, 'refused', { detail: verdict.detail })
  }
  if (verdict.kind === 'irrelevant') {
    await keepIrrelevant(context, open, notice)
    return answer(200, 'ok')
  }
  const { attemptId } = verdict.report
  const payment = await findReported(context, open, verdict.report)
  if (payment === null) {
    context.log.warn({ ...fields, attempt_id: attemptId }, 'payment notice about an unknown payment')
    return answer(404, 'payment_not_found', { detail: `there is no payment ${attemptId ?? 'of that name'}` })
  }
  const problem = problemOf(verdict)
  if (problem !== null) {
    context.log.warn({ ...fields, payment_id: payment.id, detail: problem }, 'payment notice without a usable amount')
    await keepUnreadable(context, { open, payment, notice })
    return answer(200, 'ok', { detail: problem })
  }
  if (verdict.kind === 'genuine') await keepNotice(context, { open, payment, verdict, notice })
  return answer(200, 'ok')
}

function problemOf(verdict: Extract<NoticeVerdict, { kind: 'genuine' | 'unreadable' }>): string | null {
  if (verdict.kind === 'unreadable') return verdict.detail
  const { currency } = verdict.report
  return currency === 'IDR' ? null : `the currency is ${currency.slice(0, 10)}, not IDR`
}

/** Searches only the attempts of this account, because a notification proves nothing about other accounts. */
async function findReported(
  { database }: PaymentsContext,
  { account }: OpenPaymentAccount,
  { attemptId, providerId }: Pick<PaymentReport, 'attemptId' | 'providerId'>,
): Promise<PaymentRow | null> {
  const byOurs = attemptId === null ? null : await findPayment(database, account.orgId, attemptId)
  if (byOurs !== null) return byOurs.account_id === account.id ? byOurs : null
  if (providerId === null) return null
  return findPaymentByProviderId(database, account.orgId, { accountId: account.id, providerId })
}

type Kept = {
  open: OpenPaymentAccount
  payment: PaymentRow
  verdict: Extract<NoticeVerdict, { kind: 'genuine' }>
  notice: RawNotice
}

async function keepNotice(context: PaymentsContext, { open, payment, verdict, notice }: Kept): Promise<void> {
  const { account } = open
  const now = new Date(context.clock.now())
  const isProven = verdict.isStateProven
  await context.database.transaction(async (tx) => {
    const kept = await insertNotice(tx, account.orgId, {
      id: newId('ntc', now.getTime()),
      account_id: account.id,
      provider: account.provider,
      payment_id: payment.id,
      // A proven notification and an unproven one with the same content must not share a key.
      dedup_key: `${isProven ? 'proven' : 'claimed'}:${verdict.report.dedupKey}`.slice(0, 500),
      is_state_proven: isProven,
      status: 'waiting',
      report: verdict.report,
      body: notice.body,
      received_at: now,
    })
    if (isProven && kept.status === 'applied') return
    await enqueue(tx, [applyEntry(account, { ...kept, order_id: payment.order_id })])
    tx.afterCommit(() => context.wake([account.orgId]))
  })
  await noteAccountNotice(context.database, account.orgId, { id: account.id, now }).catch(() => {})
}

/** The same bytes again are counted, and flag the order only once. */
async function keepUnreadable(context: PaymentsContext, { open, payment, notice }: Omit<Kept, 'verdict'>) {
  const { account } = open
  const now = new Date(context.clock.now())
  await context.database.transaction(async (tx) => {
    const place = { orderId: payment.order_id, paymentId: payment.id }
    const locked = await lockForMove(context, tx, account.orgId, place)
    const { id, times_received: times } = await insertNotice(tx, account.orgId, {
      id: newId('ntc', now.getTime()),
      account_id: account.id,
      provider: account.provider,
      payment_id: payment.id,
      dedup_key: `unreadable:${createHash('sha256').update(notice.body).digest('hex')}`,
      is_state_proven: false,
      status: 'applied',
      report: null,
      body: notice.body,
      received_at: now,
    })
    if (times > 1) return
    await finishNotice(tx, account.orgId, { id, status: 'applied', outcome: 'amount_unknown', now })
    await movePayment(context, tx, locked, { problem: 'amount_unknown', source: 'notice' })
  })
  await noteAccountNotice(context.database, account.orgId, { id: account.id, now }).catch(() => {})
}

const applyEntry = (account: { orgId: OrgId; id: string }, notice: RetriedNotice): NewEntry => ({
  id: `${notice.id}:${notice.times_received}`,
  laneId: account.id,
  orgId: account.orgId,
  job: APPLY_JOB,
  payload: { notice: notice.id, order: notice.order_id },
})

const RETRIED_MAX = 10_000

/**
 * Queries the provider again about unconfirmed notifications, for example after an operator corrected a key. Returns the number of
 * notifications. Notifications that are still being confirmed stay unchanged.
 */
export async function askAgain(tx: Tx, orgId: OrgId, accountId: string): Promise<number> {
  const notices = await retryNotices(tx, orgId, { accountId, rowsMax: RETRIED_MAX })
  const entries = notices.map((notice) => applyEntry({ orgId, id: accountId }, notice))
  await enqueue(tx, entries)
  return entries.length
}

async function keepIrrelevant(context: PaymentsContext, { account }: OpenPaymentAccount, notice: RawNotice) {
  const now = new Date(context.clock.now())
  const id = newId('ntc', now.getTime())
  await context.database.transaction((tx) =>
    insertNotice(tx, account.orgId, {
      id,
      account_id: account.id,
      provider: account.provider,
      payment_id: null,
      dedup_key: `irrelevant:${id}`,
      is_state_proven: false,
      status: 'irrelevant',
      report: null,
      body: notice.body,
      received_at: now,
    }),
  )
}

/**
 * Masks the payer in a notification before it is logged: names, contact details, account numbers. Signatures are masked with the
 * other secrets by the log. The text may be cut off, because logs keep only its beginning.
 */
const NAMES = [
  '(?:first|last|full|given|middle|sender|payer|customer|recipient|account_holder|cardholder)_names?',
  'surname',
  '(?:\\w{1,20}_)?(?:phone|mobile)(?:_number)?',
  '(?:\\w{1,20}_)?e?mail',
  '(?:\\w{1,20}_)?(?:account|va)_(?:number|no)',
  'bill_key',
  'address',
]

const VALUE = `"(?:[^"\\\\]|\\\\.)*"?|-?[\\d.]+`
const PAYER = new RegExp(`("(?:${NAMES.join('|')})"\\s{0,10}:\\s{0,10})(?:${VALUE})`, 'gi')

export const maskPayer = (notice: string): string => notice.replaceAll(PAYER, '$1"[masked]"')

import { newId, type OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { isDatabaseUnavailable } from '../platform/database/database-errors.ts'
import { enqueue, type NewEntry } from '../platform/outbox/entries.ts'
import { insertNotice, type RetriedNotice, retryNotices } from './notices.sql.ts'
import type { OpenPaymentAccount } from './payment-account-source.ts'
import { noteAccountNotice } from './payment-accounts.ts'
import type { NoticeVerdict, PaymentReport, RawNotice } from './payment-connector.ts'
import { findPayment, findPaymentByProviderId, type PaymentRow } from './payments.sql.ts'
import type { PaymentsContext } from './payments-context.ts'

/**
 * What a provider tells us by calling: verified over the raw bytes, written down as it came, answered, and only then acted
 * upon by a job (notices.jobs.ts).
 *
 *   unknown account, unknown payment 404 · bad signature 401 · another currency 422 · database away 503 · else 200
 *
 * A notice whose proof does not cover what it says is never believed, however often it comes: each time it comes, the
 * provider is asked. So a forged notice cannot use up the place of the genuine one that follows.
 */
export const APPLY_JOB = 'payments.apply'

export type NoticeAnswer = {
  status: number
  body: string
  /** Whose account it came for, for the log; null when nobody knows. */
  owner: { orgId: OrgId; id: string } | null
  /** Why it was refused: for the log, not for the caller. */
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
    // Providers try again after a 503, and less often after a 500.
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
  const { currency, attemptId } = verdict.report
  if (currency !== 'IDR') {
    context.log.warn({ ...fields, currency }, 'payment notice in another currency')
    return answer(422, 'currency_unsupported', { detail: `the notice is in ${currency}` })
  }
  const payment = await findReported(context, open, verdict.report)
  if (payment === null) {
    context.log.warn({ ...fields, attempt_id: attemptId }, 'payment notice about an unknown payment')
    return answer(404, 'payment_not_found', { detail: `there is no payment ${attemptId ?? 'of that name'}` })
  }
  await keepNotice(context, { open, payment, verdict, notice })
  return answer(200, 'ok')
}

/** Only among the attempts of this very account: what another account's provider says counts for nothing here. */
async function findReported(
  { database }: PaymentsContext,
  { account }: OpenPaymentAccount,
  { attemptId, providerId }: PaymentReport,
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
      // A proven notice and one that only claims the same must not be taken for one another.
      dedup_key: `${isProven ? 'proven' : 'claimed'}:${verdict.report.dedupKey}`.slice(0, 500),
      is_state_proven: isProven,
      status: 'waiting',
      report: verdict.report,
      body: notice.body,
      received_at: now,
    })
    if (isProven && kept.status === 'applied') return
    await enqueue(tx, [applyEntry(account, { ...kept, order_id: payment.order_id })])
    tx.afterCommit(() => context.wake([account.id]))
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
 * An operator has the provider asked again about what it would not answer: after a wrong key was put right, say. Answers
 * with how many notices that are. What is still being asked about stays as it is.
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
    insertNotice(tx, account.orgId as OrgId, {
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

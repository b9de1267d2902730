import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import type { HookReceiver } from '../platform/http/hook-receiver.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { PaymentAccountSource } from './accounts/account-source.ts'
import { createPayTokens, type PayTokens } from './attempts/pay-token.ts'
import { createPaymentWaiter, type PaymentWaiter } from './attempts/payment-waiter.ts'
import { createChargeJob, createEndJob, createWatchJob } from './attempts/payments.jobs.ts'
import {
  findPayment,
  insertPayments,
  listPaymentPage,
  listPaymentsById,
  listPaymentsOfOrder,
  type PaymentProof,
  type PaymentRow,
  saveProofs,
} from './attempts/payments.sql.ts'
import { createRefundJob } from './attempts/refunds.jobs.ts'
import { notifyingProviders } from './connectors/connectors.ts'
import {
  LEDGER_SHOWN_MAX,
  type LedgerRow,
  listLedgerOfOrder,
  listMoneyOfOrder,
  listWholeLedger,
} from './ledger/ledger.ts'
import { createApplyJob, createNoticeSweep, createPlannedNoticeJob } from './notifications/notifications.jobs.ts'
import { maskPayer, type NoticeAnswer, receiveNotice } from './notifications/notifications.ts'
import type { RawNotice } from './payment-connector.ts'
import type { HeldOrder, PaymentFollower, PaymentsContext, RefundRow } from './payments-context.ts'
import { findRefund, listRefundPage, listRefundsByOrders, listRefundsOfOrder } from './refunds/refunds.ts'

export { type LedgerSpan, type LedgerSum, sumLedger } from './ledger/ledger.ts'
export { listPaymentPage, listRefundPage, type PaymentProof, saveProofs }

/**
 * The payments capability, as the app wiring creates it.
 *
 *   an order is created ─▶ attempt ─▶ charge (job, or at once) ─▶ payable ─▶ notification ─▶ journal ─▶ apply (job) ─▶ books
 *                                                                └▶ time over ─▶ watch (job): ask, then expire
 *
 * Every change of an attempt updates its order in the same transaction, through the follower.
 */
export type PaymentsOptions = {
  database: Database
  clock: Clock
  log: Log
  accounts: PaymentAccountSource
  /** The order that follows its payments. */
  follower: PaymentFollower
  publicUrl: string
  /** The key of pay page addresses, derived from the server's secret for this purpose only. */
  payTokenKey: Uint8Array
  /** Wakes the outbox for organizations with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type Payments = {
  context: PaymentsContext
  waiter: Pick<PaymentWaiter, 'waitForAnswer'>
  tokens: PayTokens
  jobs: Job[]
  /** Receives the notifications of providers. */
  receiveNotice(provider: string, accountId: string, notice: RawNotice): Promise<NoticeAnswer>
  /** What providers post their notices to. */
  hooks: HookReceiver[]
  start(): Promise<void>
  stop(): Promise<void>
}

const createPaymentJobs = (context: PaymentsContext): Job[] => [
  createChargeJob(context),
  createWatchJob(context),
  createEndJob(context),
  createApplyJob(context),
  createPlannedNoticeJob(context),
  createRefundJob(context),
]

export function createPayments(options: PaymentsOptions): Payments {
  const { database, clock, log, accounts, follower, publicUrl, wake } = options
  const tokens = createPayTokens(options.payTokenKey)
  const waiter = createPaymentWaiter({ database, log })
  const { onAnswered } = waiter
  const context: PaymentsContext = { database, clock, log, accounts, follower, publicUrl, tokens, wake, onAnswered }
  const sweep = createNoticeSweep({ database, clock, log })
  return {
    context,
    waiter,
    tokens,
    jobs: createPaymentJobs(context),
    receiveNotice: (provider, accountId, notice) => receiveNotice(context, { provider, accountId, notice }),
    hooks: notifyingProviders.map((provider) => ({
      name: provider,
      idPrefix: 'pac',
      methods: ['POST'],
      maskForLog: maskPayer,
      receive: async (accountId, notice) => ({
        ...(await receiveNotice(context, { provider, accountId, notice })),
        contentType: 'application/json',
      }),
    })),
    async start() {
      await sweep.start()
    },
    async stop() {
      await sweep.stop()
      await waiter.stop()
    },
  }
}

/** Inserts drafted attempts of any number of organizations. The caller writes the order in the same transaction. */
export const insertAttempts = (tx: Tx, orgId: OrgId, rows: readonly PaymentRow[]): Promise<unknown> =>
  rows.length === 0 ? Promise.resolve() : insertPayments(tx, orgId, rows)

export const getPaymentById = (queries: Queries, orgId: OrgId, id: string): Promise<PaymentRow | null> =>
  findPayment(queries, orgId, id)

export const listPayments = (queries: Queries, orgId: OrgId, orderId: string): Promise<PaymentRow[]> =>
  listPaymentsOfOrder(queries, orgId, orderId)

export const listPaymentsByIds = (queries: Queries, orgId: OrgId, ids: readonly string[]): Promise<PaymentRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : listPaymentsById(queries, orgId, ids)

export const listRefunds = (queries: Queries, orgId: OrgId, orderId: string): Promise<RefundRow[]> =>
  listRefundsOfOrder(queries, orgId, orderId)

/** Lists the refunds of several orders, those of each order in the sequence of their creation. */
export const listRefundsOfOrders = (
  queries: Queries,
  orgId: OrgId,
  orderIds: readonly string[],
): Promise<RefundRow[]> => (orderIds.length === 0 ? Promise.resolve([]) : listRefundsByOrders(queries, orgId, orderIds))

/** Lists every movement of an order's money, oldest first. */
export const listLedger = (queries: Queries, orgId: OrgId, orderId: string): Promise<LedgerRow[]> =>
  listLedgerOfOrder(queries, orgId, orderId)

/** Reads the money of an order. The statements are sent after the one that locks the order, so they read under the lock. */
export async function readHeldMoney(tx: Tx, orgId: OrgId, orderId: string): Promise<HeldMoney> {
  const [payments, ledger] = await Promise.all([
    listPaymentsOfOrder(tx, orgId, orderId),
    listWholeLedger(tx, orgId, orderId),
  ])
  // An order without a payment has no refunds.
  return { payments, ledger, refunds: payments.some(({ amount_paid }) => amount_paid > 0) ? null : [] }
}

export type HeldMoney = Omit<HeldOrder, 'onPaymentMoved'>

export async function refundsOf(tx: Tx, held: HeldMoney): Promise<readonly RefundRow[]> {
  const [payment] = held.payments
  held.refunds ??= payment === undefined ? [] : await listRefundsOfOrder(tx, payment.org_id, payment.order_id)
  return held.refunds
}

/** Returns the same lines as `listLedger`. */
export const shownLedger = ({ ledger }: HeldMoney): LedgerRow[] =>
  ledger.filter(({ amount }) => amount !== 0).slice(0, LEDGER_SHOWN_MAX)

/** Lists only kinds and amounts, for computing. */
export const listMoney = (
  queries: Queries,
  orgId: OrgId,
  orderId: string,
): Promise<Pick<LedgerRow, 'kind' | 'amount'>[]> => listMoneyOfOrder(queries, orgId, orderId)

export const getRefundById = (queries: Queries, orgId: OrgId, id: string): Promise<RefundRow | null> =>
  findRefund(queries, orgId, id)

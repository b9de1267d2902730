import type { Initiator, NewEvent } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { PaymentAccountSource } from './accounts/account-source.ts'
import type { PaymentLinks } from './attempts/payment-view.ts'
import type { PaymentRow } from './attempts/payments.sql.ts'
import type { LedgerRow } from './ledger/ledger.sql.ts'
import type { BookProblem } from './ledger/ledger.ts'
import type { RefundRow } from './refunds/refunds.sql.ts'

export type { PaymentRow } from './attempts/payments.sql.ts'
export type { LedgerRow } from './ledger/ledger.sql.ts'
export type { RefundRow } from './refunds/refunds.sql.ts'

/** A change of an attempt. The ledger and the row are written; the order follows next. */
export type PaymentMove = {
  before: PaymentRow
  after: PaymentRow
  /** The amount that this change added to the received money. */
  moneyIn: number
  /** The amount that this change refunded or reversed. */
  moneyBack: number
  isLate: boolean
  problem: BookProblem | 'refund_failed' | 'provider_silent' | null
  /** The time of the attempt passed without a payment. */
  isLapsed: boolean
  initiator: Initiator
  now: Date
}

/**
 * The money of an order whose row is locked, for the transaction that holds the lock. It is read once: each change to it is written to
 * the database and here.
 */
export type HeldOrder = {
  /** Oldest first. */
  payments: readonly PaymentRow[]
  /** All lines, as `sortLedger` sorts them. */
  ledger: readonly LedgerRow[]
  /** Read when needed; null before that, and after a refund was written. */
  refunds: readonly RefundRow[] | null
  /** Called with the events of the payment, after the rows of the change were updated here. Returns what to record, in sequence. */
  onPaymentMoved(move: PaymentMove, events: readonly NewEvent[]): Promise<NewEvent[]>
}

/**
 * The order that follows its payments. The composition root hands it over, because payments know nothing of orders. The lock on the
 * order's row covers its payments, ledger and refunds: they are written under it only.
 */
export type PaymentFollower = {
  lockOrder(tx: Tx, orgId: OrgId, orderId: string): Promise<HeldOrder>
}

export type PaymentsContext = PaymentLinks & {
  database: Database
  clock: Clock
  log: Log
  accounts: PaymentAccountSource
  follower: PaymentFollower
  /** Wakes the outbox for organizations with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
  /** After the commit that stores the answer to a charge: ends the wait of requests in this process. */
  onAnswered: (paymentId: string) => void
}

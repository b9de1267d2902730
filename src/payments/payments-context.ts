import type { Doer } from '../events/doer.ts'
import type { NewEvent } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { PaymentAccountSource } from './payment-account-source.ts'
import type { BookProblem } from './payment-books.ts'
import type { PaymentLinks } from './payment-view.ts'
import type { PaymentRow } from './payments.sql.ts'

export type { PaymentRow } from './payments.sql.ts'
export type { RefundRow } from './refunds.sql.ts'

/** How an attempt changed. The books and the row are written; what the order makes of it comes next. */
export type PaymentMove = {
  before: PaymentRow
  after: PaymentRow
  /** What this added to what came in. */
  moneyIn: number
  /** What this gave back, or lost. */
  moneyBack: number
  isLate: boolean
  problem: BookProblem | 'refund_failed' | 'provider_silent' | null
  /** Its time passed without money. */
  isLapsed: boolean
  doer: Doer
  now: Date
}

/**
 * The order that follows its payments. It is handed over by the joinery, because payments know nothing of orders. Locks are
 * taken in one order everywhere: the order's row, then its payments.
 */
export type PaymentFollower = {
  lockOrder(tx: Tx, orgId: OrgId, orderId: string): Promise<void>
  /** In the transaction of the move. Answers with the events to record after the payment's own. */
  onPaymentMoved(tx: Tx, orgId: OrgId, move: PaymentMove): Promise<NewEvent[]>
}

export type PaymentsContext = PaymentLinks & {
  database: Database
  clock: Clock
  log: Log
  accounts: PaymentAccountSource
  follower: PaymentFollower
  /** Tells the outbox of lanes with new work, after the commit. */
  wake: (laneIds: readonly string[]) => void
}

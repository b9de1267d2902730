import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { presentMovement, presentPayment } from '../../payments/attempts/attempts.ts'
import {
  listLedger,
  listPayments,
  listPaymentsByIds,
  listRefunds,
  listRefundsOfOrders,
  refundsOf,
  shownLedger,
} from '../../payments/payments.ts'
import type { LedgerRow, PaymentRow, RefundRow } from '../../payments/payments-context.ts'
import type { CompanionOf } from '../../platform/database/companions.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { GroupCommit } from '../../platform/database/group-commit.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import { orderReferenceTaken } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { getOrder } from './order-actions.ts'
import { adoptOrphan, finishAnswer } from './order-answers.ts'
import { awaitAnswer } from './order-attempts.ts'
import { draftOrder } from './order-input.ts'
import { listOrders as listRows, type OrderFilter } from './order-list.sql.ts'
import { presentOrder } from './order-view.ts'
import type { OrderItem, WrittenOrder } from './order-writer.ts'
import { type NewOrderInput, Order, type OrderView } from './orders.schemas.ts'
import { listTakenReferences, type OrderRow } from './orders.sql.ts'

/** Creates and reads orders. */
export type OrdersParts = { context: OrdersContext; writer: GroupCommit<OrderItem, WrittenOrder> }

export const presentWithPayment = async (
  context: OrdersContext,
  queries: Queries,
  order: OrderRow,
): Promise<OrderView> => (await presentPage(context, queries, [order]))[0] as OrderView

async function presentPage(context: OrdersContext, queries: Queries, rows: readonly OrderRow[]): Promise<OrderView[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.flatMap(({ payment_id }) => payment_id ?? [])
  const paid = rows.filter(({ amount_paid }) => amount_paid > 0).map(({ id }) => id)
  const [listed, given] = await Promise.all([
    listPaymentsByIds(queries, first.org_id, ids),
    listRefundsOfOrders(queries, first.org_id, paid),
  ])
  const payments = new Map(listed.map((row) => [row.id, row]))
  const refunds = Map.groupBy(given, ({ order_id }) => order_id)
  return rows.map((row) =>
    presentOrder(context.payments.context, row, {
      payment: row.payment_id === null ? null : (payments.get(row.payment_id) ?? null),
      refunds: refunds.get(row.id) ?? [],
    }),
  )
}

export type CreateOrder = {
  input: NewOrderInput
  claim: IdempotencyClaim | null
  path: string
  initiator: Initiator
  companion?: CompanionOf | undefined
}

/** Throws the refusal that `createOrder` would throw now. Nothing is stored. */
export async function rehearseOrder({ context }: OrdersParts, orgId: OrgId, input: NewOrderInput): Promise<void> {
  const { row } = await draftOrder(context, orgId, input)
  const { reference } = row
  if (reference === null) return
  const [taken] = await context.database.transaction((tx) => listTakenReferences(tx, [{ orgId, reference }]))
  if (taken !== undefined) throw orderReferenceTaken({ params: { order_id: taken.id, reference } })
}

/** Returns a payable order. If the provider is slow, it returns the order as it is when the wait times out. */
export async function createOrder(
  { context, writer }: OrdersParts,
  orgId: OrgId,
  { input, claim, path, initiator, companion }: CreateOrder,
): Promise<OrderView> {
  const draft = await draftOrder(context, orgId, input)
  const written = await writer
    .submit({ orgId, draft, claim, path, initiator, companion: companion ?? null })
    .catch(async (error) => {
      if (error instanceof IdempotencyRaceLost) await adoptOrphan(context.database, orgId, claim)
      throw error
    })
  if (written.payment?.status !== 'created') return written.view
  await awaitAnswer(context, written.payment)
  const view = await inOneMoment(context, async (tx) =>
    presentWithPayment(context, tx, await getOrder(tx, orgId, draft.row.id)),
  )
  if (claim !== null) await finishAnswer(context.database, orgId, { claim, body: renderValue(Order, view) })
  return view
}

export async function listOrders(context: OrdersContext, orgId: OrgId, filter: OrderFilter): Promise<OrderView[]> {
  return inOneMoment(context, async (tx) => presentPage(context, tx, await listRows(tx, orgId, filter)))
}

export const readOrder = (context: OrdersContext, orgId: OrgId, id: string) =>
  inOneMoment(context, async (tx) => retrieveOrder(context, tx, await getOrder(tx, orgId, id)))

/**
 * Reads an order and its money in one snapshot. They are rows of several tables: separate reads could see a payment in one
 * table and not in another, and the sums in one answer would contradict each other.
 */
const inOneMoment = <Result>({ database }: OrdersContext, read: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(read, { isolation: 'repeatable read', readOnly: true, opensWithReads: true })

async function retrieveOrder(context: OrdersContext, queries: Queries, order: OrderRow) {
  const [payments, refunds, ledger] = await Promise.all([
    listPayments(queries, order.org_id, order.id),
    listRefunds(queries, order.org_id, order.id),
    listLedger(queries, order.org_id, order.id),
  ])
  return presentWhole(context, order, { payments, refunds, ledger })
}

/** Shows the order as this transaction changed it. */
export const presentLocked = async (context: OrdersContext, tx: Tx, order: LockedOrder) =>
  presentWhole(context, order.row, {
    payments: order.payments,
    refunds: await refundsOf(tx, order),
    ledger: shownLedger(order),
  })

type WholeMoney = {
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
  ledger: readonly LedgerRow[]
}

/** Shows the order with every attempt, every refund and the ledger. */
function presentWhole(context: OrdersContext, order: OrderRow, { payments, refunds, ledger }: WholeMoney) {
  const { context: links } = context.payments
  const current = payments.find(({ id }) => id === order.payment_id) ?? null
  return {
    ...presentOrder(links, order, { payment: current, refunds }),
    payments: payments.map((payment) => presentPayment(links, payment)),
    ledger: ledger.map(presentMovement),
  }
}

import { type Initiator, listSubjectsOf } from '../../events/events.ts'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import { firstOf, lastOf } from '../../kernel/lists.ts'
import { listLedger, listPayments, listRefunds } from '../../payments/payments.ts'
import type { CompanionOf } from '../../platform/database/companions.ts'
import { type Database, inOneMoment, type Queries } from '../../platform/database/database.ts'
import type { GroupCommit } from '../../platform/database/group-commit.ts'
import { type Hour, type SummarySource, startOfHour } from '../../platform/database/hourly-summaries.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import { lockShelf, takePieces } from '../../products/products.ts'
import { orderReferenceTaken } from '../orders.errors.ts'
import { orderEvents } from '../orders.events.ts'
import type { OrdersContext } from '../orders-context.ts'
import { getOrder } from './locked-order.ts'
import { adoptOrphan, finishAnswer } from './order-answers.ts'
import { awaitAnswer } from './order-attempts.ts'
import { draftOrder } from './order-input.ts'
import { listOrders as listRows, type OrderFilter } from './order-list.sql.ts'
import { fillItems } from './order-products.ts'
import type { NewOrderInput } from './order-requests.schemas.ts'
import { presentPage, presentWhole, presentWithPayment } from './order-view.ts'
import type { OrderItem as WrittenItem, WrittenOrder } from './order-writer.ts'
import { Order, type OrderView } from './orders.schemas.ts'
import { listAmountsPaid, listTakenReferences, type OrderRow } from './orders.sql.ts'
import { computeTotals, type Totals } from './totals.ts'

export { type CartDrafts, type CartDraftsOptions, createCartDrafts } from './cart-drafts.ts'
export { findPaymentOfOrder, isOfOrder } from './checkouts.ts'
export { findOrderByName, getOrder } from './locked-order.ts'
export { markPaid } from './mark-paid.ts'
export { awaitAnswer, endOpenAttempt, openAttempt, planNewAttempt } from './order-attempts.ts'
export { editedTotal } from './order-edits.ts'
export { presentLocked } from './order-view.ts'
export { type Delivery, findNewestOrder, findOpenOrder, findOrder, linkOrderToChat, lockOrder } from './orders.sql.ts'
export { listWays, type PayWay } from './pay-ways.ts'
export type { OrderItem } from './totals.ts'

/**
 * Creates and reads orders. Staff and integrators change them by order-actions.ts, order-attempts.ts and order-refunds.ts;
 * payments change them by locked-order.ts. What a change of the money means is decided in settlement/.
 */
export type OrdersParts = { context: OrdersContext; writer: GroupCommit<WrittenItem, WrittenOrder> }

export type CreateOrder = {
  input: NewOrderInput
  claim: IdempotencyClaim | null
  path: string
  initiator: Initiator
  companion?: CompanionOf | undefined
  /** The payment link that a payer came by. The order is a checkout until something is paid. */
  paymentLinkId?: Id<'plk'>
}

/** Throws the refusal that `createOrder` would throw now. Nothing is stored. */
export async function rehearseOrder({ context }: OrdersParts, orgId: OrgId, input: NewOrderInput): Promise<void> {
  const { row, wanted } = await draftOrder(context, orgId, input)
  const { id, reference } = row
  if (reference === null && wanted.length === 0) return
  const ids = wanted.map(({ productId }) => productId)
  const [[taken], shelf] = await context.database.transaction((tx) =>
    Promise.all([listTakenReferences(tx, orgId, reference === null ? [] : [reference]), lockShelf(tx, orgId, ids)]),
  )
  if (taken !== undefined) throw orderReferenceTaken({ params: { order_id: taken.id, reference } })
  const shortage = takePieces(shelf, id, wanted)
  if (shortage !== null) throw shortage
}

/** The totals that an order would have now; null if it would be refused. */
export async function previewTotals(queries: Queries, orgId: OrgId, input: NewOrderInput): Promise<Totals | null> {
  const { items, refusal } = await fillItems(queries, orgId, input.items)
  const result = computeTotals({ ...input, items })
  return refusal === null && result.ok ? result.totals : null
}

/** Returns a payable order. If the provider is slow, it returns the order as it is when the wait times out. */
export async function createOrder(
  { context, writer }: OrdersParts,
  orgId: OrgId,
  { input, claim, path, initiator, companion, paymentLinkId }: CreateOrder,
): Promise<OrderView> {
  const read = (id: string) =>
    inOneMoment(context.database, async (tx) => presentWithPayment(context, tx, await getOrder(tx, orgId, id)))
  const draft = await draftOrder(context, orgId, input)
  if (paymentLinkId !== undefined) Object.assign(draft.row, { payment_link_id: paymentLinkId, is_checkout: true })
  const written = await writer
    .submit({ orgId, draft, claim, path, initiator, companion: companion ?? null })
    .catch(async (error) => {
      if (error instanceof IdempotencyRaceLost) await adoptOrphan(context, orgId, { claim, schema: Order, read })
      throw error
    })
  if (written.payment?.status !== 'created') return written.view
  await awaitAnswer(context, written.payment)
  const view = await read(draft.row.id)
  if (claim !== null) await finishAnswer(context.database, orgId, { claim, body: renderValue(Order, view) })
  return view
}

export async function listOrders(context: OrdersContext, orgId: OrgId, filter: OrderFilter): Promise<OrderView[]> {
  return inOneMoment(context.database, async (tx) => presentPage(context, tx, await listRows(tx, orgId, filter)))
}

/** In a transaction that holds the order's lock, no other snapshot is needed. */
export const readOrder = (context: OrdersContext, orgId: OrgId, id: string, queries: Queries = context.database) => {
  const read = async (source: Queries) => retrieveOrder(context, source, await getOrder(source, orgId, id))
  return queries === context.database ? inOneMoment(context.database, read) : read(queries)
}

async function retrieveOrder(context: OrdersContext, queries: Queries, order: OrderRow) {
  const [payments, refunds, ledger] = await Promise.all([
    listPayments(queries, order.org_id, order.id),
    listRefunds(queries, order.org_id, order.id),
    listLedger(queries, order.org_id, order.id),
  ])
  return presentWhole(context, order, { payments, refunds, ledger })
}

export type PaidOrders = { count: number; sum: number }

const SETTLES_AFTER_MS = 60_000

/** Counts orders by the hour of their `order.paid` event. An order that was paid twice counts in both hours. */
export const paidOrderSummaries = (database: Database): SummarySource<PaidOrders> => ({
  kind: 'paid orders',
  settlesAfterMs: SETTLES_AFTER_MS,
  summarize: (orgId, hours) => summarize(database, orgId, hours),
})

async function summarize(database: Database, orgId: OrgId, hours: readonly Hour[]): Promise<PaidOrders[]> {
  const [from, to] = [firstOf(hours).from, lastOf(hours).to]
  const paid = await listSubjectsOf(database, orgId, { type: orderEvents.paid.name, from, to })
  const ids = [...new Set(paid.map(({ subject }) => subject))]
  const rows = ids.length === 0 ? [] : await listAmountsPaid(database, orgId, ids)
  const amounts = new Map(rows.map(({ id, amount_paid }) => [id, amount_paid]))
  return hours.map((hour) => {
    const within = paid.filter(({ id }) => startOfHour(idTime(id).getTime()) === hour.from.getTime())
    const orders = [...new Set(within.map(({ subject }) => subject))]
    return { count: orders.length, sum: orders.reduce((sum, id) => sum + (amounts.get(id) ?? 0), 0) }
  })
}

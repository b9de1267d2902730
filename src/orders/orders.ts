import type { OrganizationProfiles } from '../accounts/organizations/organizations.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Payments } from '../payments/payments.ts'
import type { PaymentFollower } from '../payments/payments-context.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Job } from '../platform/outbox/job.ts'
import { bookRoutes } from './books/books.routes.ts'
import { settlementRoutes } from './books/settlements.routes.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { refuseDocument } from './documents/documents.ts'
import { createDraftFromCart, type DraftFromCart } from './orders/cart-drafts.ts'
import { createOrderFollower } from './orders/locked-order.ts'
import { orderActionRoutes } from './orders/order-actions.routes.ts'
import { createDueJob } from './orders/order-due.ts'
import { presentWithPayment } from './orders/order-view.ts'
import { createOrderWriter } from './orders/order-writer.ts'
import { createExpireJob } from './orders/orders.jobs.ts'
import { orderRoutes } from './orders/orders.routes.ts'
import type { OrderView } from './orders/orders.schemas.ts'
import type { OrdersParts } from './orders/orders.ts'
import type { FindChat, Order, OrdersContext } from './orders-context.ts'
import { paymentLinkRoutes } from './payment-links/payment-links.routes.ts'
import { proofRoutes } from './proofs/proofs.routes.ts'
import { statementRoutes } from './statements/statements.routes.ts'

/**
 * The orders capability, as the app wiring creates it.
 *
 *   POST /orders ─▶ draft (everything that can be refused) ─▶ group commit: order, attempt, events, outbox ─▶ payable
 *   a payment changes ─▶ follower, in the same transaction: sums, payment_status, order ─▶ events
 */
export type OrdersOptions = {
  database: Database
  clock: Clock
  profiles: OrganizationProfiles
  payments: Payments
  /** Finds no chat by default. */
  findChat?: FindChat
  /** Finds no number by default. */
  findShopPhone?: OrdersContext['findShopPhone']
  /** Without it, no number is connected. */
  sendDocument?: OrdersContext['sendDocument']
  /** Shorter in tests. */
  answerTimeoutMs?: number
  /** Called for every order that is created or changed, in that transaction. `before` is null for a new order. */
  onOrderMoved?: OrdersContext['onOrderMoved']
}

export type Orders = {
  context: OrdersContext
  writer: OrdersParts['writer']
  follower: PaymentFollower
  jobs: Job[]
  /** Creates a draft from an inbound cart, in the caller's transaction. */
  createDraftFromCart(tx: Tx, orgId: OrgId, cart: DraftFromCart): Promise<Order>
  /** Shows an order as the API does, for messages and pages. */
  presentOrder(queries: Queries, order: Order): Promise<OrderView>
  start(): Promise<void>
  stop(): Promise<void>
}

export const allOrderRoutes = (parts: OrdersParts): Route[] => [
  ...orderRoutes(parts),
  ...orderActionRoutes(parts.context),
  ...documentRoutes(parts.context),
  ...paymentLinkRoutes(parts),
  ...bookRoutes(parts.context),
  ...settlementRoutes(parts.context),
  ...statementRoutes(parts.context),
  ...proofRoutes(parts.context),
]

const ANSWER_TIMEOUT_MS = 12_000

export function createOrders(options: OrdersOptions): Orders {
  const { database, clock, profiles, payments, onOrderMoved = async () => {}, findChat = async () => null } = options
  const answerTimeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  const { findShopPhone = async () => null, sendDocument = refuseDocument } = options
  const context: OrdersContext = {
    ...{ database, clock, profiles, payments, findChat, answerTimeoutMs, onOrderMoved },
    ...{ findShopPhone, sendDocument },
  }
  const writer = createOrderWriter(context)
  return {
    context,
    writer,
    follower: createOrderFollower(context),
    jobs: [createExpireJob(context), createDueJob(context)],
    createDraftFromCart: (tx, orgId, cart) => createDraftFromCart(context, tx, orgId, cart),
    presentOrder: (queries, order) => presentWithPayment(context, queries, order),
    async start() {},
    stop: () => writer.drain(),
  }
}

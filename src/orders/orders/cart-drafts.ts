import { z } from 'zod'
import { recordEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import { soundText } from '../../kernel/text.ts'
import type { MessageRow } from '../../messaging/messages/messages.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { listByRetailerId } from '../../products/products.ts'
import { orderEvents } from '../orders.events.ts'
import type { Order, OrdersContext } from '../orders-context.ts'
import { taxOf } from './order-products.ts'
import { presentOrder } from './order-view.ts'
import { flagOrder, insertOrders, lockCounter, type OrderRow, saveCounter } from './orders.sql.ts'
import { computeTotals, type ItemInput } from './totals.ts'

/**
 * Turns each cart that a customer sends from a catalogue into one draft order, and links the message to it.
 *
 *   the message is stored ──▶ an outbox entry in the same transaction ──▶ orders.draft_from_cart: draft + link, one transaction
 *
 * The link makes a second run harmless: a message that has an order gets no other. A cart that cannot become an order
 * (another currency, prices that are not whole rupiah) stays a message in the chat for staff to answer.
 *
 * Items whose retailer id is that of a product get its sku, name, price and tax. A catalogue at Meta may show an older price,
 * so a draft with another price than the cart needs review.
 */
export type CartDraftsOptions = {
  database: Database
  orders: { createDraftFromCart(tx: Tx, orgId: OrgId, cart: DraftFromCart): Promise<Order> }
  messaging: Pick<Messaging, 'findMessage' | 'linkToOrder'>
  clock: Clock
  /** Finds the sender; the phone in E.164. */
  findContact(queries: Queries, orgId: OrgId, id: string): Promise<{ name: string | null; phone: string | null } | null>
  log: Log
  /** Wakes the outbox for lanes with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type CartDrafts = {
  /** For createMessaging: called in the transaction that stores the cart. */
  onCartReceived(tx: Tx, orgId: OrgId, messageId: Id<'msg'>): Promise<void>
  jobs: Job[]
}

const DRAFT_JOB = 'orders.draft_from_cart'
const RETRY = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000], jitter: 0.2 }

const laneOf = (orgId: OrgId) => `${orgId}:carts`

export const createCartDrafts = (options: CartDraftsOptions): CartDrafts => ({
  async onCartReceived(tx, orgId, messageId) {
    const laneId = laneOf(orgId)
    // The job calls no other system, so the lane needs neither a breaker nor an adaptive rate.
    await ensureLane(tx, { id: laneId, orgId, kind: 'carts', hasBreaker: false, isAdaptive: false })
    tx.atEnd(enqueue, { id: newId('job'), laneId, orgId, job: DRAFT_JOB, payload: { message: messageId } })
    tx.afterCommit(() => options.wake([orgId]))
  },
  jobs: [
    defineJob<{ message: string }>({
      name: DRAFT_JOB,
      payload: z.object({ message: z.string() }),
      retry: RETRY,
      async run({ orgId, payload }) {
        await draftFromCart(options, orgId, payload.message)
        return { kind: 'done', verdict: 'neutral' }
      },
    }),
  ],
})

async function draftFromCart(options: CartDraftsOptions, orgId: OrgId, messageId: string): Promise<void> {
  const { database, clock, log, messaging } = options
  const message = await messaging.findMessage(database, orgId, messageId)
  const cart = message && readCart(message)
  const items = cart && itemsOf(cart)
  if (message === null || cart === null || items === null) {
    log.info({ org_id: orgId, message_id: messageId }, 'a cart cannot become an order')
    return
  }
  const orderId = newId('ord', clock.now())
  await database.transaction(async (tx) => {
    // This locks the chat, which every transaction locks before the event counter.
    const isLinked = await messaging.linkToOrder(tx, orgId, { messageId, orderId })
    if (isLinked) await createDraft(options, tx, orgId, { orderId, message, cart, items })
  })
}

const cartSchema = z.object({
  catalog_id: z.string().nullish(),
  text: z.string().nullish(),
  product_items: z.array(
    z.object({
      product_retailer_id: z.string(),
      quantity: z.number(),
      item_price: z.number(),
      currency: z.string(),
    }),
  ),
})

type Cart = z.output<typeof cartSchema>

const readCart = ({ content }: MessageRow): Cart | null => cartSchema.safeParse(content.order).data ?? null

type CountedCart = { orderId: Id<'ord'>; message: MessageRow; cart: Cart; items: ItemInput[] }

async function createDraft(
  options: CartDraftsOptions,
  tx: Tx,
  orgId: OrgId,
  { orderId, message, cart, items }: CountedCart,
): Promise<void> {
  const { sender_id: senderId } = message
  const contactId = senderId !== null && isId('con', senderId) ? senderId : null
  const contact = contactId === null ? null : await options.findContact(tx, orgId, contactId)
  const draft: DraftFromCart = {
    id: orderId,
    ...(await matchProducts(tx, orgId, items)),
    customer: { name: contact?.name ?? null, phone: contact?.phone ?? null },
    contactId,
    chatId: message.chat_id,
    note: cart.text == null ? null : soundText(cart.text, NOTE_CHARACTERS_MAX),
    metadata: { cart_message: message.id, ...(cart.catalog_id != null && { catalog: cart.catalog_id }) },
  }
  await options.orders.createDraftFromCart(tx, orgId, draft)
}

const ITEMS_MAX = 100
const NOTE_CHARACTERS_MAX = 1000
const SKU_CHARACTERS_MAX = 100

/** Returns null when the cart cannot be counted in whole rupiah. A cart has no product names, so the product code is the name. */
function itemsOf({ product_items: lines }: Cart): ItemInput[] | null {
  const isCountable = lines.every(
    ({ currency, item_price, quantity }) =>
      currency === 'IDR' &&
      Number.isSafeInteger(item_price) &&
      item_price >= 0 &&
      Number.isSafeInteger(quantity) &&
      quantity > 0,
  )
  if (!isCountable || lines.length === 0 || lines.length > ITEMS_MAX) return null
  const items = lines.map(({ product_retailer_id: code, quantity, item_price }) => {
    const sku = soundText(code, SKU_CHARACTERS_MAX)
    return { sku, name: sku === '' ? '-' : sku, quantity, unit_price: item_price }
  })
  return computeTotals({ items }).ok ? items : null
}

type MatchedItems = Pick<DraftFromCart, 'items' | 'hasOtherPrices'>

/** The items as the catalogue has them. An item of no product, and a cart that could not be counted so, stay as they are. */
async function matchProducts(tx: Tx, orgId: OrgId, given: readonly ItemInput[]): Promise<MatchedItems> {
  const rows = await listByRetailerId(
    tx,
    orgId,
    given.flatMap(({ sku }) => sku || []),
  )
  const products = new Map(rows.map((row) => [row.retailer_id, row]))
  const items = given.map((item) => {
    const product = products.get(item.sku ?? '')
    if (product === undefined) return item
    return { ...item, sku: product.sku, name: product.name, unit_price: product.price, tax: taxOf(product) }
  })
  if (!computeTotals({ items }).ok) return { items: given, hasOtherPrices: true }
  return { items, hasOtherPrices: items.some(({ unit_price }, index) => unit_price !== given[index]?.unit_price) }
}

/**
 * Creates a draft order from a customer's cart: numbered, with its items and its chat, and not payable until an attempt is
 * opened. The prices come from products or the cart, so staff check them before the customer pays.
 */
export type DraftFromCart = {
  id?: Id<'ord'>
  items: readonly ItemInput[]
  /** The customer saw other prices in the catalogue. */
  hasOtherPrices?: boolean
  customer: { name: string | null; phone: string | null }
  contactId: Id<'con'> | null
  chatId: Id<'chat'> | null
  note: string | null
  metadata?: Record<string, string>
}

/** Throws when the cart cannot be counted. The cart then stays a message without an order. */
export async function createDraftFromCart(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  cart: DraftFromCart,
): Promise<Order> {
  const result = computeTotals({ items: cart.items })
  if (!result.ok) throw new Error(`the cart cannot be counted: ${result.problem.detail}`)
  const number = (await lockCounter(tx, orgId)) + 1
  const nowMs = context.clock.now()
  const now = new Date(nowMs)
  const order: OrderRow = {
    org_id: orgId,
    id: cart.id ?? newId('ord', nowMs),
    number,
    status: 'draft',
    billing_type: null,
    choice_methods: null,
    choice_expires_at: null,
    customer_name: cart.customer.name,
    customer_phone: cart.customer.phone,
    contact_id: cart.contactId,
    chat_id: cart.chatId,
    ...result.totals,
    unique_amount: 0,
    payment_status: 'unpaid',
    amount_paid: 0,
    amount_returned: 0,
    amount_remaining: result.totals.total,
    accepted_at: null,
    payment_id: null,
    payment_link_id: null,
    is_checkout: false,
    review_reasons: cart.hasOtherPrices ? ['price_mismatch'] : [],
    review_since: cart.hasOtherPrices ? now : null,
    notify: true,
    reference: null,
    note: cart.note,
    metadata: cart.metadata ?? {},
    delivery: null,
    due_at: null,
    overdue_at: null,
    created_at: now,
    updated_at: now,
  }
  await Promise.all([saveCounter(tx, orgId, number), insertOrders(tx, orgId, [order])])
  if (cart.hasOtherPrices) await flagOrder(tx, orgId, order)
  await context.onOrderMoved(tx, order, null)
  const data = presentOrder(context.payments.context, order, { payment: null, refunds: [] })
  const actor = cart.contactId === null ? undefined : { type: 'contact' as const, id: cart.contactId }
  const about = { subject: order.id, data, ...(actor && { actor }) }
  const flagged = cart.hasOtherPrices ? [{ type: orderEvents.needsReview, ...about }] : []
  await recordEvents(tx, orgId, [{ type: orderEvents.created, ...about }, ...flagged], nowMs)
  return order
}

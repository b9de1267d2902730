import { z } from 'zod'
import type { Event } from '../events/events.ts'
import type { Follower } from '../events/followers.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../kernel/ids.ts'
import { soundText } from '../kernel/sound-text.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { DraftFromCart } from './order-drafts.ts'
import type { Orders } from './orders.ts'
import { computeTotals, type ItemInput } from './totals.ts'

/**
 * A cart that a customer sends from a catalogue becomes a draft, in the transaction that moves the follower on: one draft
 * for each cart, whatever is delivered twice, and the message says which. A cart that is no order (another currency, prices that are not whole rupiah)
 * stays a message in the chat, for people to answer.
 */
export type CartFollowerOptions = {
  orders: Pick<Orders, 'createDraftFromCart'>
  messaging: Pick<Messaging, 'linkToOrders'>
  clock: Clock
  /** Who sent it; the phone in E.164. */
  findContact(queries: Queries, orgId: OrgId, id: string): Promise<{ name: string | null; phone: string | null } | null>
  log: Log
}

const CART_FOLLOWER = 'orders.carts'

export const createCartFollower = (options: CartFollowerOptions): Follower => ({
  name: CART_FOLLOWER,
  async handle(tx, orgId, events) {
    const carts = events
      .flatMap((event) => readCart(event) ?? [])
      .flatMap((message) => countCart(options, orgId, message))
    // Chats are locked before the counter of events is taken, which at the latest is at the end.
    await options.messaging.linkToOrders(
      tx,
      orgId,
      carts.map(({ orderId, message }) => ({ orderId, messageId: message.id })),
    )
    for (const cart of carts) await draft(options, tx, orgId, cart)
  },
})

type CountedCart = { orderId: Id<'ord'>; message: CartMessage; items: ItemInput[] }

function countCart({ clock, log }: CartFollowerOptions, orgId: OrgId, message: CartMessage): CountedCart[] {
  const items = itemsOf(message)
  if (items !== null) return [{ orderId: newId('ord', clock.now()), message, items }]
  log.info({ org_id: orgId, message_id: message.id }, 'a cart cannot be made into an order')
  return []
}

const cartMessage = z.object({
  id: z.string(),
  chat_id: z.string(),
  type: z.literal('order'),
  sender: z.object({ id: z.string().nullable() }),
  order: z.object({
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
  }),
})

type CartMessage = z.output<typeof cartMessage>

/** Most events are something else, and told apart without reading them. */
function readCart({ type, is_test, body }: Event): CartMessage | null {
  if (type !== 'message.received' || is_test || !body.includes('"type":"order"')) return null
  const read = cartMessage.safeParse((JSON.parse(body) as { data: unknown }).data)
  return read.success ? read.data : null
}

async function draft(
  options: CartFollowerOptions,
  tx: Tx,
  orgId: OrgId,
  { orderId, message, items }: CountedCart,
): Promise<void> {
  const { sender, chat_id: chatId, order } = message
  const contactId = sender.id !== null && isId('con', sender.id) ? sender.id : null
  const contact = contactId === null ? null : await options.findContact(tx, orgId, contactId)
  const cart: DraftFromCart = {
    id: orderId,
    items,
    customer: { name: contact?.name ?? null, phone: contact?.phone ?? null },
    contactId: contactId as Id<'con'> | null,
    chatId: isId('chat', chatId) ? (chatId as Id<'chat'>) : null,
    note: order.text == null ? null : soundText(order.text, NOTE_CHARACTERS_MAX),
    metadata: { cart_message: message.id, ...(order.catalog_id != null && { catalog: order.catalog_id }) },
  }
  await options.orders.createDraftFromCart(tx, orgId, cart)
}

const ITEMS_MAX = 100
const NOTE_CHARACTERS_MAX = 1000
const SKU_CHARACTERS_MAX = 100

/** Null where it cannot be counted in whole rupiah. A catalogue tells no names, so the code of a product stands for it. */
function itemsOf({ order }: CartMessage): ItemInput[] | null {
  const { product_items: lines } = order
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

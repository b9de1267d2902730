import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { aText } from '../../../test/support/messaging.ts'
import { useShop } from '../../../test/support/shop.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useShop()

const aCart = (items: [string, number, number, string?][], fields: Record<string, unknown> = {}) =>
  aText({
    content: {
      type: 'order',
      body: 'Tolong dibungkus',
      order: {
        catalog_id: '100000000000001',
        text: 'Tolong dibungkus',
        product_items: items.map(([product_retailer_id, quantity, item_price, currency = 'IDR']) => ({
          product_retailer_id,
          quantity,
          item_price,
          currency,
        })),
      },
    },
    ...fields,
  })

const ordersOf = async (orgId: OrgId) => (await shop.call(orgId, 'GET', '/orders')).json.data
test('a cart becomes one draft of its chat when the network reports it twice', async () => {
  const orgId = await shop.aShop()
  const cart = aCart([
    ['KOPI', 2, 18_000],
    ['ROTI', 1, 12_000],
  ])
  await shop.report(orgId, [cart])
  await shop.report(orgId, [cart])
  await until(async () => (await ordersOf(orgId)).length > 0)
  await shop.settle()
  const [order, ...others] = await ordersOf(orgId)
  expect(others).toEqual([])
  const { json: chat } = await shop.call(orgId, 'GET', '/chats/+6281234567890')
  expect(order).toMatchObject({
    status: 'draft',
    chat_id: chat.id,
    customer: { name: 'Sari', phone: '+6281234567890', contact_id: chat.contact.id },
    total: 48_000,
    note: 'Tolong dibungkus',
    payment: null,
    metadata: { catalog: '100000000000001', cart_message: chat.messages.data[0].id },
  })
  await shop.settle()
  const { json: shown } = await shop.call(orgId, 'GET', '/chats/+6281234567890')
  expect(shown.messages.data[0]).toMatchObject({ type: 'order', direction: 'inbound', order_id: order.id })
  expect(shown.open_order).toEqual({
    ...{ id: order.id, number: order.number, total: 48_000 },
    ...{ payment_status: 'unpaid', expires_at: null },
  })
  expect(order.items[0]).toEqual({ sku: 'KOPI', name: 'KOPI', quantity: 2, unit_price: 18_000, subtotal: 36_000 })
})

test('a cart gets names and prices from products by their retailer id, and is flagged when it had another price', async () => {
  const orgId = await shop.aShop()
  const kopi = { sku: 'KOPI-1', retailer_id: 'meta-1', name: 'Kopi susu', price: 18_000, stock: 5, tax_rate: 11 }
  const { json: product } = await shop.call(orgId, 'POST', '/products', { json: kopi })
  const stock = async () => (await shop.call(orgId, 'GET', `/products/${product.id}`)).json.stock
  await shop.report(orgId, [
    aCart([['meta-1', 2, 18_000]]),
    aCart([
      ['meta-1', 2, 17_000],
      ['LAIN', 1, 500],
    ]),
  ])
  await until(async () => (await ordersOf(orgId)).length === 2)
  await shop.settle()
  const [flagged, same] = await ordersOf(orgId)
  expect(same).toMatchObject({ total: 36_000, tax_included: 3568, needs_review: null })
  expect(same.items[0]).toMatchObject({ sku: 'KOPI-1', name: 'Kopi susu', unit_price: 18_000 })
  expect(flagged).toMatchObject({ total: 36_500, needs_review: { reasons: ['price_mismatch'] } })
  expect(await stock()).toBe(5)
  const pay = (id: string) => shop.call(orgId, 'POST', `/orders/${id}/payments`, { json: { method: 'qris' } })
  expect([(await pay(same.id)).status, await stock()]).toEqual([201, 3])
  const review = { json: { decision: 'accept' } }
  const accepted = await shop.call(orgId, 'POST', `/orders/${flagged.id}/review`, review)
  expect([accepted.json.status, accepted.json.needs_review]).toEqual(['draft', null])
  await shop.call(orgId, 'PATCH', `/products/${product.id}`, { json: { stock: 1 } })
  expect((await pay(flagged.id)).json.code).toBe('out_of_stock')
  expect((await shop.call(orgId, 'GET', `/orders/${flagged.id}`)).json.status).toBe('draft')
})

test('a draft sends payment instructions to its own chat when an attempt is opened', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [aCart([['KOPI', 1, 18_000]])])
  await until(async () => (await ordersOf(orgId)).length > 0)
  const [draft] = await ordersOf(orgId)
  expect((await shop.call(orgId, 'POST', `/orders/${draft.id}/payments`, { json: { method: 'qris' } })).status).toBe(
    201,
  )
  await shop.settle()
  const [message] = await shop.messagesTo(orgId, '+6281234567890')
  expect(message).toMatchObject({ type: 'image', order_id: draft.id, chat_id: draft.chat_id })
})

test('a draft with a total of 0 is processed without a payment, like a free order', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [aCart([['SAMPLE', 1, 0]]), aCart([['GIFT', 2, 0]])])
  await until(async () => (await ordersOf(orgId)).length === 2)
  for (const [index, act] of ['process', 'complete'].entries()) {
    const draft = (await ordersOf(orgId))[index]
    const paying = await shop.call(orgId, 'POST', `/orders/${draft.id}/payments`, { json: { method: 'qris' } })
    expect([paying.status, paying.json.code]).toEqual([409, 'order_not_payable'])
    expect(paying.json.detail).toContain('/complete')
    const { json } = await shop.call(orgId, 'POST', `/orders/${draft.id}/${act}`)
    expect(json).toMatchObject({ billingType: 'free', payment_status: 'paid', total: 0, payment: null })
    expect(json.status).toBe(act === 'process' ? 'processing' : 'completed')
  }
  await shop.settle()
  expect((await shop.call(orgId, 'GET', '/chats/+6281234567890')).json.open_order).toBeNull()
  const events = await shop.database.many<{ type: string }>`
    select type from events where org_id = ${orgId} and type like 'order.%' order by sequence`
  expect(events.map(({ type }) => type).slice(-3)).toEqual(['order.paid', 'order.paid', 'order.completed'])
})

test('a draft with a total is not completed before an attempt is opened', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [aCart([['KOPI', 1, 18_000]])])
  await until(async () => (await ordersOf(orgId)).length > 0)
  const [draft] = await ordersOf(orgId)
  const refused = await shop.call(orgId, 'POST', `/orders/${draft.id}/complete`)
  expect([refused.status, refused.json.code]).toEqual([409, 'order_not_completable'])
})

test('a cart stays a message and delays no other cart when it cannot be counted in whole rupiah', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [
    aCart([['TEE', 1, 9.5, 'USD']]),
    aCart([['KOPI', 1, 18_000.5]]),
    aCart([]),
    aCart([['HUGE', 9_000_000, 9_000_000_000_000]]),
    aCart([['KOPI', 1, 18_000]]),
  ])
  await until(async () => (await ordersOf(orgId)).length > 0)
  await shop.settle()
  expect((await ordersOf(orgId)).map(({ total }: { total: number }) => total)).toEqual([18_000])
})

test('several carts of one customer each link to their own order, and the chat shows the newest until it is cancelled', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [aCart([['KOPI', 1, 18_000]]), aCart([['ROTI', 1, 12_000]]), aCart([['TEH', 1, 9_000]])])
  await until(async () => (await ordersOf(orgId)).length === 3)
  await shop.settle()
  const [newest, ...others] = await ordersOf(orgId)
  const { json: chat } = await shop.call(orgId, 'GET', '/chats/+6281234567890')
  const byMessage = Object.fromEntries(
    chat.messages.data.map(({ id, order_id }: Record<string, string>) => [id, order_id]),
  )
  for (const order of [newest, ...others]) expect(byMessage[order.metadata.cart_message]).toBe(order.id)
  expect(chat.open_order.id).toBe(newest.id)
  await shop.call(orgId, 'POST', `/orders/${newest.id}/cancel`)
  await shop.settle()
  const { json: after } = await shop.call(orgId, 'GET', '/chats/+6281234567890')
  expect(after.open_order.id).toBe(others[0].id)
  expect(await shop.messagesTo(orgId, '+6281234567890')).toEqual([])
})

test('a text that is too long for an order is cut between characters and delays no other cart', async () => {
  const orgId = await shop.aShop()
  const text = `${'a'.repeat(999)}🍜🍜`
  const content = {
    type: 'order',
    body: text,
    order: {
      catalog_id: '100000000000001',
      text,
      product_items: [
        { product_retailer_id: `${'b'.repeat(99)}🍜🍜`, quantity: 1, item_price: 1_000, currency: 'IDR' },
      ],
    },
  }
  await shop.report(orgId, [aCart([['LONG', 1, 1_000]], { content })])
  await until(async () => (await ordersOf(orgId)).length === 1)
  await shop.settle()
  const [order] = await ordersOf(orgId)
  const { body } = await shop.database.one<{ body: string }>`
    select body from events where org_id = ${orgId} and type = 'order.created'`
  const { data } = JSON.parse(body)
  for (const { note, items } of [order, data]) {
    expect([note.isWellFormed(), [...note].length]).toEqual([true, 1000])
    expect([items[0].sku.isWellFormed(), [...items[0].sku].length]).toEqual([true, 100])
  }
  expect(data.note).toBe(order.note)
})

test('a cart becomes a draft after an upgrade when the follower of the older version had not reached it', async () => {
  const orgId = await shop.aShop()
  await shop.report(orgId, [aCart([['KOPI', 1, 18_000]])])
  await until(async () => (await ordersOf(orgId)).length === 1)
  // As the older version left it: the message and its event, no draft, and a follower that is one event behind.
  await shop.database.run`update messages set order_id = null where org_id = ${orgId} and type = 'order'`
  await shop.database.run`delete from outbox_lanes where kind = 'carts'`
  await shop.database.script('create table event_followers (org_id text, follower text, last_sequence bigint)')
  await shop.database.run`
    insert into event_followers (org_id, follower, last_sequence)
    select org_id, 'orders.carts', sequence - 1 from events where org_id = ${orgId} and type = 'message.received'`
  await shop.database.script(readFileSync('migrations/earlier/0043_cart_drafts.sql', 'utf8'))
  await shop.settle()
  const drafted = await ordersOf(orgId)
  expect(drafted.map(({ total, status }: Record<string, unknown>) => [total, status])).toEqual([
    [18_000, 'draft'],
    [18_000, 'draft'],
  ])
})

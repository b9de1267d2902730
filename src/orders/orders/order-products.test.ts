import { describe, expect, test } from 'bun:test'
import { casesOf, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useOrders()
const { remoteOrg } = casesOf(shop)

const kopi = { sku: 'KOPI-1', name: 'Kopi susu', price: 18_000 }

async function aProduct(orgId: OrgId, fields: Record<string, unknown> = {}): Promise<Json> {
  const { json } = await shop.call(orgId, 'POST', '/products', { json: { ...kopi, ...fields } })
  return json
}
const order = (orgId: OrgId, items: unknown[], fields: Record<string, unknown> = {}) =>
  shop.call(orgId, 'POST', '/orders', { json: { billingType: 'qris', items, ...fields } })
const stockOf = async (orgId: OrgId, { id }: Json) => (await shop.call(orgId, 'GET', `/products/${id}`)).json.stock
const eventsOf = async (orgId: OrgId, type: string) => (await shop.eventTypes(orgId)).filter((name) => name === type)

describe('an item with the sku of a product', () => {
  test('gets its name and price from the product, unless the request gives them', async () => {
    const orgId = await shop.anOrg()
    await aProduct(orgId)
    const { status, json } = await order(orgId, [
      { sku: 'KOPI-1', quantity: 2 },
      { sku: 'KOPI-1', name: 'Kopi untuk langganan', quantity: 1, unit_price: 15_000 },
      { sku: 'LAIN', name: 'Tanpa produk', quantity: 1, unit_price: 1000 },
    ])
    expect(status).toBe(201)
    expect(json.items).toEqual([
      { sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18_000, subtotal: 36_000 },
      { sku: 'KOPI-1', name: 'Kopi untuk langganan', quantity: 1, unit_price: 15_000, subtotal: 15_000 },
      { sku: 'LAIN', name: 'Tanpa produk', quantity: 1, unit_price: 1000, subtotal: 1000 },
    ])
    expect([json.total, json.tax, json.tax_included]).toEqual([52_000, 0, 0])
  })

  test('keeps its price when the product gets another one, until an edit of the items replaces the open payment', async () => {
    const orgId = await remoteOrg()
    const product = await aProduct(orgId)
    const { json: before } = await order(orgId, [{ sku: 'KOPI-1', quantity: 2 }])
    await shop.call(orgId, 'PATCH', `/products/${product.id}`, { json: { price: 20_000 } })
    const kept = await shop.getOrder(orgId, before.id)
    expect([kept.total, kept.payment.id, kept.payment.status]).toEqual([36_000, before.payment.id, 'pending'])
    const edit = (json: unknown) => shop.call(orgId, 'PATCH', `/orders/${before.id}`, { json })
    expect((await edit({ note: 'Tanpa gula' })).json).toMatchObject({
      total: 36_000,
      payment: { id: before.payment.id },
    })
    const repriced = await edit({ items: [{ sku: 'KOPI-1', quantity: 2 }] })
    expect([repriced.status, repriced.json.total, repriced.json.amount_remaining]).toEqual([200, 40_000, 40_000])
    const attempts = repriced.json.payments.map(({ status, amount }: Json) => [status, amount])
    expect(attempts).toEqual([
      ['cancelled', 36_000],
      ['pending', 40_000],
    ])
    // The customer pays the code with the old price: the difference remains.
    await shop.sendNotice(orgId, paid(before.payment))
    expect(await shop.getOrder(orgId, before.id)).toMatchObject({
      ...{ status: 'pending_payment', payment_status: 'partially_paid', amount_remaining: 4000 },
    })
  })

  test('is refused when no product has the sku and the price is left out, or when the product is inactive', async () => {
    const orgId = await shop.anOrg()
    await aProduct(orgId, { sku: 'LAMA', active: false })
    const unknown = await order(orgId, [
      { name: 'Roti', quantity: 1, unit_price: 1 },
      { sku: 'X', quantity: 1 },
    ])
    expect([unknown.status, unknown.json.code]).toEqual([409, 'value_refused'])
    expect(unknown.json.errors).toMatchObject([{ pointer: '#/items/1/sku', code: 'product_unknown' }])
    const inactive = await order(orgId, [{ sku: 'LAMA', quantity: 1 }])
    expect([inactive.status, inactive.json.code, inactive.json.params.sku]).toEqual([409, 'product_inactive', 'LAMA'])
    const bare = await order(orgId, [{ quantity: 1 }, { sku: '', quantity: 1, name: 'Roti' }])
    expect(bare.status).toBe(422)
    expect(bare.json.errors.map(({ pointer }: Json) => pointer)).toEqual([
      ...['#/items/0/name', '#/items/0/unit_price', '#/items/1/unit_price'],
    ])
    expect(await eventsOf(orgId, 'order.created')).toEqual([])
  })

  test('is not found among the products of another organization', async () => {
    await aProduct(await shop.anOrg())
    expect((await order(await shop.anOrg(), [{ sku: 'KOPI-1', quantity: 1 }])).json.code).toBe('value_refused')
  })
})

describe('the tax of products', () => {
  test('is contained in inclusive prices and added to exclusive ones, and the totals add up', async () => {
    const orgId = await shop.anOrg()
    await aProduct(orgId, { price: 25_000, tax_rate: 11, tax_included: true })
    await aProduct(orgId, { sku: 'JASA', price: 100_000, tax_rate: 11, tax_included: false })
    const inclusive = (await order(orgId, [{ sku: 'KOPI-1', quantity: 1 }])).json
    expect([inclusive.subtotal, inclusive.tax, inclusive.tax_included, inclusive.total]).toEqual([
      ...[25_000, 0, 2477, 25_000],
    ])
    const both = (
      await order(orgId, [
        { sku: 'KOPI-1', quantity: 1 },
        { sku: 'JASA', quantity: 1 },
      ])
    ).json
    expect([both.subtotal, both.tax, both.tax_included, both.total]).toEqual([125_000, 11_000, 2477, 136_000])
    const given = (await order(orgId, [{ sku: 'JASA', quantity: 1 }], { tax: 500 })).json
    expect([given.tax, given.tax_included, given.total]).toEqual([500, 0, 100_500])
    const wrong = await order(orgId, [{ sku: 'JASA', quantity: 1 }], { amount: 100_000 })
    expect(wrong.json.errors[0]).toMatchObject({ code: 'total_mismatch', params: { total: 111_000 } })
  })
})

describe('counted stock', () => {
  test('is taken by an order, and the refusal of the next one says what is left', async () => {
    const orgId = await shop.anOrg()
    const product = await aProduct(orgId, { stock: 5 })
    await order(orgId, [{ sku: 'KOPI-1', quantity: 2 }])
    expect(await stockOf(orgId, product)).toBe(3)
    const items = [
      { sku: 'KOPI-1', quantity: 2 },
      { sku: 'KOPI-1', name: 'Lain', unit_price: 1, quantity: 2 },
    ]
    const refused = await order(orgId, items, { reference: 'WEB-1' })
    expect([refused.status, refused.json.code]).toEqual([409, 'out_of_stock'])
    expect(refused.json.params.items).toEqual([{ product_id: product.id, sku: 'KOPI-1', quantity: 4, left: 3 }])
    expect(await stockOf(orgId, product)).toBe(3)
    const accepted = await order(orgId, [{ sku: 'KOPI-1', quantity: 3 }], { reference: 'WEB-1' })
    expect([accepted.status, accepted.json.number]).toEqual([201, '1002'])
    expect(await eventsOf(orgId, 'product.out_of_stock')).toHaveLength(1)
  })

  test('of the last piece goes to one of several orders that race for it', async () => {
    const orgId = await shop.anOrg()
    const [one, other] = [await aProduct(orgId, { stock: 1 }), await aProduct(orgId, { sku: 'ROTI', stock: 8 })]
    const items = [
      { sku: 'ROTI', quantity: 1 },
      { sku: 'KOPI-1', quantity: 1 },
    ]
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => order(orgId, nth % 2 ? items : items.toReversed())),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status, json }) => status === 409 && json.code === 'out_of_stock')).toHaveLength(7)
    expect([await stockOf(orgId, one), await stockOf(orgId, other)]).toEqual([0, 7])
  })

  test('returns once when the order is cancelled or expires, and not by a refund', async () => {
    const orgId = await shop.anOrg(['simulator', 'manual'])
    const product = await aProduct(orgId, { stock: 10 })
    const item = [{ sku: 'KOPI-1', quantity: 2 }]
    const cancelled = (await order(orgId, item, { billingType: 'cash' })).json
    const refunded = (await order(orgId, item, { billingType: 'cash' })).json
    const expired = (await order(orgId, item, { payment: { expires_in_seconds: 600 } })).json
    expect(await stockOf(orgId, product)).toBe(4)
    for (let times = 0; times < 2; times++) await shop.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
    expect(await stockOf(orgId, product)).toBe(6)
    await shop.call(orgId, 'POST', `/orders/${refunded.id}/mark-paid`, { json: {} })
    await shop.call(orgId, 'POST', `/orders/${refunded.id}/refunds`, { json: { manual: true, note: 'tunai' } })
    expect((await shop.getOrder(orgId, refunded.id)).payment_status).toBe('refunded')
    expect(await stockOf(orgId, product)).toBe(6)
    await shop.advance(3600)
    expect((await shop.getOrder(orgId, expired.id)).status).toBe('expired')
    expect(await stockOf(orgId, product)).toBe(8)
  })

  test('goes below 0 and flags the order when late money confirms it after its pieces were sold', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const product = await aProduct(orgId, { stock: 1 })
    const late = (await order(orgId, [{ sku: 'KOPI-1', quantity: 1 }], { payment: { expires_in_seconds: 60 } })).json
    await shop.advance(61)
    expect([(await shop.getOrder(orgId, late.id)).status, await stockOf(orgId, product)]).toEqual(['expired', 1])
    await order(orgId, [{ sku: 'KOPI-1', quantity: 1 }])
    await shop.sendNotice(orgId, paid(late.payment))
    const after = await shop.getOrder(orgId, late.id)
    expect([after.status, after.payment_status, after.needs_review.reasons]).toEqual([
      ...['confirmed', 'paid', ['out_of_stock']],
    ])
    expect(await stockOf(orgId, product)).toBe(-1)
    await shop.call(orgId, 'POST', `/orders/${late.id}/cancel`)
    expect(await stockOf(orgId, product)).toBe(0)
  })

  test('follows an edit of the items, which is refused when there are too few', async () => {
    const orgId = await shop.anOrg()
    const product = await aProduct(orgId, { stock: 5, tax_rate: 11, tax_included: false })
    const { json } = await order(orgId, [{ sku: 'KOPI-1', quantity: 2 }])
    const edit = (items: unknown) => shop.call(orgId, 'PATCH', `/orders/${json.id}`, { json: { items } })
    const more = await edit([{ sku: 'KOPI-1', quantity: 5 }])
    expect([more.status, more.json.total, more.json.tax]).toEqual([200, 99_900, 9900])
    expect(await stockOf(orgId, product)).toBe(0)
    const refused = await edit([{ sku: 'KOPI-1', quantity: 6 }])
    expect([refused.json.code, refused.json.params.items[0].left]).toEqual(['out_of_stock', 5])
    expect((await shop.getOrder(orgId, json.id)).payment.status).toBe('pending')
    await edit([{ name: 'Roti', quantity: 1, unit_price: 5000 }])
    expect(await stockOf(orgId, product)).toBe(5)
  })

  test('is not touched by orders of products that are not counted, and survives a deleted product', async () => {
    const orgId = await shop.anOrg(['manual'])
    const uncounted = await aProduct(orgId)
    const counted = await aProduct(orgId, { sku: 'ROTI', stock: 1 })
    const { json } = await order(
      orgId,
      [
        { sku: 'KOPI-1', quantity: 500 },
        { sku: 'ROTI', quantity: 1 },
      ],
      { billingType: 'cash' },
    )
    expect(await stockOf(orgId, uncounted)).toBeNull()
    await shop.call(orgId, 'DELETE', `/products/${counted.id}`)
    expect((await shop.call(orgId, 'POST', `/orders/${json.id}/cancel`)).status).toBe(200)
  })
})

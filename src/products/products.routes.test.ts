import { describe, expect, test } from 'bun:test'
import { useOrders } from '../../test/support/orders.ts'
import type { OrgId } from '../kernel/ids.ts'

const shop = useOrders()

const kopi = { sku: 'KOPI-1', name: 'Kopi susu', price: 18_000 }

const post = (orgId: OrgId, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'POST', '/products', { json, headers })
const patch = (orgId: OrgId, id: string, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'PATCH', `/products/${id}`, { json, headers })

describe('POST /products', () => {
  test('creates a product from sku, name and price, with defaults for the other fields', async () => {
    const orgId = await shop.anOrg()
    const { status, json, headers } = await post(orgId, kopi)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...{ object: 'product', ...kopi, currency: 'IDR', tax_rate: null, tax_included: true, image_url: null },
      ...{ active: true, stock: null, retailer_id: 'KOPI-1', metadata: {} },
    })
    expect(json.id).toStartWith('prd_')
    expect(headers.get('location')).toBe(`/api/public/v1/products/${json.id}`)
    expect((await shop.call(orgId, 'GET', `/products/${json.id}`)).json).toEqual(json)
    expect(await shop.eventTypes(orgId)).toEqual(['product.created'])
  })

  test('refuses a sku or a retailer id that another product has, and names that product', async () => {
    const orgId = await shop.anOrg()
    const first = await post(orgId, { ...kopi, retailer_id: 'meta-1' })
    const sku = await post(orgId, { ...kopi, retailer_id: 'meta-2' })
    expect([sku.status, sku.json.code, sku.json.params.product_id]).toEqual([409, 'product_sku_taken', first.json.id])
    const retailer = await post(orgId, { ...kopi, sku: 'KOPI-2', retailer_id: 'meta-1' })
    expect([retailer.status, retailer.json.code]).toEqual([409, 'product_retailer_id_taken'])
    expect((await post(await shop.anOrg(), kopi)).status).toBe(201)
  })

  test('creates one product when two requests with one sku race', async () => {
    const orgId = await shop.anOrg()
    const replies = await Promise.all([post(orgId, kopi), post(orgId, kopi), post(orgId, kopi)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('creates once and replays the answer when an Idempotency-Key is repeated', async () => {
    const orgId = await shop.anOrg()
    const headers = { 'idempotency-key': 'p-1' }
    const [first, again] = [await post(orgId, kopi, headers), await post(orgId, kopi, headers)]
    expect(again.json).toEqual(first.json)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test.each([
    [{ ...kopi, price: 18_000.5 }, '#/price'],
    [{ ...kopi, price: -1 }, '#/price'],
    [{ ...kopi, sku: '  ' }, '#/sku'],
    [{ ...kopi, tax_rate: 11.005 }, '#/tax_rate'],
    [{ ...kopi, image_url: 'javascript:alert(1)' }, '#/image_url'],
    [{ ...kopi, stock: 1.5 }, '#/stock'],
    [{ sku: 'A', name: 'B' }, '#/price'],
    [{ ...kopi, prise: 1 }, '#/prise'],
  ])('refuses %j at %s', async (json, pointer) => {
    const reply = await post(await shop.anOrg(), json)
    expect([reply.status, reply.json.errors[0].pointer]).toEqual([422, pointer])
  })
})

describe('GET /products', () => {
  test('filters by name, sku, active and stock, and pages newest first', async () => {
    const orgId = await shop.anOrg()
    for (const [nth, fields] of [
      { stock: 0 },
      { stock: 3 },
      { active: false },
      { name: 'Roti 100%_\\ bakar' },
    ].entries())
      await post(orgId, { ...kopi, sku: `S-${nth}`, ...fields })
    const skus = async (query: string) =>
      (await shop.call(orgId, 'GET', `/products${query}`)).json.data.map(({ sku }: { sku: string }) => sku)
    expect(await skus('')).toEqual(['S-3', 'S-2', 'S-1', 'S-0'])
    expect(await skus('?q=SUSU')).toEqual(['S-2', 'S-1', 'S-0'])
    expect(await skus(`?q=${encodeURIComponent('100%_\\')}`)).toEqual(['S-3'])
    expect(await skus('?q=s-1')).toEqual(['S-1'])
    expect(await skus('?sku=S-2')).toEqual(['S-2'])
    expect(await skus('?active=false')).toEqual(['S-2'])
    expect(await skus('?in_stock=false')).toEqual(['S-0'])
    expect(await skus('?in_stock=true&active=true')).toEqual(['S-3', 'S-1'])
    const { json: page } = await shop.call(orgId, 'GET', '/products?limit=3')
    expect(await skus(`?limit=3&cursor=${page.next_cursor}`)).toEqual(['S-0'])
    expect((await shop.call(await shop.anOrg(), 'GET', '/products')).json.data).toEqual([])
  })
})

describe('PATCH and DELETE /products/{id}', () => {
  test('change the given fields, and record the old values', async () => {
    const orgId = await shop.anOrg()
    const { json: product } = await post(orgId, kopi)
    const { json } = await patch(orgId, product.id, { price: 20_000, sku: 'KOPI-A', stock: 5 })
    expect(json).toMatchObject({ price: 20_000, sku: 'KOPI-A', retailer_id: 'KOPI-A', stock: 5, name: 'Kopi susu' })
    expect(await shop.previousOf(orgId, 'product.updated')).toEqual({
      ...{ price: 18_000, sku: 'KOPI-1', retailer_id: 'KOPI-1', stock: null },
    })
    await patch(orgId, product.id, { price: 20_000 })
    expect(await shop.eventTypes(orgId)).toEqual(['product.created', 'product.updated'])
  })

  test('refuse a taken sku, another organization’s product, and a state that the caller did not see', async () => {
    const orgId = await shop.anOrg()
    const { json: one, headers } = await post(orgId, kopi)
    const { json: other } = await post(orgId, { ...kopi, sku: 'KOPI-2' })
    expect((await patch(orgId, other.id, { sku: 'KOPI-1' })).json.code).toBe('product_sku_taken')
    expect((await patch(await shop.anOrg(), one.id, { price: 1 })).status).toBe(404)
    expect(headers.get('etag')).toBeNull()
    const tag = (await shop.call(orgId, 'GET', `/products/${one.id}`)).headers.get('etag') as string
    expect((await patch(orgId, one.id, { price: 1 }, { 'if-match': tag })).status).toBe(200)
    expect((await patch(orgId, one.id, { price: 2 }, { 'if-match': tag })).status).toBe(412)
  })

  test('delete a product once', async () => {
    const orgId = await shop.anOrg()
    const { json } = await post(orgId, kopi)
    expect((await shop.call(orgId, 'DELETE', `/products/${json.id}`)).status).toBe(204)
    expect((await shop.call(orgId, 'DELETE', `/products/${json.id}`)).json.code).toBe('product_not_found')
    expect((await shop.call(orgId, 'GET', `/products/${json.id}`)).status).toBe(404)
    expect(await shop.eventTypes(orgId)).toEqual(['product.created', 'product.deleted'])
  })
})
